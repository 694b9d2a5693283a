"""Converts the outputs of OpenAI Agents' tools (texts, images, files, any value) to a ToolResult."""

from collections.abc import Mapping
from mimetypes import guess_type
from typing import Any

from toolkit.frameworks.result_parts import attachment_of, attachment_of_data_url, result_of_parts
from toolkit.tools.attachments import Attachment
from toolkit.tools.foreign_values import kind_of

_KINDS = {"ToolOutputText": "text", "ToolOutputImage": "image", "ToolOutputFileContent": "file"}


def result_of_output(output: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    parts = output if isinstance(output, list) else [output]
    if not any(kind_of(part) in _KINDS for part in parts):
        return output
    return result_of_parts(map(_part, parts))


def _part(value: Any) -> Any:
    """Return a piece of an output as text or attachment, or as plain data if it is neither."""
    kind = _KINDS.get(kind_of(value))
    if kind is None:
        return value
    fields: Mapping[str, Any] = value.model_dump(exclude_none=True)
    if kind == "text":
        return fields["text"]
    if kind == "image":
        return attachment_of_data_url(fields.get("image_url", "")) or fields
    return _file(fields.get("file_data", ""), fields.get("filename")) or fields


def _file(data: str, name: str | None) -> Attachment | None:
    """Return the attachment of a file that is embedded in the output."""
    if not data or data.startswith("data:"):
        return attachment_of_data_url(data)
    return attachment_of(guess_type(name or "")[0] or "application/octet-stream", data)
