"""Opens users' files in a child process, one after another, while the opened ones are checked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.lint.configuration.settings import LintSettings
from toolkit.lint.engine.children import Answer, Answers
from toolkit.lint.engine.requests import Limits, Request
from toolkit.problems import Problem, problem_record
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import is_installed
from toolkit.source_code.project_files import runs_on_import
from toolkit.sources.import_permissions import Chooser, ImportPermission
from toolkit.tools.foreign.frameworks import is_installed as is_package_installed

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter
    from toolkit.lint.engine.file_checks import KnownTree


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
        if request.kind != "python" or request.file is None or is_only_read(request):
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
                "needs": {"files": [file for file in files if not is_installed(file)], "listings": [], "projects": []},
                "child": "",
            }
    return refused


def is_only_read(request: Request) -> bool:
    """Return whether a file is checked as with `--static`: a folder or pattern has it, and an import would run it."""
    return not request.is_named and runs_on_import(Path(request.target))


class Opened(NamedTuple):
    """Access to opened files.

    Attributes:
        answer: Returns the result of opening a request's file, waiting for it if necessary; call it once for each
            request, in order. None means that the child does not open the file.
        known_tree: Returns the syntax tree of a file that was parsed before.
    """

    answer: Callable[[Request], Answer | None]
    known_tree: "KnownTree"


@contextmanager
def opened_files(
    requests: Sequence[Request],
    configuration: Configuration,
    settings: LintSettings,
    limits: Limits,
    chooser: Chooser,
    *,
    keeps_trail: bool,
) -> Iterator[Opened]:
    """Open files in a child process, which ends with the `with` block.

    Args:
        requests: Files and other targets.
        configuration: The settings of the project.
        settings: The settings of lint.
        limits: Time and memory that a single file may use.
        chooser: Who named the requests.
        keeps_trail: Whether answers list the files that they depend on.
    """
    interpreter = settings.interpreter
    with Answers(configuration, limits, keeps_trail=keeps_trail, interpreter=interpreter) as answers:
        if any(request.is_opened for request in requests):
            answers.begin()
        permission = ImportPermission(configuration, looks=True)
        refused = refused_files(requests, permission, chooser, interpreter)
        accepted = [one for one in requests if one.is_opened and one not in refused and not is_only_read(one)]
        answers.ask(accepted)
        waiting = set(accepted)

        def answer(request: Request) -> Answer | None:
            return answers.next() if request in waiting else refused.get(request)

        yield Opened(answer, permission.recogniser.meanings.tree_of)
