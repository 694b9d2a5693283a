"""Quiet logs: a server library's log of a call is not shown beside the result, which has the same content."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LIBRARIES = ("fastmcp", "mcp")

_IS_HELD_BACK: ContextVar[bool] = ContextVar("_IS_HELD_BACK", default=False)


@contextmanager
def library_logs_held_back() -> Iterator[None]:
    """Show nothing that the libraries of servers log in this context; loggers of users are heard as ever."""
    for handler in _handlers():
        handler.addFilter(_is_shown)  # a handler keeps a filter once
    token = _IS_HELD_BACK.set(True)
    try:
        yield
    finally:
        _IS_HELD_BACK.reset(token)


def keep_own_logs_from_rich_handlers() -> None:
    """Let our own logs stay out of the handler that a server library gives the whole program when a server is made."""
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
