"""Decides which parameter receives text that is passed without a name."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.tools.base import Tool
from toolkit_cli.arguments.conversion import Schemas

USAGE = "write name=value, name:=json or name=@file"


class TextPlace(NamedTuple):
    """The parameter for unnamed text.

    Attributes:
        parameter: The name of the parameter, if there is one.
        takes_object: Whether a JSON object is accepted as well, with all arguments.
        is_open: Whether the parameter has no value yet.
        hint: What to write instead, if there is no such parameter.
    """

    parameter: str | None = None
    takes_object: bool = False
    is_open: bool = False
    hint: str = USAGE


def text_place(tool: Tool, schemas: Schemas, arguments: Mapping[str, Any]) -> TextPlace:
    """Return the parameter for unnamed text, which depends on the kind of tool, as in a pipeline.

    A tool that takes JSON in a pipeline accepts an object with its arguments, and assigns any other text to its only
    required string parameter. Other tools accept an object only if they have no parameter for text.
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
        return TextPlace(hint=f"name the parameter: {' or '.join(f'{name}=…' for name in still_open)}")
    return TextPlace(texts[0] if len(texts) == 1 else None, hint=USAGE if schemas.properties else "it takes none")
