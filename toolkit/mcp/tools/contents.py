"""Contents: what a server answers, as a result of ours: text for models, plain data for programs, artifacts."""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from toolkit.json_texts import json_text
from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import Attachment, attachments_in
from toolkit.tools.results import NO_MESSAGE, ToolResult

LARGEST_TEXT = 4 * 1024 * 1024
"""Characters that the text of one result may have."""

_DETAILS = {"name", "title", "description", "icons", "size", "annotations"}
_ERROR_CODE = "toolkit/error_code"
"""Where our own server says what kind of failure it was."""


def result_from(answer: CallToolResult) -> ToolResult:
    """Return an answer of a server as a result.

    The text is all that the server says in text, and a word for everything else; the artifact is a tuple of the
    Attachments, where there are any. An error of the tool is a failed result with the same structured data.
    """
    texts, attachments = _read(answer.content)
    if not texts and answer.structured_content is not None:
        texts = [json_text(answer.structured_content, separators=(",", ":"))]
    text = "\n".join(texts)
    if len(text) > LARGEST_TEXT:
        message = f"the server's answer has {len(text)} characters, more than the {LARGEST_TEXT} that are taken"
        return ToolResult.failure(message, "too_large")
    artifact = tuple(attachments) or None
    if answer.is_error:
        code = (answer.meta or {}).get(_ERROR_CODE)
        told = code if isinstance(code, str | int) else "error"
        return ToolResult("", text or NO_MESSAGE, told, answer.structured_content, artifact)
    return ToolResult(text, structured=answer.structured_content, artifact=artifact)


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return a result in whose text and data there are stars for every secret that the server was sent."""
    if not redactor:
        return result
    return ToolResult(
        redactor.text(result.output),
        None if result.error is None else redactor.text(result.error),
        result.error_code,
        redactor.data(result.structured),
        tuple(one.redacted(redactor) for one in attachments_in(result.artifact)) or None,
    )


def _read(blocks: Sequence[Any]) -> tuple[list[str], list[Attachment]]:
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks:
        attachment = _attachment(block)
        if attachment is not None:
            attachments.append(attachment)
            texts.append(attachment.words)
        else:
            texts.append(block.text if isinstance(block, TextContent) else f"[{type(block).__name__}]")
    return texts, attachments


def _attachment(block: Any) -> Attachment | None:
    match block:
        case ImageContent(type="image") | AudioContent(type="audio"):
            return Attachment(block.type, block.mime_type, _bytes(block.data), details=_details(block))
        case ResourceLink(uri=uri, mime_type=media_type):
            return Attachment("link", media_type or "", uri=str(uri), details=_details(block))
        case EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=media_type, text=text)):
            data, kind = text.encode(errors="replace"), media_type or "text/plain"
            return Attachment("resource", kind, data, str(uri), is_text=True, details=_details(block))
        case EmbeddedResource(resource=BlobResourceContents(uri=uri, mime_type=media_type, blob=blob)):
            return Attachment("resource", media_type or "", _bytes(blob), str(uri), details=_details(block))
    return None


def _details(block: Any) -> dict[str, Any]:
    """Return what else a server says of what it sends, as it says it."""
    told: dict[str, Any] = block.model_dump(mode="json", by_alias=True, exclude_none=True, include=_DETAILS)
    return told


def _bytes(encoded: str) -> bytes:
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return b""
