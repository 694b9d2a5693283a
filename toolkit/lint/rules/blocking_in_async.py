"""TK404: an async tool that blocks the event loop."""

import ast
from collections.abc import Iterator, Mapping

from toolkit.codes import BLOCKING_IN_ASYNC
from toolkit.lint.clues.effects import importing
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem, Severity
from toolkit.source_code.python_functions import PythonFunction

_BLOCKING = {
    "time.sleep", "os.system", "os.wait", "urllib.request.urlopen", "urllib.request.urlretrieve", "input", "socket.create_connection",
    "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.getoutput", "open",
    "shutil.copytree", "shutil.rmtree", "sqlite3.connect",
}  # fmt: skip
_SHORT = {"open", "sqlite3.connect"}
_VERSION = ("--version", "-version", "-V")
_FEW_SECONDS = range(1, 6)
_CLIENTS = {"requests", "httpx", "niquests"}
_METHODS = {"get", "post", "put", "patch", "delete", "head", "options", "request"}
_INSTEAD: Mapping[str, str] = {"time.sleep": "asyncio.sleep"}


class BlockingInAsync(Rule):
    '''An `async` tool blocks the event loop.

    ## Why

    All coroutines share one thread. While one of them sleeps, reads a file or waits for a server with a blocking call,
    no other tool runs, timeouts have no effect and nothing can interrupt the call. A plain function runs in a separate
    thread, so it may block.

    In tools of other frameworks, what seldom takes long is only an `info`: opening a file or a local database, asking a
    command for its `--version`, a call with a timeout of at most five seconds, and whatever a mock waits for.

    ## Example

    ```python
    import time

    from toolkit import tool


    @tool
    async def wait(seconds: float) -> str:
        """Wait for some seconds."""
        time.sleep(seconds)
        return "done"
    ```

    ## Instead

    ```python
    import asyncio

    from toolkit import tool


    @tool
    async def wait(seconds: float) -> str:
        """Wait for some seconds."""
        await asyncio.sleep(seconds)
        return "done"
    ```

    ## Source

    - Python, [Developing with asyncio](https://docs.python.org/3/library/asyncio-dev.html#running-blocking-code): "Blocking
      (CPU-bound) code should not be called directly" (checked 2026-11-22)
    - Ruff, [flake8-async](https://docs.astral.sh/ruff/rules/#flake8-async-async) (checked 2026-11-22)
    '''

    code = BLOCKING_IN_ASYNC
    fix = "unsafe"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if not function.is_async:
            return
        statements = {
            id(node.value) for node in function.own_nodes if isinstance(node, ast.Expr | ast.Assign | ast.Return)
        }
        contexts = {id(node.context_expr) for node in function.own_nodes if isinstance(node, ast.withitem)}
        for node in function.own_nodes:
            if (
                isinstance(node, ast.Call)
                and (meaning := function.file.meaning(node.func))
                and _blocks(function, meaning)
            ):
                hint = (
                    f"write 'await {_INSTEAD.get(meaning, 'asyncio.to_thread')}(…)', or make the tool a plain function"
                )
                message = f"the async tool {function.tool_name!r} blocks the event loop in '{meaning}'"
                fix = None if id(node) in contexts else self._fix(function, node, meaning, bare=id(node) in statements)
                is_short = function.written is not None and (meaning in _SHORT or _is_brief(node))
                severity: Severity = "info" if is_short else self.severity
                yield self.problem(message, function.file.location(node), hint=hint, fix=fix, severity=severity)

    def _fix(self, function: PythonFunction, node: ast.Call, meaning: str, *, bare: bool) -> Fix:
        file = function.file
        called, (start, end) = file.segment(node.func), file.span(node)
        arguments = file.text[file.span(node.func)[1] : end].lstrip()[1:]
        if meaning in _INSTEAD:
            written = f"await {_INSTEAD[meaning]}({arguments}"
        else:
            written = f"await asyncio.to_thread({called}{'' if arguments.strip() == ')' else ', '}{arguments.lstrip()}"
        edits = [file.edit(start, end, written if bare else f"({written})")]
        return self.fixed_by("Wait without blocking", *edits, *importing(file, "asyncio"))


def _is_brief(call: ast.Call) -> bool:
    """Whether a call asks a command for its version, or has a timeout of a few seconds."""
    given = call.args[0].elts if call.args and isinstance(call.args[0], ast.List | ast.Tuple) else ()
    if any(isinstance(one, ast.Constant) and one.value in _VERSION for one in given):
        return True
    waits = (one.value for one in call.keywords if one.arg == "timeout")
    return any(isinstance(one, ast.Constant) and one.value in _FEW_SECONDS for one in waits)


def _blocks(function: PythonFunction, meaning: str) -> bool:
    module, _, member = meaning.rpartition(".")
    if not module:
        return meaning in {"open", "input"} and meaning not in function.file.imported_names
    return meaning in _BLOCKING or (module in _CLIENTS and member in _METHODS)
