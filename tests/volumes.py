"""Volumes: how many examples a property test tries, and how often a race is run, every day and in the proofs."""

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

EVERYDAY = "everyday"
PROOFS = "proofs"

T = TypeVar("T")


def examples(full: int) -> int:
    """Return how many examples to try: `full` for the proofs, and at most the profile's number every day."""
    if settings.get_current_profile_name() == PROOFS:
        return full
    return min(full, settings.default.max_examples)


def some_of(values: Iterable[T]) -> list[T]:
    """Return what to try of many combinations: all of them for the proofs, and every eleventh of them every day."""
    return list(values)[:: 1 if settings.get_current_profile_name() == PROOFS else 11]


def tries_of(full: int) -> int:
    """Return how often to try what only repetition shows: `full` for the proofs, and a tenth of it every day."""
    return full if settings.get_current_profile_name() == PROOFS else full // 10
