"""Wraps a tool of an MCP server in this process as a Tool; definition and results are those of the protocol.

Each call opens its own connection to the server, in memory, so that middleware, lifespan and the tool's context behave
as for any other client.
"""

import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from toolkit.errors import InvalidTools, ToolExecutionError
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.problems import Problem
from toolkit.schemas.places import definitions_in
from toolkit.tools.calls.attachments import result_of_contents
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.elicitations import Answer, FormQuestions
from toolkit.tools.foreign.schema_tools import marks_of, presentation_of

_LIBRARIES = ("fastmcp", "mcp")

_IS_HELD_BACK: ContextVar[bool] = ContextVar("_IS_HELD_BACK", default=False)


@contextmanager
def library_logs_held_back() -> Iterator[None]:
    """Hide what server libraries log in this context; users' loggers are not affected."""
    for handler in _handlers():
        handler.addFilter(_is_shown)  # a handler adds the same filter only once
    token = _IS_HELD_BACK.set(True)
    try:
        yield
    finally:
        _IS_HELD_BACK.reset(token)


def keep_own_logs_from_rich_handlers() -> None:
    """Keep our logs out of the root handler that a server library adds when a server is created."""
    for handler in logging.getLogger().handlers:
        if type(handler).__name__ == "RichHandler":
            handler.addFilter(_is_not_ours)


def _is_not_ours(record: logging.LogRecord) -> bool:
    return record.name.partition(".")[0] != "toolkit"


def _is_shown(record: logging.LogRecord) -> bool:
    return not (_IS_HELD_BACK.get() and record.name.partition(".")[0] in _LIBRARIES)


def _handlers() -> Iterator[logging.Handler]:
    for name in ("", *_LIBRARIES):
        yield from logging.getLogger(name).handlers
    if logging.lastResort is not None:
        yield logging.lastResort


Call = Callable[[str, dict[str, Any]], Coroutine[Any, Any, Any]]
"""Calls a tool of a server by name; returns the framework's `CallToolResult`."""


class Caller:
    """Receives the progress of a call and answers the server's questions."""

    def __init__(self, context: ToolContext, server: str) -> None:
        """Create a caller for the context of the call and the name of the server."""
        self._context = context
        self._questions = FormQuestions(context, server)
        self.can_ask = context.can_ask
        self.ended_by: BaseException | None = None
        """An exception that ends more than the call: a person stopped the run, or a listener raised."""
        self.on_end: Callable[[], Any] = lambda: None

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Report progress to the context's listener."""
        try:
            self._context.progress(message or "", done, total)
        except BaseException as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)

    async def elicit(self, params: Any) -> Answer:
        """Ask the reviewer of the context.

        Args:
            params: The framework's `ElicitRequestParams`.
        """
        if not self.can_ask or self.ended_by is not None:
            return Answer("decline")
        asked = as_json(params)
        try:
            if "url" in asked:
                return await self._questions.open(asked["message"], asked["url"])
            return await self._questions.fill(asked["message"], asked.get("requestedSchema") or {})
        except Exception as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)
            return Answer("cancel")

    def _end(self, error: BaseException) -> None:
        self.ended_by = self.ended_by or error
        self.on_end()


_WRAPPED = "result"

Open = Callable[[Caller], AbstractAsyncContextManager[Call]]
"""Opens a connection to a server for one call."""


def wire_tool(
    wire: Mapping[str, Any],
    open_conversation: Open,
    *,
    framework: str,
    server: str,
    thing: Any,
    function: Any = None,
    is_wrapped: bool = False,
) -> ForeignTool | Problem:
    """Return a tool of a server, or the problem of its definition.

    Args:
        wire: The tool's definition in JSON.
        open_conversation: Opens a connection to the server.
        framework: The framework of the server.
        server: The name of the server.
        thing: The framework's object for the tool.
        function: The user's function behind it, or None.
        is_wrapped: Whether the server wraps results as `{"result": …}`, since the protocol only allows objects.
    """

    async def invoke(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        result = await _answered(open_conversation, wire["name"], arguments, Caller(context, server))
        return _unwrapped(result) if is_wrapped else result

    place = place_of(function) if function is not None else None
    try:
        spec = ToolSpec(
            wire["name"],
            wire.get("description") or "",
            wire["inputSchema"],
            output_schema=_output_schema(wire, is_wrapped=is_wrapped),
            location=place,
            metadata=presentation_of(wire),
            **marks_of(wire),
        )
    except InvalidTools as error:
        problem = error.problems[0]
        return replace(problem, location=problem.location or place)
    return ForeignTool(spec, invoke, framework=framework, thing=thing, function=function)


def _output_schema(wire: Mapping[str, Any], *, is_wrapped: bool) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = wire.get("outputSchema")
    if schema is None or not is_wrapped:
        return schema
    return {**schema["properties"][_WRAPPED], **definitions_in(schema)}


def _unwrapped(result: ToolResult) -> ToolResult:
    if not isinstance(result.structured, Mapping) or list(result.structured) != [_WRAPPED]:
        return result
    return replace(result, structured=result.structured[_WRAPPED])


def as_json(value: Any) -> dict[str, Any]:
    """Return an object of the protocol as JSON, without members that are not set."""
    data: dict[str, Any] = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return data


async def _answered(open_conversation: Open, name: str, arguments: dict[str, Any], caller: Caller) -> ToolResult:
    from anyio import CancelScope

    answer, failed = None, None
    with library_logs_held_back(), CancelScope() as scope:
        caller.on_end = scope.cancel
        try:
            async with open_conversation(caller) as call:
                try:
                    answer = await call(name, arguments)
                except Exception as error:  # noqa: BLE001 - raised below, outside of their task groups
                    failed = error
        except Exception as error:  # noqa: BLE001 - as above
            failed = failed or _only(error)
    if caller.ended_by is not None:
        raise caller.ended_by
    if failed is not None:
        raise ToolExecutionError(str(failed) or type(failed).__name__, "error") from failed
    return _result_of(answer)


def _only(error: Exception) -> Exception:
    """Return the only exception in nested groups of one, as task groups raise them."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _result_of(answer: Any) -> ToolResult:
    data = as_json(answer)
    error_code = "error" if data.get("isError") else None
    return result_of_contents(data.get("content", ()), data.get("structuredContent"), error_code=error_code)
