"""Limits on time and memory while a user's file is opened."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Limits for a single file.

    Attributes:
        seconds: Timeout for opening it, in seconds.
        memory: Maximum memory of the process in bytes, on systems that can limit it.
        grace: Time in seconds for a process to end itself after its timeout, before it is killed.
    """

    seconds: float = 20.0
    memory: int = 4 * 1024**3
    grace: float = 5.0


DEFAULT_LIMITS = Limits()
