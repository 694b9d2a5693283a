"""Combines the pieces of a framework's result (texts, images and data) into one ToolResult."""

from binascii import Error, a2b_base64
from collections.abc import Iterable
from typing import Any

from toolkit.tools.calls.attachments import Attachment, Kind
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.outcomes import as_result


def result_of_parts(parts: Iterable[Any], *, structured: Any = None, artifact: Any = None) -> ToolResult:
    """Return texts, attachments and other values as one result, one line each.

    Args:
        parts: The pieces, in order.
        structured: The same content as plain data.
        artifact: What the framework returns for programs in addition; by default, the attachments.
    """
    pieces = list(parts)
    attachments = [part for part in pieces if isinstance(part, Attachment)]
    lines = [part.words if isinstance(part, Attachment) else as_result(part).output for part in pieces]
    return ToolResult.success(
        "\n".join(lines), structured=structured, artifact=attachments or None if artifact is None else artifact
    )


def attachment_of(media_type: str, data: bytes | str) -> Attachment | None:
    """Return bytes, or their base64 encoding, as an attachment; None if the string is not valid base64."""
    try:
        raw = data if isinstance(data, bytes) else a2b_base64(data)
    except (Error, ValueError):
        return None
    first = media_type.partition("/")[0]
    kinds: dict[str, Kind] = {"image": "image", "audio": "audio"}
    if (kind := kinds.get(first)) is not None:
        return Attachment(kind, media_type, raw)
    return Attachment("resource", media_type, raw, f"data:{media_type}")


def attachment_of_data_url(url: str) -> Attachment | None:
    """Return the content of a `data:` URL; None for any other URL."""
    head, separator, data = url.partition(";base64,")
    return attachment_of(head.removeprefix("data:"), data) if separator and head.startswith("data:") else None
