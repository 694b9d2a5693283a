"""Opened files: a child process opens users' files, one after the other, while those that it has opened are checked."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from toolkit.lint.children import Answer, Answers
from toolkit.lint.limits import Limits
from toolkit.lint.requests import Request
from toolkit.lint.settings import LintSettings
from toolkit.lint.unimported_files import refused_files
from toolkit.sources.configuration import Configuration
from toolkit.sources.import_permission import Chooser, ImportPermission

if TYPE_CHECKING:
    from toolkit.lint.file_checks import KnownTree


class Opened(NamedTuple):
    """What opening files gives.

    Attributes:
        answer: Returns what opening the file of a request gave, which it may wait for; it is called once for each
            request, in their order. None is for what the child does not open.
        known_tree: Returns the syntax tree of a file that was parsed on the way.
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
    """Have the child open the files within a block; nothing of it outlives the block.

    Args:
        requests: Files, and names of something else.
        configuration: The settings of the project.
        settings: Those of lint.
        limits: What one file may take.
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

        yield Opened(answer, permission.recogniser.tree_of)
