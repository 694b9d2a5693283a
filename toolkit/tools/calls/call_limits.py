"""Limits of how many calls of a tool run at the same time, and how many start in a period of time."""

import re
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Final, NamedTuple, Protocol

from toolkit.amounts import parse_duration

_RATE: Final = r"\s*([1-9]\d{0,8})\s*/(.+)"


class Limit(NamedTuple):
    """Limits the calls of a tool, in one process or across all workers of a store.

    Attributes:
        concurrency: Maximum number of calls at the same time; `None` means no limit.
        rate: Maximum number of calls that start within `seconds`; `None` means no limit.
        seconds: The period for `rate`, in seconds.
    """

    concurrency: int | None = None
    rate: int | None = None
    seconds: float = 1.0


Release = Callable[[], None]
"""Releases a slot."""


class Limiter(Protocol):
    """Decides when calls may start. Thread-safe."""

    def bounds(self, tool: str) -> bool:
        """Return whether a tool has a limit."""

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        """Acquire a slot for a call, if one is free.

        Args:
            tool: The name of the tool.
            again: Whether the call already has a slot, and starts again in it.

        Returns:
            A function that releases the slot; if the call cannot start yet, the minimum time to wait in seconds.
        """


def parse_rate(text: str) -> tuple[int, float] | None:
    """Parse a rate such as `10/1m` into a number of calls and a period in seconds; return `None` if it is not valid."""
    match = re.fullmatch(_RATE, text)
    seconds = parse_duration(match[2]) if match is not None else None
    return (int(match[1]), seconds) if match is not None and seconds else None


class LocalLimits:
    """A `Limiter` for the calls of this process."""

    def __init__(self, limits: Mapping[str, Limit]) -> None:
        """Create a limiter; `limits` maps the names of tools to their limits."""
        self._limits = limits
        self._running = dict.fromkeys(limits, 0)
        self._begun: dict[str, deque[float]] = {tool: deque(maxlen=limit.rate or 0) for tool, limit in limits.items()}
        self._lock = Lock()

    def bounds(self, tool: str) -> bool:
        """Return whether a tool has a limit."""
        return tool in self._limits

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        """Acquire a slot, or return the minimum time to wait in seconds; see `Limiter`."""
        limit = self._limits[tool]
        with self._lock:
            now, begun = time.monotonic(), self._begun[tool]
            if limit.rate is not None and len(begun) == limit.rate and (wait := begun[0] + limit.seconds - now) > 0:
                return wait
            if not again and limit.concurrency is not None and self._running[tool] >= limit.concurrency:
                return 0.0
            begun.append(now)
            self._running[tool] += not again
        return partial(self._release, tool)

    def _release(self, tool: str) -> None:
        with self._lock:
            self._running[tool] -= 1
