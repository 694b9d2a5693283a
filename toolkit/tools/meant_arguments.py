"""Meant arguments: what a model sent, read as it meant it.

Models write JSON inside JSON, `"true"` for true, and the values of enumerations in another case. Each of these is read
only where the schema would refuse what was written, so that nothing changes which was right, and all of it is logged.
What a person has written is never read so.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.tools.callees import Arguments, Callee
from toolkit.tools.repairing import repaired
from toolkit.tools.secret_arguments import members_of
from toolkit.tools.shapes.argument_schemas import ArgumentSchema
from toolkit.tools.shapes.unknown_members import unknown_members

_OBJECTS = (dict, Mapping)  # mostly a plain dict, which is found out much quicker than another mapping
_BOOLEANS = {"true": True, "false": False}
_NAMED = re.compile(r"(\S+) = (\w+)")


class Meant(NamedTuple):
    """The arguments of a call as a model meant them.

    Attributes:
        arguments: The arguments.
        remark: The note for the model on members that the tool does not know and that were dropped; or nothing.
    """

    arguments: Arguments
    remark: str = ""


def as_meant(tool: Callee, sent: Arguments) -> Meant:
    """Return what a model sent as it meant it, and log how it was read."""
    arguments, data = _opened(sent) if isinstance(sent, str) else (sent, sent)
    if data is None:
        return Meant(arguments)
    readings = [] if arguments is sent else ["the whole as the JSON object in it"]
    try:
        read = _Reader(readings).read(tool.argument_schema, data, "")
        remark = _remark_on_unknown(tool, read)
    except (RecursionError, TypeError, AttributeError):  # data too deep for any call, or a stranger's broken schema
        return Meant(arguments)
    if readings:
        tool.call_logger.info("%s: corrected what the model sent: %s", tool.name, "; ".join(readings))
    return Meant(arguments if read is data else read, remark)


def _opened(text: str) -> tuple[str, Mapping[str, Any] | None]:
    """Return arguments as the text that they were meant to be, and their members if it is an object."""
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
    """Reads arguments along their schema, and notes what it reads in another way than it was written."""

    def __init__(self, readings: list[str]) -> None:
        self._readings = readings

    def read(self, schema: ArgumentSchema, value: Any, path: str) -> Any:
        """Return a value as it was meant; the very same object where it is as the schema wants it."""
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
    """Yield what a text that does not fit a single schema may stand for."""
    if choices := schema.part.choices():
        yield from _choose(text, choices, schema.part.keywords.get("description", ""))
        return
    kinds = schema.kinds
    if "boolean" in kinds and text.strip().lower() in _BOOLEANS:
        yield _BOOLEANS[text.strip().lower()]
    if "object" in kinds or "array" in kinds:
        data = _json_in(text)
        if (isinstance(data, dict) and "object" in kinds) or (isinstance(data, list) and "array" in kinds):
            yield data


def _choose(text: str, choices: Sequence[Any], description: str) -> Iterator[Any]:
    """Yield the choices that are written like a text, but for their case, or that the description names so."""
    wanted = text.strip().casefold()
    named = {value: name.casefold() for value, name in _NAMED.findall(description)}
    for choice in choices:
        if wanted in (choice.casefold() if isinstance(choice, str) else None, named.get(str(choice))):
            yield choice


def _json_in(text: str) -> Any:
    from pydantic_core import from_json

    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "a boolean"
    return "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)
