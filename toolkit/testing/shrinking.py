"""Finds the smallest arguments with which a call still fails in the same way."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolkit.json_texts import json_text

_SIMPLE_TEXTS = ("", "a", "0", " ")


def smallest(arguments: dict[str, Any], fails: Callable[[dict[str, Any]], bool], most: int) -> dict[str, Any]:
    """Return the smallest arguments found that still fail, after at most so many calls.

    Args:
        arguments: Arguments with which the call fails.
        fails: Calls the tool, and returns whether it fails in the same way.
        most: The maximum number of calls.
    """
    best, left, tried = arguments, most, {json_text(arguments)}
    is_better = True
    while is_better:
        is_better = False
        for proposal in _smaller(best):
            key = json_text(proposal)
            if key in tried:
                continue
            if left == 0:
                return best
            left -= 1
            tried.add(key)
            if fails(proposal):
                best, is_better = proposal, True
                break
    return best


def _smaller(value: Any) -> Iterator[Any]:
    """Yield simpler values, the simplest first."""
    match value:
        case Mapping():
            yield from ({key: one for key, one in value.items() if key != name} for name in value)
            yield from ({**value, name: simpler} for name, one in value.items() for simpler in _smaller(one))
        case list():
            yield from ([], *([one] for one in value[:3])) if len(value) > 1 else ([],) if value else ()
            yield from ([*value[:at], *value[at + 1 :]] for at in range(len(value)) if len(value) > 2)  # noqa: PLR2004
            yield from (
                [*value[:at], simpler, *value[at + 1 :]] for at, one in enumerate(value) for simpler in _smaller(one)
            )
        case str():
            yield from (text for text in _SIMPLE_TEXTS if (len(text), text) < (len(value), value))
            yield from (value[: len(value) // 2], value[len(value) // 2 :]) if len(value) > 1 else ()
            yield from (value[:at] + value[at + 1 :] for at in range(len(value)) if 2 < len(value) <= 20)  # noqa: PLR2004
        case bool() | None:
            return
        case int() | float():
            yield from (one for one in (0, 1, -1, int(value) // 2, int(value)) if _weight(one) < _weight(value))


def _weight(number: float) -> tuple[float, bool, bool]:
    return abs(number), number < 0, isinstance(number, float)
