"""Hides what a server library logs about a call, since the result has the same content."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LIBRARIES = ("fastmcp", "mcp")

_IS_HELD_BACK: ContextVar[bool] = ContextVar("_IS_HELD_BACK", default=False)


@contextmanager
def library_logs_held_back() -> Iterator[None]:
    """Hide what server libraries log in this context; users' loggers are not affected."""
    for handler in _handlers():
        handler.addFilter(_is_shown)  # a handler adds the same filter only once
    token = _IS_HELD_BACK.set(True)
    try:
        yield
    finally:
        _IS_HELD_BACK.reset(token)


def keep_own_logs_from_rich_handlers() -> None:
    """Keep our logs out of the root handler that a server library adds when a server is created."""
    for handler in logging.getLogger().handlers:
        if type(handler).__name__ == "RichHandler":
            handler.addFilter(_is_not_ours)


def _is_not_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] != "toolkit"


def _is_shown(record: logging.LogRecord) -> bool:
    return not (_IS_HELD_BACK.get() and record.name.partition(".")[0] in _LIBRARIES)


def _handlers() -> Iterator[logging.Handler]:
    for name in ("", *_LIBRARIES):
        yield from logging.getLogger(name).handlers
    if logging.lastResort is not None:
        yield logging.lastResort
