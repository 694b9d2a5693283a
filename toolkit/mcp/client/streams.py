"""Wrap the stream of a server's messages to the SDK, to change messages and to detect its end."""

from collections.abc import Callable
from typing import Any, Self

import anyio


class WatchedStream:
    """A stream that passes each message through a function, and reports its end."""

    def __init__(self, inner: Any, *, through: Callable[[Any], Any], on_end: Callable[[], None]) -> None:
        """Wrap a stream.

        Args:
            inner: The stream.
            through: Called with each message, or the exception in its place; returns what to pass on.
            on_end: Called when the stream ends.
        """
        self._inner = inner
        self._through = through
        self._on_end = on_end

    def __getattr__(self, name: str) -> Any:
        """Delegate everything else to the stream."""
        return getattr(self._inner, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Return the next message."""
        try:
            return self._through(await self._inner.__anext__())
        except (StopAsyncIteration, anyio.ClosedResourceError):
            self._on_end()
            raise

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *reason: object) -> Any:
        return await self._inner.__aexit__(*reason)
