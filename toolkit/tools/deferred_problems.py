"""Lets the import of a module continue if one of its tools cannot be built, so that all problems are reported.

A placeholder takes the place of such a tool, and the code that collects the tools of the module reports its problems.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IS_DEFERRED: ContextVar[bool] = ContextVar("_IS_DEFERRED", default=False)


@contextmanager
def problems_deferred() -> Iterator[None]:
    """Within this block, create placeholders for tools that cannot be built instead of raising."""
    token = _IS_DEFERRED.set(True)
    try:
        yield
    finally:
        _IS_DEFERRED.reset(token)


def are_problems_deferred() -> bool:
    """Return whether placeholders are created for tools that cannot be built."""
    return _IS_DEFERRED.get()
