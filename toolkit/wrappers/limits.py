"""Limits the duration, the result and the number of calls of a tool."""

import re
import threading
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from toolkit.amounts import tokens_in
from toolkit.errors import ConfigurationError, ToolExecutionError
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext

_REMEMBERED_SCOPES = 1024


def limited(
    tool: Tool,
    *,
    seconds: float | None = None,
    characters: int | None = None,
    calls: int | None = None,
    result_tokens: int | None = None,
) -> Tool:
    """Return a tool with limits.

    Args:
        tool: The tool.
        seconds: Time limit for a call in seconds, excluding time spent waiting for a person.
        characters: Maximum length of the output; a longer output is cut and ends with a note of its full length.
        result_tokens: Maximum number of tokens of a result, as an estimate; a longer result becomes a failure, whose
            message says how to ask for less. This way a model never mistakes a part of a result for the whole.
        calls: Maximum number of calls per agent loop; outside of a loop per run, and without a run in total.

    Raises:
        ConfigurationError: If a limit is not greater than zero.
    """
    limits = {"seconds": seconds, "characters": characters, "calls": calls, "result_tokens": result_tokens}
    for name, limit in limits.items():
        if limit is not None and limit <= 0:
            raise ConfigurationError(f"the limit of {name} must be above zero, not {limit!r}")
    if seconds is not None:
        from toolkit.wrappers.timing import TimedTool  # it imports asyncio

        tool = TimedTool(tool, seconds)
    if characters is not None:
        tool = ShortenedTool(tool, characters)
    if result_tokens is not None:
        tool = BudgetedTool(tool, result_tokens)
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


def budgeted(tool: Tool, project: int | None) -> Tool:
    """Return a tool whose results for a model are limited: as its own mark says, or else by a project's limit."""
    most = tool.spec.result_tokens or project
    return tool if most is None else BudgetedTool(tool, most)


class BudgetedTool(WrappedTool):
    """Refuses a result that has more tokens than a limit, rather than cut it: a part may be taken for the whole."""

    def __init__(self, inner: Tool, tokens: int) -> None:
        super().__init__(inner)
        self._most = tokens

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Run the inner tool; replace a result that is too large by a failure with the code `too_large`."""
        result = await self.result_from_inner(parsed, context)
        tokens = tokens_in(result.output)
        if tokens <= self._most:
            return result
        done = "" if self.spec.read_only else "the call was made, but "
        asking = [repr(name) for name in self.spec.properties if _NARROWING.search(name)]
        how = f"ask for less, with {' or '.join(asking)}" if asking else "ask for less"
        size = f"has about {tokens:,} tokens, more than its limit of {self._most:,}"
        return ToolResult.failure(f"{done}the result of '{self.name}' {size}; {how}", TOO_LARGE)


TOO_LARGE = "too_large"
"""The error code of a call whose result was too large."""

_NARROWING = re.compile(r"(?i)^(?:max|top|num|n)_|_?(?:limit|page|per_page|page_size|offset|cursor|count|fields)$")
"""Matches the names of parameters with which a caller can ask for less."""


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
