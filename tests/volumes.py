"""Volumes: how many examples a property test tries, in the everyday run and in the proofs."""

from hypothesis import settings

EVERYDAY = "everyday"
PROOFS = "proofs"


def examples(full: int) -> int:
    """Return how many examples to try: `full` for the proofs, and at most the profile's number every day."""
    if settings.get_current_profile_name() == PROOFS:
        return full
    return min(full, settings.default.max_examples)
