"""Callers: who waits for a call of a remote tool is told how far it is, and asked what its server asks.

The sessions live in a loop of their own; a person is asked in the loop of the call, where its reviewer belongs.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from mcp_types import ElicitRequestFormParams, ElicitRequestParams, ElicitResult

from toolkit.approvals.decisions import Edit
from toolkit.approvals.permissions import Refused
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.risks import Risk
from toolkit.errors import ToolArgumentsError
from toolkit.mcp.settings.servers import McpServer
from toolkit.mcp.tools.thinning import Report, Thinning
from toolkit.redactors.redactor import Redactor
from toolkit.tools.asking import decide
from toolkit.tools.context import ToolContext
from toolkit.tools.shapes.schema_types import shape_of_schema

_TRIES = 3
_FIRST_OF: Mapping[str, Any] = {"boolean": True, "string": "", "integer": 0, "number": 0, "array": []}


class WaitingCaller:
    """A call that waits in the running loop, with its context."""

    def __init__(self, server: McpServer, context: ToolContext, redactor: Redactor) -> None:
        """Keep the context, the loop that the call waits in, and what must not be told of what the server says."""
        self._server = server
        self._redactor = redactor
        self._context = context
        self._loop = asyncio.get_running_loop()
        self._thinning = Thinning(self._tell)
        self.ended_by: BaseException | None = None
        """What ends more than the call: a person who stops the run, or a listener that raised."""
        self.on_end: Callable[[], Any] = lambda: None

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell the context's listener how far the work is."""
        if self._context.listener is not None:
            self._loop.call_soon_threadsafe(self._thinning.take, Report(message or "", progress, total))

    def close(self) -> None:
        """Tell what was reported last; the call has ended."""
        self._thinning.flush()

    async def elicit(self, params: ElicitRequestParams) -> ElicitResult:
        """Ask whoever the context asks, and decline where nobody can be."""
        if not self._context.can_ask or self.ended_by is not None:
            return ElicitResult(action="decline")
        asking = asyncio.run_coroutine_threadsafe(self._ask(params), self._loop)
        return await asyncio.wrap_future(asking)

    def _tell(self, report: Report) -> None:
        try:
            self._context.progress(self._redactor.text(report.message), report.done, report.of)
        except BaseException as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)

    async def _ask(self, params: ElicitRequestParams) -> ElicitResult:
        try:
            if isinstance(params, ElicitRequestFormParams):
                return await self._ask_for_form(params)
            answer = await self._put(params.message, {"url": params.url}, editable=False)
            return ElicitResult(action="decline" if answer is None else "accept")
        except Exception as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._end(error)
            return ElicitResult(action="cancel")

    async def _ask_for_form(self, params: ElicitRequestFormParams) -> ElicitResult:
        """Ask for the members of a form: as text where it is one text, as arguments that can be edited otherwise."""
        schema = {"type": "object", **params.requested_schema, "additionalProperties": False}
        properties = schema.get("properties") or {}
        shape = shape_of_schema(schema, foreign=True)

        def objection(answer: Mapping[str, Any] | str) -> str | None:
            try:
                shape.validate_text(answer) if isinstance(answer, str) else shape.validate_data(answer)
            except ValueError as error:
                return _objection_of(shape, answer, error)
            return None

        text = _only_text(properties)
        answer: Mapping[str, Any] = {name: _first_value(part) for name, part in properties.items()}
        complaint = None
        for _ in range(_TRIES):
            message = params.message if complaint is None else f"{params.message}\n{complaint}"
            if text is not None:
                told = _described(properties[text])
                words = await self._put(f"{message}\n{told}" if told else message, {}, answer_is_text=True)
                if not isinstance(words, str):
                    return ElicitResult(action="decline")
                answer = {text: words}
            else:
                filled = await self._put(message, answer, show=_notes(properties), objection=objection)
                if filled is None or isinstance(filled, str):
                    return ElicitResult(action="decline")
                answer = filled
            complaint = objection(answer)
            if complaint is None:
                return ElicitResult(action="accept", content=dict(answer))
        return ElicitResult(action="cancel")

    async def _put(self, text: str, arguments: Mapping[str, Any], **more: Any) -> Mapping[str, Any] | str | None:
        """Put a question of the server, and return what is to be sent; `None` where nothing may be.

        No rule answers it: what is wanted is an answer of the person's own.
        """
        server, call = self._server.name, self._context.call
        request = ReviewRequest(
            text,
            Risk(f"server {server}", source="MCP"),
            arguments,
            asked_by=f"the server '{server}' asks; what you answer is sent to it",
            place=self._context.place,
            digest=call.digest(self._context, server) if call is not None else "",
            **more,
        )
        decision = await decide(self._context, None, lambda _: request)
        if isinstance(decision, Refused):
            return None
        return decision.decision.arguments if isinstance(decision.decision, Edit) else arguments

    def _end(self, error: BaseException) -> None:
        if self.ended_by is None:
            self.ended_by = error
        self.on_end()


def _only_text(properties: Mapping[str, Any]) -> str | None:
    """Return the name of the one member of a form, if that is a plain text."""
    if len(properties) != 1:
        return None
    name, part = next(iter(properties.items()))
    is_plain = isinstance(part, Mapping) and part.get("type") == "string" and not {"enum", "oneOf"} & set(part)
    return name if is_plain else None


def _first_value(part: Any) -> Any:
    """Return what a member of a form holds before anybody has edited it."""
    if not isinstance(part, Mapping):
        return None
    if "default" in part:
        return part["default"]
    if isinstance(part.get("enum"), list) and part["enum"]:
        return part["enum"][0]
    listed = part.get("oneOf")
    if isinstance(listed, list) and listed and isinstance(listed[0], Mapping):
        return listed[0].get("const")
    return _FIRST_OF.get(str(part.get("type")))


def _described(part: Any) -> str:
    said = [str(part[key]) for key in ("title", "description") if part.get(key)]
    return ": ".join(said)


def _notes(properties: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what the server says of the members of a form."""
    notes = {}
    for name, part in properties.items():
        if isinstance(part, Mapping):
            listed = part.get("enum") or [one.get("const") for one in part.get("oneOf", ()) if isinstance(one, Mapping)]
            choices = f"one of {', '.join(map(str, listed))}" if listed else ""
            if told := "; ".join(filter(None, [_described(part), choices])):
                notes[name] = told
    return notes or None


def _objection_of(shape: Any, answer: Mapping[str, Any] | str, error: ValueError) -> str:
    from toolkit.tools.shapes.objections import read_again  # noqa: PLC0415 - only a wrong answer needs it

    try:
        read_again(shape, answer, frozenset(), error)
    except ToolArgumentsError as objection:
        return str(objection)
    return str(error)
