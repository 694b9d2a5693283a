"""Volumes: how many examples a property test tries, and how often a race is run, every day and in the proofs."""

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings
from hypothesis.internal.charmap import intervals_from_codec
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

EVERYDAY = "everyday"
PROOFS = "proofs"

_ALL_COMBINATIONS = "TOOLKIT_TEST_ALL_COMBINATIONS" in os.environ  # tests take variables of this kind away

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
    """Return what to try of many combinations: every third for the proofs, all if wanted, and every 23rd every day."""
    step = 1 if _ALL_COMBINATIONS else 3
    return list(values)[:: step if settings.get_current_profile_name() == PROOFS else 23]


def tries_of(full: int) -> int:
    """Return how often to try what only repetition shows: `full` for the proofs, and a tenth of it every day."""
    return full if settings.get_current_profile_name() == PROOFS else full // 10


def items_of(full: int) -> int:
    """Return how many items to use where each of them takes time: `full` if everything is wanted, and a fifth otherwise."""
    return full if _ALL_COMBINATIONS else full // 5
