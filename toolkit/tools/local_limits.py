"""Applies the limits of tools to the calls of one process."""

import time
from collections import deque
from collections.abc import Mapping
from functools import partial
from threading import Lock

from toolkit.tools.limits import Limit, Release


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
