"""Holds the lines that join the branches of a tree."""

from typing import NamedTuple


class Stem(NamedTuple):
    """The prefixes for the first line of a branch, and for the lines below it."""

    first: str
    below: str


def stem(*, is_last: bool) -> Stem:
    """Return the prefixes of a branch, by whether another one follows."""
    return Stem("└─ ", "   ") if is_last else Stem("├─ ", "│  ")
