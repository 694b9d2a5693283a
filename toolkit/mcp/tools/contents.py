"""Contents: what a server answers, as a result of ours: text for models, plain data for programs, artifacts."""

from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
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
from toolkit.tools.results import NO_MESSAGE, ToolResult

LARGEST_TEXT = 4 * 1024 * 1024
"""Characters that the text of one result may have."""


_ERROR_CODE = "toolkit/error_code"
"""Where our own server says what kind of failure it was."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """What a server sent beside text: a picture, a recording, or a resource of its own.

    Attributes:
        kind: `image`, `audio`, `resource`, or `link` for one that was only named.
        media_type: What it is, such as `image/png`; empty where the server does not say.
        data: Its bytes; empty for a link.
        uri: What the server calls it, if it has a name there.
    """

    kind: str
    media_type: str
    data: bytes = field(default=b"", repr=False)
    uri: str | None = None


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
    if answer.is_error:
        code = (answer.meta or {}).get(_ERROR_CODE)
        told = code if isinstance(code, str | int) else "error"
        return ToolResult(error=text or NO_MESSAGE, error_code=told, structured=answer.structured_content)
    return ToolResult(text, structured=answer.structured_content, artifact=tuple(attachments) or None)


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return a result in whose text and data there are stars for every secret that the server was sent."""
    if not redactor:
        return result
    return ToolResult(
        redactor.text(result.output),
        None if result.error is None else redactor.text(result.error),
        result.error_code,
        redactor.data(result.structured),
        result.artifact,
    )


def _read(blocks: Sequence[Any]) -> tuple[list[str], list[Attachment]]:
    texts: list[str] = []
    attachments: list[Attachment] = []
    for block in blocks:
        texts.append(_words_for(block))
        attachments += _attached(block)
    return texts, attachments


def _words_for(block: Any) -> str:
    match block:
        case TextContent(text=text):
            return text
        case ImageContent() | AudioContent():
            return f"[{block.type} {block.mime_type}, {_size(block.data)} bytes]"
        case ResourceLink(uri=uri, name=name):
            return f"[resource {name}: {uri}]"
        case EmbeddedResource(resource=TextResourceContents(text=text)):
            return text
        case EmbeddedResource(resource=BlobResourceContents(uri=uri, blob=blob)):
            return f"[resource {uri}, {_size(blob)} bytes]"
    return f"[{getattr(block, 'type', type(block).__name__)}]"


def _attached(block: Any) -> Iterator[Attachment]:
    match block:
        case ImageContent() | AudioContent():
            yield Attachment(block.type, block.mime_type, _bytes(block.data))
        case ResourceLink(uri=uri):
            yield Attachment("link", block.mime_type or "", uri=str(uri))
        case EmbeddedResource(resource=TextResourceContents() as resource):
            yield Attachment("resource", resource.mime_type or "text/plain", resource.text.encode(), str(resource.uri))
        case EmbeddedResource(resource=BlobResourceContents() as resource):
            yield Attachment("resource", resource.mime_type or "", _bytes(resource.blob), str(resource.uri))


def _bytes(encoded: str) -> bytes:
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return b""


def _size(encoded: str) -> int:
    return len(_bytes(encoded))
