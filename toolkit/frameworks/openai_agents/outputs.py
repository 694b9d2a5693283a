"""OpenAI Agents' outputs: what a tool returns, texts, pictures, files or any value, as a result of ours."""

from collections.abc import Mapping
from mimetypes import guess_type
from typing import Any

from toolkit.frameworks.parts import attachment_of, attachment_of_data_url, result_of_parts
from toolkit.tools.attachments import Attachment
from toolkit.tools.foreign_values import kind_of

_KINDS = {"ToolOutputText": "text", "ToolOutputImage": "image", "ToolOutputFileContent": "file"}


def result_of_output(output: Any) -> Any:
    """Return what a tool returned as a result, or as a value that is to become one."""
    parts = output if isinstance(output, list) else [output]
    if not any(kind_of(part) in _KINDS for part in parts):
        return output
    return result_of_parts(map(_part, parts))


def _part(value: Any) -> Any:
    """Return a piece as a text or an attachment, or as the data that it is."""
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
    """Return a file that stands in the output itself."""
    if not data or data.startswith("data:"):
        return attachment_of_data_url(data)
    return attachment_of(guess_type(name or "")[0] or "application/octet-stream", data)
