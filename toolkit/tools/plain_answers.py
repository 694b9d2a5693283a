"""Checks the functions and the types that users give to wrappers and agents, which cannot be async or a name."""

from types import CoroutineType
from typing import Any, TypeVar, cast

from toolkit.errors import ConfigurationError

Answer = TypeVar("Answer")


def plain(answer: Answer, role: str) -> Answer:
    """Return what a function has returned, unless it is async: a coroutine always counts as true, and never runs.

    Args:
        answer: What the function has returned.
        role: What the function is, for the message.

    Raises:
        ConfigurationError: If it is a coroutine.
    """
    if isinstance(answer, CoroutineType):
        answer.close()
        raise ConfigurationError(f"{role} must be a plain function, not an async one")
    return answer


def checked_kind(kind: Any) -> type:
    """Return the type of the artifacts that a wrapper looks for.

    Raises:
        ConfigurationError: If `isinstance` does not accept it, such as a name or `list[str]`.
    """
    try:
        isinstance(None, kind)
    except TypeError:
        raise ConfigurationError(f"the type of the artifacts must be a class, not {kind!r}") from None
    return cast("type", kind)
