"""Forms that an MCP server asks a person to fill in; only the server's defaults are filled in automatically."""

from collections.abc import Mapping
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.tools.shapes.objections import validate_again
from toolkit.tools.shapes.schema_types import shape_of_schema


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

    def objection(self, answer: Mapping[str, Any] | str) -> str | None:
        """Return why an answer is not valid, or `None` if it is."""
        try:
            self._shape.validate_text(answer) if isinstance(answer, str) else self._shape.validate_data(answer)
        except ValueError as error:
            return self._in_words(answer, error)
        return None

    def _in_words(self, answer: Mapping[str, Any] | str, error: ValueError) -> str:
        try:
            validate_again(self._shape, answer, error, drops_nulls=False)
        except ToolArgumentsError as objection:
            return str(objection)
        return str(error)


def described(part: Any) -> str:
    """Return the title and the description of a schema."""
    return ": ".join(str(part[key]) for key in ("title", "description") if part.get(key))
