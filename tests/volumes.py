"""Volumes: how many examples a property test tries, and how often a race is run, every day and in the proofs."""

from hypothesis import settings

EVERYDAY = "everyday"
PROOFS = "proofs"


def examples(full: int) -> int:
    """Return how many examples to try: `full` for the proofs, and at most the profile's number every day."""
    if settings.get_current_profile_name() == PROOFS:
        return full
    return min(full, settings.default.max_examples)


def tries_of(full: int) -> int:
    """Return how often to try what only repetition shows: `full` for the proofs, and a tenth of it every day."""
    return full if settings.get_current_profile_name() == PROOFS else full // 10
