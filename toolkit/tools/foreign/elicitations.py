"""Forms that an MCP server asks a person to fill in, and the questions that bring them to the reviewer."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from toolkit.approvals.decisions import Edit, Refused, ReviewRequest
from toolkit.approvals.policies import Risk
from toolkit.errors import ToolArgumentsError
from toolkit.tools.context import ToolContext
from toolkit.tools.questions import decide
from toolkit.tools.shapes.schema_shapes import shape_of_schema


class Form:
    """A form requested by a server."""

    def __init__(self, requested: Mapping[str, Any]) -> None:
        """Create a form.

        Args:
            requested: The JSON Schema of the requested object, as received from the server.
        """
        self.schema: dict[str, Any] = {"type": "object", **requested, "additionalProperties": False}
        self._members: Mapping[str, Any] = self.schema.get("properties") or {}
        self._shape = shape_of_schema(self.schema, foreign=True)

    @property
    def only_text(self) -> str | None:
        """The name of the only member if it is a string without a list of choices, otherwise `None`."""
        if len(self._members) != 1:
            return None
        name, part = next(iter(self._members.items()))
        is_plain = isinstance(part, Mapping) and part.get("type") == "string" and not {"enum", "oneOf"} & set(part)
        return name if is_plain else None

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The server's default values."""
        parts = self._members.items()
        return {name: part["default"] for name, part in parts if isinstance(part, Mapping) and "default" in part}

    @property
    def notes(self) -> Mapping[str, Any] | None:
        """The description and the choices of each member."""
        notes = {}
        for name, part in self._members.items():
            if isinstance(part, Mapping):
                listed = part.get("enum") or [
                    one.get("const") for one in part.get("oneOf", ()) if isinstance(one, Mapping)
                ]
                choices = f"one of {', '.join(map(str, listed))}" if listed else ""
                if note := "; ".join(filter(None, [described(part), choices])):
                    notes[name] = note
        return notes or None

    def note_of(self, name: str) -> str:
        """Return the title and the description of a member."""
        return described(self._members[name])

    def read(self, answer: Mapping[str, Any] | str) -> Mapping[str, Any]:
        """Return an answer that is valid for the schema.

        Raises:
            ToolArgumentsError: If the answer is not valid.
        """
        read: Mapping[str, Any] = self._shape.read(answer, drops_nulls=False)
        return read

    def objection(self, answer: Mapping[str, Any] | str) -> str | None:
        """Return why an answer is not valid, or `None` if it is."""
        try:
            self.read(answer)
        except ToolArgumentsError as error:
            return str(error)
        return None


def described(part: Any) -> str:
    """Return the title and the description of a schema."""
    return ": ".join(str(part[key]) for key in ("title", "description") if part.get(key))


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
                return Answer("accept", form.read(answer))
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
