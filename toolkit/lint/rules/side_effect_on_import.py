"""TK406: a module that does something as soon as it is imported."""

import ast
from collections.abc import Iterator

from toolkit.codes import SIDE_EFFECT_ON_IMPORT
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile

_METHODS = ("get", "post", "put", "patch", "delete", "head", "request")
_DOING = {
    **dict.fromkeys(("print", "builtins.print"), "prints"),
    **dict.fromkeys(("input", "builtins.input"), "asks for input"),
    **{f"{client}.{method}": "sends a request" for client in ("requests", "httpx") for method in _METHODS},
    "urllib.request.urlopen": "sends a request",
    "socket.create_connection": "opens a connection",
    **{f"subprocess.{name}": "starts a process" for name in ("run", "call", "check_call", "check_output", "Popen")},
    **dict.fromkeys(("os.system", "os.popen"), "starts a process"),
    **dict.fromkeys(("os.remove", "os.unlink", "os.makedirs", "os.mkdir", "shutil.rmtree"), "changes files"),
    "time.sleep": "waits",
    "asyncio.run": "runs an event loop",
}
_PAGES = "streamlit"


class SideEffectOnImport(Rule):
    '''A module with tools does something as soon as it is imported.

    ## Why

    The module is imported whenever its tools are listed or checked, and in every process that serves them. A request in
    it is sent each time, before any tool has been called, and its output goes to standard output, where a server over
    stdio talks to its client. Do the work in a tool, when it is called.

    Each kind of effect is reported once per module, where it happens first. Streamlit pages are not checked, because
    they are meant to run from their first line.

    ## Example

    ```python
    from toolkit import tool

    print("the weather is loaded")


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    import logging

    from toolkit import tool

    log = logging.getLogger(__name__)


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        log.info("asked for %s", city)
        return f"sun in {city}"
    ```

    ## Source

    - MCP 2025-11-25, [Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports): a server must not
      write anything to `stdout` that is not a message (checked 2026-11-22)
    '''

    code = SIDE_EFFECT_ON_IMPORT

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        if any(
            isinstance(node, ast.Import) and any(one.name == _PAGES for one in node.names) for node in module.tree.body
        ):
            return  # Streamlit runs a page from its first line
        seen: set[str] = set()
        for node in _run_on_import(module.tree):
            called = module.meaning(node.func) or ""
            what = _DOING.get(called)
            if what is not None and what not in seen and not any(one.arg == "file" for one in node.keywords):
                seen.add(what)
                message = f"the module {what} while it is imported, in '{called}'"
                hint = "do it in a tool, or under `if __name__ == '__main__':`"
                severity = self.severity_in(module.file)
                yield self.problem(message, module.location(node), hint=hint, severity=severity)


def _run_on_import(parent: ast.AST) -> Iterator[ast.Call]:
    """Yield every call that runs on import: not those in functions, or for the main program or type checkers only."""
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_main(node):
            continue
        if isinstance(node, ast.Call):
            yield node
        yield from _run_on_import(node)


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(one, ast.Name) and one.id in ("__name__", "TYPE_CHECKING") for one in ast.walk(node.test)
    )
