"""Converts the outputs of pydantic-ai's tools (a `ToolReturn`, an image, any value) to a ToolResult."""

from collections.abc import Iterable
from typing import Any

from toolkit.frameworks.result_parts import attachment_of, result_of_parts
from toolkit.tools.foreign_values import has_base, kind_of


def result_of_output(value: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    if kind_of(value) == "ToolReturn":
        content = value.content
        more = [] if content is None else [content] if isinstance(content, str) else content
        return result_of_parts(_parts([value.return_value, *more]), artifact=value.metadata)
    if _is_binary(value) or (isinstance(value, list | tuple) and any(map(_is_binary, value))):
        return result_of_parts(_parts(value if isinstance(value, list | tuple) else [value]))
    return value


def _parts(values: Iterable[Any]) -> Iterable[Any]:
    """Yield values, with binary content as attachments."""
    for value in values:
        yield attachment_of(value.media_type, value.data) if _is_binary(value) else value


def _is_binary(value: Any) -> bool:
    return has_base(type(value), "BinaryContent")
