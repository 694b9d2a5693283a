"""TK509: a path from a model that may point anywhere."""

import ast
from collections.abc import Iterator

from toolkit.codes import UNRESTRICTED_PATH
from toolkit.lint.clues.guards import carries, names_in, unguarded
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of

_WORDS = frozenset({"path", "paths", "file", "filename", "filepath", "folder", "directory", "dir"})
_GUARDS = {
    "resolve",
    "is_relative_to",
    "relative_to",
    "realpath",
    "commonpath",
    "secure_filename",
    "safe_join",
    "basename",
}
_CALLS = {
    "open", "io.open", "os.listdir", "os.scandir", "os.walk", "os.remove", "os.unlink", "os.rmdir", "os.makedirs", "os.open",
    "shutil.rmtree", "shutil.copy", "shutil.copyfile", "shutil.move", "glob.glob",
}  # fmt: skip
_METHODS = {
    "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rmdir", "iterdir", "glob", "rglob", "mkdir", "touch", "open",
}  # fmt: skip


class UnrestrictedPath(Rule):
    '''A path from a model is opened without a check.

    ## Why

    Anybody who can talk to the model can choose the path: `../../.ssh/id_rsa`, `/etc/passwd`, a link that points out of
    the folder. The same applies to a part of a path, as in `open(f"/data/{city}.txt")`. Resolve the path inside one
    folder and refuse everything outside it, or use the ready tools `file_read` and `file_write`. The rule only reads
    the source: a call such as `is_relative_to` or `isalnum`, or a comparison with the parameter, counts as a guard.

    In tools of frameworks without servers, such as LangChain, it is an `info`: many of them work on the files of whoever
    runs the program. Check the paths if the program serves other people.

    ## Example

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(read_only=True)
    def read_note(path: str) -> str:
        """Read a note of the user's."""
        return Path(path).read_text("utf-8")
    ```

    ## Instead

    ```python
    from pathlib import Path

    from toolkit import tool

    NOTES = Path("notes").resolve()


    @tool(read_only=True)
    def read_note(path: str) -> str:
        """Read a note of the user's."""
        file = (NOTES / path).resolve()
        if not file.is_relative_to(NOTES):
            raise ValueError("there is no such note")
        return file.read_text("utf-8")
    ```

    ## Source

    - CWE-22, [Path traversal](https://cwe.mitre.org/data/definitions/22.html) (checked 2026-11-22)
    - CVE-2025-53110, [MCP's filesystem server](https://nvd.nist.gov/vuln/detail/CVE-2025-53110): a folder whose name
      only begins like the allowed one was accepted (checked 2026-11-22)
    '''

    code = UNRESTRICTED_PATH

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter, call, written in unguarded(function, _GUARDS, _follows):
            message = f"{parameter.name!r} of {function.tool_name!r} is not restricted, and '{written}' uses it"
            related = [(function.file.location(parameter.node), "a model provides it")]
            hint = "resolve it inside one folder, and refuse everything outside it"
            severity = "info" if function.is_local else self.severity
            yield self.problem(message, function.file.location(call), hint=hint, related=related, severity=severity)


def _follows(call: ast.Call, meaning: str, parameter: PythonParameter, carriers: frozenset[str]) -> bool:
    """Whether a call opens the path in a parameter.

    A parameter whose name does not say that it is a path must be a part of the path itself.
    """
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_method = receiver is not None and meaning not in _CALLS and last_name(call.func) in _METHODS
    if not (is_method or meaning in _CALLS):
        return False
    if is_method and isinstance(receiver, ast.Name) and receiver.id not in carriers | {"Path"}:
        return False  # an object of the project, which may have its own restrictions
    if _WORDS.intersection(words_of(parameter.name)):
        given = [*call.args[:2], *(one.value for one in call.keywords), *([receiver] if receiver else [])]
        return any(carriers & names_in(node) for node in given)
    if is_method:
        return _is_path(receiver, carriers)
    return any(carries(node, carriers) for node in call.args[:1])


def _is_path(receiver: ast.expr | None, carriers: frozenset[str]) -> bool:
    """Whether this is a path that contains a parameter: `Path(…)`, `FOLDER / …`, or a variable with one of them."""
    match receiver:
        case ast.BinOp(op=ast.Div()) | ast.Call(func=ast.Name(id="Path")) | ast.Call(func=ast.Attribute(attr="Path")):
            return carries(receiver, carriers)
        case ast.Call(func=ast.Attribute(attr="joinpath")):
            return carries(receiver, carriers)
        case ast.Name(id=name):
            return name in carriers
    return False
