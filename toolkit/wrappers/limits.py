"""Limits the duration, the output and the number of calls of a tool."""

import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from toolkit.errors import ConfigurationError, ToolExecutionError
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.context import ToolContext

_REMEMBERED_SCOPES = 1024


def limited(
    tool: Tool, *, seconds: float | None = None, characters: int | None = None, calls: int | None = None
) -> Tool:
    """Return a tool with limits.

    Args:
        tool: The tool.
        seconds: Time limit for a call in seconds, excluding time spent waiting for a person.
        characters: Maximum length of the output; a longer output is cut and ends with a note of its full length.
        calls: Maximum number of calls per agent loop; outside of a loop per run, and without a run in total.

    Raises:
        ConfigurationError: If a limit is not greater than zero.
    """
    for name, limit in (("seconds", seconds), ("characters", characters), ("calls", calls)):
        if limit is not None and limit <= 0:
            raise ConfigurationError(f"the limit of {name} must be above zero, not {limit!r}")
    if seconds is not None:
        from toolkit.wrappers.timing import TimedTool  # it imports asyncio

        tool = TimedTool(tool, seconds)
    if characters is not None:
        tool = ShortenedTool(tool, characters)
    return tool if calls is None else CountedTool(tool, calls)


class ShortenedTool(WrappedTool):
    """Cuts the output and the error of a tool after a number of characters; structured results stay complete."""

    def __init__(self, inner: Tool, characters: int) -> None:
        super().__init__(inner)
        self._characters = characters

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool and shorten its output and its error."""
        result = await self.result_from_inner(parsed, context)
        output, error = self._shorten(result.output), result.error and self._shorten(result.error)
        return (
            result if (output, error) == (result.output, result.error) else replace(result, output=output, error=error)
        )

    def _shorten(self, text: str) -> str:
        if len(text) <= self._characters:
            return text
        return f"{text[: self._characters]}\n... [truncated, {self._characters} of {len(text)} characters shown]"


class CountedTool(WrappedTool):
    """Limits the number of calls of a tool per agent loop or run; rejected calls do not count."""

    def __init__(self, inner: Tool, calls: int) -> None:
        super().__init__(inner)
        self._limit = calls
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Reject a call beyond the limit, before a reviewer is asked about it."""
        with self._lock:
            if self._counts.get(_scope(context), 0) >= self._limit:
                raise self._exhausted()
        super().check(parsed, context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Count the call and run the inner tool."""
        scope = _scope(context)
        with self._lock:
            count = self._counts.pop(scope, 0)
            self._counts[scope] = min(count + 1, self._limit)
            if len(self._counts) > _REMEMBERED_SCOPES:
                self._counts.popitem(last=False)
        if count >= self._limit:
            raise self._exhausted()
        return await super().perform(parsed, context)

    def _exhausted(self) -> ToolExecutionError:
        times = "once" if self._limit == 1 else f"{self._limit} times"
        return ToolExecutionError(f"'{self.name}' may be called only {times} here; do not call it again", "limit")


def _scope(context: ToolContext) -> str:
    if context.loop_id is not None:
        return f"loop {context.loop_id}"
    return f"run {context.run.id}" if context.run is not None else ""
