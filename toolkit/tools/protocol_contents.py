"""Contents of the protocol (MCP), as JSON has them: text for models, plain data for programs, artifacts."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.json_texts import json_text
from toolkit.tools.attachments import Attachment
from toolkit.tools.results import NO_MESSAGE, ToolResult

_DETAILS = ("name", "title", "description", "icons", "size", "annotations")


def result_of_contents(
    blocks: Sequence[Mapping[str, Any]], structured: Any = None, *, error_code: str | int | None = None
) -> ToolResult:
    """Return what a tool answers as a result.

    The text is all that it says in text, and a word for everything else; the artifact is a tuple of the Attachments,
    where there are any. An error of the tool is a failed result with the same structured data.

    Args:
        blocks: The blocks of content.
        structured: The structured content.
        error_code: The kind of failure; None for a success.
    """
    texts, attachments = _read(blocks)
    if not texts and structured is not None:
        texts = [json_text(structured, separators=(",", ":"))]
    text = "\n".join(texts)
    artifact = tuple(attachments) or None
    if error_code is not None:
        return ToolResult("", text or NO_MESSAGE, error_code, structured, artifact)
    return ToolResult(text, structured=structured, artifact=artifact)


def _read(blocks: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[Attachment]]:
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks:
        attachment = _attachment(block)
        if attachment is not None:
            attachments.append(attachment)
            texts.append(attachment.words)
        else:
            texts.append(block["text"] if block.get("type") == "text" else f"[{block.get('type')}]")
    return texts, attachments


def _attachment(block: Mapping[str, Any]) -> Attachment | None:
    match block:
        case {"type": "image" | "audio" as kind, "data": data}:
            return Attachment(kind, block.get("mimeType", ""), _bytes(data), details=_details(block))
        case {"type": "resource_link", "uri": uri}:
            return Attachment("link", block.get("mimeType", ""), uri=uri, details=_details(block))
        case {"type": "resource", "resource": {"uri": uri, "text": text} as named}:
            data, media_type = text.encode(errors="replace"), named.get("mimeType", "text/plain")
            return Attachment("resource", media_type, data, uri, is_text=True, details=_details(block))
        case {"type": "resource", "resource": {"uri": uri, "blob": blob} as named}:
            return Attachment("resource", named.get("mimeType", ""), _bytes(blob), uri, details=_details(block))
    return None


def _details(block: Mapping[str, Any]) -> dict[str, Any]:
    """Return what else is said of a block, as it is said."""
    return {key: block[key] for key in _DETAILS if key in block}


def _bytes(encoded: str) -> bytes:
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return b""
