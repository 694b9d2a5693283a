"""Runs the rules on files: on small ones in this process, on large ones in a child process with a timeout.

Several such processes check a large number of files in parallel.
"""

from collections.abc import Callable, Generator, Sequence

from toolkit.lint.children import Answer
from toolkit.lint.file_checks import FileChecker, KnownTree
from toolkit.lint.judge_pools import Checked, JudgePool, useful_processes
from toolkit.lint.judges import Instructions, Judge, is_heavy
from toolkit.lint.requests import Request
from toolkit.lint.rules import make_rules

AnswerTo = Callable[[Request], Answer | None]
"""Returns the result of opening a request's file, waiting for it if necessary; None if nothing is run."""


def checked_files(
    requests: Sequence[Request],
    answer: AnswerTo,
    instructions: Instructions,
    known_tree: KnownTree | None = None,
    processes: int | None = None,
) -> Generator[Checked]:
    """Yield the report of each request, in any order.

    Args:
        requests: Files and other targets, in the order in which they are opened.
        answer: Returns the result of opening a request; called in the same order.
        instructions: What to check.
        known_tree: The syntax trees of files that were parsed before.
        processes: The number of additional processes that check files; by default, as many as are useful.
    """
    count = useful_processes(len(requests)) if processes is None else processes
    if count:
        return _checked_there(requests, answer, instructions, count)
    return _checked_here(requests, answer, instructions, known_tree)


def _checked_here(
    requests: Sequence[Request], answer: AnswerTo, instructions: Instructions, known_tree: KnownTree | None
) -> Generator[Checked]:
    """Yield the report of each request, in order; each file is read before its answer is awaited."""
    with Judge(instructions) as judge:
        checker = FileChecker(make_rules(instructions.codes, instructions.settings), known_tree)
        for request in requests:
            read = None if is_heavy(request) else checker.read(request)
            given = answer(request)
            yield Checked(request, judge.report(request, given) if read is None else checker.look(read, given))


def _checked_there(
    requests: Sequence[Request], answer: AnswerTo, instructions: Instructions, processes: int
) -> Generator[Checked]:
    """Yield the report of each request, in any order, from additional processes that check them."""
    with JudgePool(instructions, processes) as pool:
        for request in requests:
            pool.give(request, answer(request))
            yield from pool.finished()
        yield from pool.rest()
