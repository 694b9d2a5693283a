"""Limits: what a user's file may take while it is opened."""

from typing import NamedTuple


class Limits(NamedTuple):
    """What one file may take.

    Attributes:
        seconds: How long it may take to open it.
        memory: How many bytes the process may hold, on systems that can limit that.
        grace: How many seconds more a process has to end itself, before it is ended from outside.
    """

    seconds: float = 20.0
    memory: int = 4 * 1024**3
    grace: float = 5.0


DEFAULT_LIMITS = Limits()
