"""Opens users' files in a child process, one after another, while the opened ones are checked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from toolkit.lint.children import Answer, Answers
from toolkit.lint.limits import Limits
from toolkit.lint.requests import Request
from toolkit.lint.settings import LintSettings
from toolkit.lint.unimported_files import refused_files
from toolkit.settings.configuration import Configuration
from toolkit.sources.import_permission import Chooser, ImportPermission

if TYPE_CHECKING:
    from toolkit.lint.file_checks import KnownTree


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
        if any(request.kind != "json" for request in requests):
            answers.begin()
        permission = ImportPermission(configuration, looks=True)
        refused = refused_files(requests, permission, chooser, interpreter)
        accepted = [request for request in requests if request.kind != "json" and request not in refused]
        answers.ask(accepted)
        waiting = set(accepted)

        def answer(request: Request) -> Answer | None:
            return answers.next() if request in waiting else refused.get(request)

        yield Opened(answer, permission.recogniser.meanings.tree_of)
