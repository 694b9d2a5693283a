"""Compares plain data as JSON values: `true` is not 1, but 1.0 is 1."""

from collections.abc import Mapping
from typing import Any

from toolkit.approvals.fits import Fit
from toolkit.approvals.spellings import Unreadable, folded, real_paths, spellings_of

_WORDS = {True: {"true", "yes", "on", "1"}, False: {"false", "no", "off", "0"}, None: {"", "null", "none", "~"}}


def same_data(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON values."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_data(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_data, one, other))
    return type(one) is type(other) and one == other if not _are_numbers(one, other) else one == other


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)


def fits_value(value: Any, wanted: Any, base: str | None) -> Fit:
    """Return whether a value is the wanted one; a value that could mean the same is in doubt.

    Such values are other spellings of the same path or URL, texts in another case, and texts that stand for a number,
    for true or false, or for nothing.

    Args:
        value: The value.
        wanted: The wanted value.
        base: The folder from which relative paths start; `None` for the working directory.
    """
    if same_data(value, wanted):
        return "yes"
    return "doubt" if _is_alike(value, wanted, base) else "no"


def _is_alike(one: Any, other: Any, base: str | None) -> bool:
    if isinstance(one, str) and isinstance(other, str):
        return _are_spellings(one, other, base)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_alike(value, other[name], base) for name, value in one.items())
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(_is_alike(*pair, base) for pair in zip(one, other, strict=True))
    if isinstance(one, str) or isinstance(other, str):
        text, data = (one, other) if isinstance(one, str) else (other, one)
        return _stands_for(text.strip().lower(), data)
    return same_data(one, other) or (_are_numbers(one, other) and one == other)


def _are_spellings(one: str, other: str, base: str | None) -> bool:
    try:
        if not _foldings(one).isdisjoint(_foldings(other)):
            return True
    except Unreadable:
        return True
    real = {folded(found.absolute) for found in real_paths(_spellings(one), base)}
    return not real.isdisjoint(folded(found.absolute) for found in real_paths(_spellings(other), base))


def _spellings(text: str) -> list[str]:
    return [text, *(one for same in spellings_of(text) for one in same)]


def _foldings(text: str) -> set[str]:
    return set(map(folded, _spellings(text)))


def _stands_for(text: str, data: Any) -> bool:
    """Return whether a text could mean a number, true or false, or nothing."""
    if isinstance(data, int | float) and not isinstance(data, bool):
        try:
            return float(text) == data
        except (ValueError, OverflowError):
            return False
    return (data is None or isinstance(data, bool)) and text in _WORDS[data]
