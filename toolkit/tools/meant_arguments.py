"""Corrects obvious mistakes in arguments that a model has written.

Models write JSON strings that contain JSON, `"true"` instead of true, and enum values in the wrong case. Such a value
is corrected only if the schema would reject it, so valid arguments never change, and every correction is logged.
Arguments written by a person are not corrected.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.tools.callees import Arguments, Callee
from toolkit.tools.repairing import json_in, repaired
from toolkit.tools.secret_arguments import members_of
from toolkit.tools.shapes.argument_schemas import ArgumentSchema
from toolkit.tools.shapes.unknown_members import unknown_members

_OBJECTS = (dict, Mapping)  # `dict` first, since that check is much faster
_BOOLEANS = {"true": True, "false": False}
_NAMED = re.compile(r"(\S+) = (\w+)")


class Meant(NamedTuple):
    """The corrected arguments of a call.

    Attributes:
        arguments: The arguments.
        remark: A note for the model about unknown parameters that were ignored, or an empty string.
    """

    arguments: Arguments
    remark: str = ""


def as_meant(tool: Callee, sent: Arguments) -> Meant:
    """Correct the arguments that a model has sent, and log the corrections."""
    arguments, data = _parsed(sent) if isinstance(sent, str) else (sent, sent)
    if data is None:
        return Meant(arguments)
    readings = [] if arguments is sent else ["malformed JSON as an object"]
    try:
        read = _Reader(readings).read(tool.argument_schema, data, "")
        remark = _remark_on_unknown(tool, read)
    except (RecursionError, TypeError, AttributeError):  # the data is too deep, or a schema from outside is broken
        return Meant(arguments)
    if readings:
        tool.call_logger.info("%s: corrected what the model sent: %s", tool.name, "; ".join(readings))
    return Meant(arguments if read is data else read, remark)


def _parsed(text: str) -> tuple[str, Mapping[str, Any] | None]:
    """Return arguments as JSON text, repaired if necessary, and their members if it is an object."""
    if (data := members_of(text)) is not None:
        return text, data
    mended = repaired(text)
    return mended, None if mended is text else members_of(mended)


def _remark_on_unknown(tool: Callee, data: Mapping[str, Any]) -> str:
    if not tool.ignores_unknown:
        return ""
    found = unknown_members(tool.argument_schema, data)
    meant = [f"Parameter {one.path!r} is unknown and was ignored; {one.meant}" for one in found if one.meant]
    return "\n".join(meant)


class _Reader:
    """Corrects arguments according to their schema, and records each correction."""

    def __init__(self, readings: list[str]) -> None:
        self._readings = readings

    def read(self, schema: ArgumentSchema, value: Any, path: str) -> Any:
        """Return the corrected value, or the same object if nothing was corrected."""
        if isinstance(value, str):
            return value if schema.takes_any_text else self._text(schema, value, path)
        if isinstance(value, _OBJECTS):
            return self._object(schema.as_object, value, path)
        return self._list(schema.as_list, value, path) if isinstance(value, list) else value

    def _object(self, schema: ArgumentSchema, value: Mapping[str, Any], path: str) -> Mapping[str, Any]:
        read = {
            name: self.read(schema.member(name), one, f"{path}.{name}" if path else str(name))
            for name, one in value.items()
        }
        return value if all(read[name] is one for name, one in value.items()) else read

    def _list(self, schema: ArgumentSchema, value: list[Any], path: str) -> list[Any]:
        read = [self.read(schema.item(index), one, f"{path}[{index}]") for index, one in enumerate(value)]
        return value if all(new is old for new, old in zip(read, value, strict=True)) else read

    def _text(self, schema: ArgumentSchema, text: str, path: str) -> Any:
        if any(text in one.part.choices() for one in schema.alternatives):
            return text
        found = [reading for one in schema.alternatives for reading in _readings_of(text, one)]
        if len(found) != 1:
            return text
        self._readings.append(f"{path!r} as {_kind(found[0])}")
        return self.read(schema, found[0], path)


def _readings_of(text: str, schema: ArgumentSchema) -> Iterator[Any]:
    """Yield the possible corrections of a string that is not valid for a schema."""
    if choices := schema.part.choices():
        yield from _choose(text, choices, schema.part.keywords.get("description", ""))
        return
    kinds = schema.kinds
    if "boolean" in kinds and text.strip().lower() in _BOOLEANS:
        yield _BOOLEANS[text.strip().lower()]
    if "object" in kinds or "array" in kinds:
        data = json_in(text)
        if (isinstance(data, dict) and "object" in kinds) or (isinstance(data, list) and "array" in kinds):
            yield data


def _choose(text: str, choices: Sequence[Any], description: str) -> Iterator[Any]:
    """Yield the choices that match a string except for case, by value or by their name in the description."""
    wanted = text.strip().casefold()
    named = {value: name.casefold() for value, name in _NAMED.findall(description)}
    for choice in choices:
        if wanted in (choice.casefold() if isinstance(choice, str) else None, named.get(str(choice))):
            yield choice


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)
