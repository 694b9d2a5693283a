"""Limits: how many calls of a tool run at the same time on all workers, and how many begin in some time."""

import re
from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from toolkit.durations import parse_duration

_RATE: Final = re.compile(r"\s*([1-9]\d{0,8})\s*/(.+)")


class Limit(NamedTuple):
    """What bounds the calls of a tool: in one process, or on all workers of a store together.

    Attributes:
        concurrency: How many run at the same time; `None` means no limit.
        rate: How many begin within `seconds`; `None` means no limit.
        seconds: In which time.
    """

    concurrency: int | None = None
    rate: int | None = None
    seconds: float = 1.0


GiveBack = Callable[[], None]
"""Ends a turn."""


class Limiter(Protocol):
    """Decides when calls may begin; safe to use from several threads."""

    def bounds(self, tool: str) -> bool:
        """Return whether calls of a tool have to wait for their turn."""

    def take(self, tool: str, *, again: bool = False) -> GiveBack | float:
        """Begin a turn.

        Args:
            tool: The name of the tool.
            again: Whether the call has its turn, and begins once more in it.

        Returns:
            What ends the turn; where it cannot begin yet, how many seconds that will be so at least.
        """


def parse_rate(text: str) -> tuple[int, float] | None:
    """Return how often, and in how many seconds, a rate such as `10/1m` means, or `None` if it is not a rate."""
    match = _RATE.fullmatch(text)
    seconds = parse_duration(match[2]) if match is not None else None
    return (int(match[1]), seconds) if match is not None and seconds else None
