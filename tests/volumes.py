"""Volumes: how many examples a property test tries, and how often a race is run, every day and in the proofs."""

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings
from hypothesis.internal.charmap import intervals_from_codec
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

EVERYDAY = "everyday"
PROOFS = "proofs"

T = TypeVar("T")


def examples(full: int, everyday: int | None = None) -> int:
    """Return how many examples to try: `full` for the proofs, and every day at most `everyday`, or the profile's number."""
    if settings.get_current_profile_name() == PROOFS:
        return full
    return min(full, everyday or settings.default.max_examples)


def try_no_constants_of_the_program() -> None:
    """Let property tests choose from the constants that everybody's code has, and not from those of our own.

    For these, every worker would parse all of the program, which takes longer than the property tests of every day do.
    """
    providers._get_local_constants = Constants


def find_characters() -> None:
    """Find the characters that texts can have, which takes three seconds the first time, and is kept in `.hypothesis`."""
    intervals_from_codec("utf-8")


def some_of(values: Iterable[T]) -> list[T]:
    """Return what to try of many combinations: all of them for the proofs, and every 23rd of them every day."""
    return list(values)[:: 1 if settings.get_current_profile_name() == PROOFS else 23]


def tries_of(full: int) -> int:
    """Return how often to try what only repetition shows: `full` for the proofs, and a tenth of it every day."""
    return full if settings.get_current_profile_name() == PROOFS else full // 10
