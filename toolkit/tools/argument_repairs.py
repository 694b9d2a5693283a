"""Corrects obvious mistakes in arguments that a model has written."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.tools.secret_arguments import members_of
from toolkit.tools.shapes.argument_schemas import ArgumentSchema, unknown_members

if TYPE_CHECKING:
    from toolkit.tools.callees import Arguments, Callee

_TEXT_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_FENCE = "```"


def repaired(text: str) -> str:
    """Fix common mistakes in a text if the result is a JSON object; otherwise return it unchanged.

    These are: a code fence around the text, an object that was serialized twice, quotation marks around an object with
    escaped quotation marks in it, and trailing commas.
    """
    if not text.strip():
        return text
    data = json_in(text)
    if data is NO_JSON:
        mended = _mend(text)
    elif isinstance(data, str):
        mended = data
    else:
        return text
    return mended if isinstance(json_in(mended), dict) else text


def _mend(text: str) -> str:
    mended = _remove_fence(text.strip())
    if mended.startswith('"') and mended.endswith('"') and mended[1:2] == "{":
        mended = mended[1:-1].replace('\\"', '"')
    return _TEXT_OR_TRAILING_COMMA.sub(lambda match: match[1] or "", mended)


def _remove_fence(text: str) -> str:
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    first, _, rest = text.partition("\n")
    return rest.removesuffix(_FENCE).strip() if first.strip() in (_FENCE, f"{_FENCE}json") else text


NO_JSON = object()
"""Returned for a text that is not JSON."""


def json_in(text: str) -> Any:
    """Parse JSON without the numbers that it cannot represent, or return `NO_JSON`."""
    from pydantic_core import from_json

    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return NO_JSON


_OBJECTS = (dict, Mapping)  # `dict` first, since that check is much faster
_BOOLEANS = {"true": True, "false": False}
_NAMED = re.compile(r"(\S+) = (\w+)")


class Meant(NamedTuple):
    """The corrected arguments of a call.

    Attributes:
        arguments: The arguments.
        remark: A note for the model about unknown parameters that were ignored, or an empty string.
    """

    arguments: "Arguments"
    remark: str = ""


def as_meant(tool: "Callee", sent: "Arguments") -> Meant:
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


def _remark_on_unknown(tool: "Callee", data: Mapping[str, Any]) -> str:
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
