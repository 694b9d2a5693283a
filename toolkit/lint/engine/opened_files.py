"""Opens users' files in a child process, one after another, while the opened ones are checked.

While the child opens files, this process decides which of the following ones it may open.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.lint.configuration.settings import LintSettings
from toolkit.lint.engine.children import Answer, Answers
from toolkit.lint.engine.requests import Limits, Request
from toolkit.problems import Problem, problem_record
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import is_installed
from toolkit.sources.import_permissions import Chooser, ImportPermission
from toolkit.tools.foreign.frameworks import is_installed as is_package_installed

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter
    from toolkit.lint.engine.file_checks import KnownTree


_AHEAD: Final = 32
"""How many files are decided about before the answer for the first of them is awaited."""


class _Refusals:
    """Decides for each file whether it is imported."""

    def __init__(self, configuration: Configuration, chooser: Chooser, interpreter: "Interpreter | None") -> None:
        """Create it without reading any file.

        Args:
            configuration: The settings of the project.
            chooser: Who named the requests.
            interpreter: The Python that opens modules; by default, the current one.
        """
        self._permission = ImportPermission(configuration, looks=True)
        self._chooser = chooser
        self._has_package = is_package_installed if interpreter is None else interpreter.has
        self.meanings = self._permission.recogniser.meanings

    def of(self, request: Request) -> dict[str, Any] | None:
        """Return the answer for a file that is not imported, in the form of the child process's answers."""
        if request.kind != "python" or request.file is None:
            return None
        if self._permission.recogniser.lacks_framework(request.file, self._has_package):
            objections: Sequence[Problem] | None = ()  # its source shows the tools, and importing it would fail
        else:
            path = Path(request.target)
            objections = self._permission.objections_to_file(path, None, self._chooser, is_walked=not request.is_named)
        if objections is None:
            return None
        files = self.meanings.files_behind(request.file)
        return {
            "problems": [problem_record(problem) for problem in objections],
            "tools": [],
            "needs": {"files": [file for file in files if not is_installed(file)], "listings": []},
            "child": "",
        }


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
        refusals = _Refusals(configuration, chooser, interpreter)
        undecided = iter(requests)
        decided: deque[dict[str, Any] | None] = deque()

        def decide(count: int) -> None:
            following = list(islice(undecided, count))
            for request in following:
                decided.append(refused := refusals.of(request))
                if request.is_opened and refused is None:
                    answers.ask(request)
            if len(following) < count:
                answers.ask_no_more()

        def answer(request: Request) -> Answer | None:
            decide(1)
            refused = decided.popleft()
            return answers.next() if request.is_opened and refused is None else refused

        decide(_AHEAD)
        yield Opened(answer, refusals.meanings.tree_of)
