"""While a module is imported to collect its tools, a tool that cannot be built does not end the import.

It is kept as a tool that cannot be used. The code that collects the tools reports its problems, beside those of its
neighbours.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_IS_DEFERRED: ContextVar[bool] = ContextVar("_IS_DEFERRED", default=False)


@contextmanager
def problems_deferred() -> Iterator[None]:
    """Keep tools that cannot be built, in this context, instead of raising."""
    token = _IS_DEFERRED.set(True)
    try:
        yield
    finally:
        _IS_DEFERRED.reset(token)


def are_problems_deferred() -> bool:
    """Return whether this context keeps tools that cannot be built."""
    return _IS_DEFERRED.get()
