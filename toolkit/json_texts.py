"""JSON texts: a value as JSON that every reader takes, also where it holds numbers that JSON does not have."""

import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any


def json_text(
    value: Any,
    *,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """Return a value as JSON; NaN and infinity are quoted: `"NaN"`, `"Infinity"`, `"-Infinity"`.

    Args:
        value: What is written. Characters beyond ASCII stay as they are.
        indent: By how many blanks each level stands in; without it everything is on one line.
        separators: What stands between members, and after their names.
        sort_keys: Whether the members of objects stand in the order of their names.
        default: Returns what is written for an object that JSON has no form for.

    Raises:
        TypeError: If something in it cannot be written as JSON.
        ValueError: If it contains itself.
    """
    write = json.JSONEncoder(
        ensure_ascii=False,
        allow_nan=False,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
        default=default,
    ).encode
    try:
        return write(value)
    except ValueError as error:
        if "Circular" in str(error):
            raise
        return write(_quoted(value))


def _quoted(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"  # noqa: PLR0124 - NaN alone differs
    if isinstance(value, Mapping):
        return {_quoted(key): _quoted(one) for key, one in value.items()}
    return [_quoted(one) for one in value] if isinstance(value, list | tuple) else value
