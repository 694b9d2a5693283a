"""TK509: a path from a model that may lead anywhere."""

import ast
from collections.abc import Iterator

from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.lint.unguarded import unguarded
from toolkit.problems import Problem

_WORDS = frozenset({"path", "paths", "file", "filename", "filepath", "folder", "directory", "dir"})
_GUARDS = {
    "resolve",
    "is_relative_to",
    "relative_to",
    "realpath",
    "commonpath",
    "secure_filename",
    "safe_join",
    "fullmatch",
}
_CALLS = {
    "open", "io.open", "os.listdir", "os.scandir", "os.walk", "os.remove", "os.unlink", "os.rmdir", "os.makedirs", "os.open",
    "shutil.rmtree", "shutil.copy", "shutil.copyfile", "shutil.move", "glob.glob",
}  # fmt: skip
_METHODS = {
    "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "rmdir", "iterdir", "glob", "rglob", "mkdir", "touch", "open",
}  # fmt: skip


class UnrestrictedPath(Rule):
    '''A path that a model gives is opened as it is.

    ## Why

    Whoever can talk to the model chooses the path: `../../.ssh/id_rsa`, `/etc/passwd`, a link that leads out of the folder.
    A tool that reads what it is given gives away whatever the process may read. Resolve the path below one folder, and
    refuse what is not in it, or let the ready tools `file_read` and `file_write` do it. Only the source is looked at: a
    call such as `is_relative_to`, or a comparison with the parameter, counts as a guard.

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
    - CVE-2025-53110, [MCP's filesystem server](https://nvd.nist.gov/vuln/detail/CVE-2025-53110): a twin of the allowed prefix
      leads out (checked 2026-11-22)
    '''

    code = "TK509"
    name = "unrestricted-path"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter, call, written in unguarded(function, _WORDS, _GUARDS, _opens):
            message = f"{parameter.name!r} of {function.tool_name!r} may lead anywhere, and '{written}' follows it"
            related = [(function.file.location(parameter.node), "a model gives it")]
            hint = "resolve it below one folder, and refuse what is not in it"
            yield self.problem(message, function.file.location(call), hint=hint, related=related)


def _opens(call: ast.Call, meaning: str) -> bool:
    return meaning in _CALLS or (isinstance(call.func, ast.Attribute) and call.func.attr in _METHODS)
