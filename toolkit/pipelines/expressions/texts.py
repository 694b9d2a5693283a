"""Functions on strings."""

import re
from collections.abc import Callable
from typing import Any

from toolkit.pipelines.expressions.argument_types import list_in, text_in
from toolkit.pipelines.expressions.failures import Unfit
from toolkit.pipelines.expressions.json_values import MAX_ITEMS, check_count, check_length

MAX_STRIPPED = 100
LINE_BREAK = r"\r\n|\r|\n"


def lowered(text: Any) -> str:
    """Return a string in lower case."""
    return _cased(text, "lower", str.lower)


def uppered(text: Any) -> str:
    """Return a string in upper case."""
    return _cased(text, "upper", str.upper)


def _cased(text: Any, function: str, change: Callable[[str], str]) -> str:
    check_length(len(text_in(text, function)))
    changed = change(text)
    check_length(len(changed))
    return changed


def stripped(text: Any, characters: Any = None) -> str:
    """Return a string without whitespace, or the given characters, at both ends."""
    if characters is None:
        return text_in(text, "strip").strip()
    if len(text_in(characters, "strip")) > MAX_STRIPPED:
        raise Unfit(f"strip takes at most {MAX_STRIPPED} characters to remove")
    return text_in(text, "strip").strip(characters)


def replaced(text: Any, old: Any, new: Any) -> str:
    """Return a string with every occurrence of `old` replaced by `new`."""
    whole, part, other = (text_in(value, "replace") for value in (text, old, new))
    check_length(len(whole) + whole.count(part) * max(0, len(other) - len(part)))
    return whole.replace(part, other)


def split(text: Any, separator: Any = None) -> list[str]:
    """Split a string at a separator, or at whitespace if there is no separator."""
    if separator == "":
        raise Unfit("the separator of split is empty", hint="[character for character in …] lists the characters")
    between = None if separator is None else text_in(separator, "split")
    return _count(text_in(text, "split").split(between, MAX_ITEMS + 1))


def lines(text: Any) -> list[str]:
    """Return the lines of a string without their line breaks. A line break at the end does not start another line."""
    parts = re.split(LINE_BREAK, text_in(text, "lines"), maxsplit=MAX_ITEMS + 1)
    return _count(parts if parts[-1] else parts[:-1])


def _count(items: list[str]) -> list[str]:
    check_count(len(items))
    return items


def joined(items: Any, separator: Any = "") -> str:
    """Join a list of strings with a separator."""
    texts = [text_in(item, "join") for item in list_in(items, "join")]
    between = text_in(separator, "join")
    check_length(sum(map(len, texts)) + len(between) * max(0, len(texts) - 1))
    return between.join(texts)


def starts_with(text: Any, start: Any) -> bool:
    """Return whether a string begins with another."""
    return text_in(text, "startswith").startswith(text_in(start, "startswith"))


def ends_with(text: Any, end: Any) -> bool:
    """Return whether a string ends with another."""
    return text_in(text, "endswith").endswith(text_in(end, "endswith"))


def now() -> str:
    """Return the current time in UTC, such as `2026-11-21T08:30:00Z`."""
    from datetime import UTC, datetime  # noqa: PLC0415 - few expressions need the time

    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
