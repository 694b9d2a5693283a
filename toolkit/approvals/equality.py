"""Compares plain data as JSON values: `true` is not 1, but 1.0 is 1."""

from collections.abc import Mapping
from typing import Any


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
