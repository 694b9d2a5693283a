"""Text places: where a text of the command line goes that no name was given for."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.tools.base import Tool
from toolkit_cli.arguments.conversion import Schemas

USAGE = "write name=value, name:=json or name=@file"


class TextPlace(NamedTuple):
    """Where a text goes.

    Attributes:
        parameter: The parameter that takes it, if there is one.
        takes_object: Whether a JSON object holds all arguments instead.
        is_open: Whether it has no text yet.
        hint: Where there is no such place, what to write.
    """

    parameter: str | None = None
    takes_object: bool = False
    is_open: bool = False
    hint: str = USAGE


def text_place(tool: Tool, schemas: Schemas, arguments: Mapping[str, Any]) -> TextPlace:
    """Return where a text goes: the kind of the tool decides, as in a pipeline.

    A tool that a pipeline sends JSON takes an object of arguments, and any other text for its one required text; every
    other tool takes an object where it has no place for a text.
    """
    if tool.pipe == "text" and "input" in schemas.properties:
        return TextPlace("input", is_open="input" not in arguments)
    place = _place_by_schema(tool, schemas, arguments)
    if tool.pipe == "json":
        return place._replace(takes_object=True, is_open=any(name not in arguments for name in tool.spec.required))
    return place._replace(takes_object=place.parameter is None)


def _place_by_schema(tool: Tool, schemas: Schemas, arguments: Mapping[str, Any]) -> TextPlace:
    texts = [name for name in tool.spec.required if "string" in schemas.of(name).kinds()]
    still_open = [name for name in texts if name not in arguments]
    if len(still_open) == 1:
        return TextPlace(still_open[0], is_open=True)
    if still_open:
        return TextPlace(hint=f"say which it is: {' or '.join(f'{name}=…' for name in still_open)}")
    return TextPlace(texts[0] if len(texts) == 1 else None, hint=USAGE if schemas.properties else "it takes none")
