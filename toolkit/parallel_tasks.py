"""Runs tasks in parallel; the first one that fails cancels the others."""

from collections.abc import Awaitable, Callable, Iterable
from typing import NoReturn

from anyio import create_task_group  # noqa: TID253 - this module is imported only where tasks run in parallel

Job = Callable[[], Awaitable[bool]]
"""A task; it returns whether the others may continue."""


async def gather(jobs: Iterable[Job]) -> None:
    """Run tasks in parallel until all have ended, or one returns `False`, which cancels the others.

    An exception of a task also cancels the others. It is raised as it is, not wrapped in a group.
    """
    try:
        async with create_task_group() as group:

            async def run(job: Job) -> None:
                if not await job():
                    group.cancel_scope.cancel()

            for job in jobs:
                group.start_soon(run, job)
    except BaseExceptionGroup as broken:
        _raise_gravest(broken)


def _raise_gravest(group: BaseExceptionGroup[BaseException]) -> NoReturn:
    """Raise the most severe exception: one that is not an Exception first, otherwise the first one."""
    leaves = list(_leaves(group))
    raise min(leaves, key=lambda error: isinstance(error, Exception)) from None


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterable[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error
