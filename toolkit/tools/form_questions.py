"""Passes questions that an MCP server asks during a call to the reviewer of the context."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from toolkit.approvals.decisions import Edit
from toolkit.approvals.permissions import Refused
from toolkit.approvals.requests import ReviewRequest
from toolkit.approvals.risks import Risk
from toolkit.tools.approval_checks import decide
from toolkit.tools.context import ToolContext
from toolkit.tools.forms import Form

_TRIES = 3


class Answer(NamedTuple):
    """The answer of a person; the names are those of the MCP specification."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] | None = None


class FormQuestions:
    """Asks the questions of one server during one call; only a person's answer is sent."""

    def __init__(self, context: ToolContext, server: str) -> None:
        self._context = context
        self._server = server

    async def fill(self, message: str, requested: Mapping[str, Any]) -> Answer:
        """Ask the reviewer to fill in a form: as free text if it has only one plain string, otherwise by member.

        Args:
            message: The question of the server.
            requested: The JSON Schema of the requested object, as received from the server.
        """
        form = Form(requested)
        fault = None
        for _ in range(_TRIES):
            answer = await self._fill(form, message if fault is None else f"{message}\n{fault}")
            fault = None if answer is None else form.objection(answer)
            if answer is None or (fault is not None and answer == form.defaults):
                return Answer("decline")
            if fault is None:
                return Answer("accept", dict(answer))
        return Answer("cancel")

    async def open(self, message: str, url: str) -> Answer:
        """Ask whether to continue when the server requests that a URL be opened."""
        answer = await self._put(message, {"url": url}, editable=False)
        return Answer("decline" if answer is None else "accept")

    async def _fill(self, form: Form, message: str) -> Mapping[str, Any] | None:
        if (name := form.only_text) is None:
            filled = await self._put(
                message, form.defaults, show=form.notes, objection=form.objection, form=form.schema
            )
            return None if isinstance(filled, str) else filled
        note = form.note_of(name)
        words = await self._put(f"{message}\n{note}" if note else message, {}, answer_is_text=True)
        return {name: words} if isinstance(words, str) else None

    async def _put(self, text: str, arguments: Mapping[str, Any], **more: Any) -> Mapping[str, Any] | str | None:
        """Ask a question of the server; return the answer to send, or `None` if it was refused.

        No rule can answer the question, since it is addressed to the person.
        """
        call = self._context.call
        request = ReviewRequest(
            text,
            Risk(f"server {self._server}", source="MCP"),
            arguments,
            asked_by=f"the server '{self._server}' asks this; your answer is sent to it",
            place=self._context.place,
            digest=call.digest(self._context, self._server) if call is not None else "",
            **more,
        )
        decision = await decide(self._context, None, lambda _: request)
        if isinstance(decision, Refused):
            return None
        return decision.decision.arguments if isinstance(decision.decision, Edit) else arguments
