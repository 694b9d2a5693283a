"""Finds Python files that are read but not imported, since their source defines no tools."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.lint.requests import Request
from toolkit.problems import Problem, problem_record
from toolkit.source_code.module_files import is_installed
from toolkit.sources.import_permission import Chooser, ImportPermission
from toolkit.tools.frameworks import is_installed as is_package_installed

if TYPE_CHECKING:
    from toolkit.lint.interpreters import Interpreter


def refused_files(
    requests: Iterable[Request],
    permission: ImportPermission,
    chooser: Chooser,
    interpreter: "Interpreter | None" = None,
) -> dict[Request, dict[str, Any]]:
    """Return the answer for each file that is not imported, in the form of the child process's answers.

    Args:
        requests: The files and names to check.
        permission: Decides about each file.
        chooser: Who named the requests.
        interpreter: The Python that opens modules; by default, the current one.
    """
    has_package = is_package_installed if interpreter is None else interpreter.has
    refused = {}
    for request in requests:
        if request.kind != "python" or request.file is None:
            continue
        if permission.recogniser.lacks_framework(request.file, has_package):
            objections: Sequence[Problem] | None = ()  # its source shows the tools, and importing it would fail
        else:
            path = Path(request.target)
            objections = permission.objections_to_file(path, None, chooser, is_walked=not request.is_named)
        if objections is not None:
            files = permission.recogniser.meanings.files_behind(request.file)
            refused[request] = {
                "problems": [problem_record(problem) for problem in objections],
                "tools": [],
                "needs": {"files": [file for file in files if not is_installed(file)], "listings": []},
                "child": "",
            }
    return refused
