"""Attachments that a tool returns besides its text, and results as the content blocks of MCP."""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from toolkit.json_texts import json_text
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.foreign_values import kind_of, short_repr
from toolkit.tools.calls.results import NO_MESSAGE, ToolResult

Kind = Literal["image", "audio", "resource", "link"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """An image, audio, a document or a link, as MCP servers send and MCP clients receive it.

    Example:
        >>> from toolkit.tools import Attachment
        >>> Attachment("image", "image/png", b"PNG").words
        '[image image/png, 3 bytes]'

    Attributes:
        kind: `image`, `audio`, `resource` for any other content, or `link` for a reference without content.
        media_type: The media type, such as `image/png`; empty if unknown.
        data: The content; empty for a link.
        uri: The URI of a resource or a link.
        is_text: Whether the content is UTF-8 text, which is possible for a resource.
        details: Other properties of the protocol: `name`, `title`, `description`, `icons` and so on.

    Raises:
        ValueError: If the kind is none of these.
        TypeError: If the content is not bytes.
    """

    kind: Kind
    media_type: str
    data: bytes = field(default=b"", repr=False)
    uri: str | None = None
    is_text: bool = field(default=False, kw_only=True)
    details: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        """Check the kind and the content, which could otherwise not be sent to an MCP client."""
        if self.kind not in get_args(Kind):
            kinds = ", ".join(map(repr, get_args(Kind)))
            raise ValueError(f"the kind of an attachment must be one of {kinds}, not {short_repr(self.kind)}")
        if not isinstance(self.data, bytes):
            raise TypeError(f"the content of an attachment must be bytes, not {kind_of(self.data)}")

    @property
    def words(self) -> str:
        """The text form of the attachment: its text content, or its type and size."""
        if self.is_text:
            return self.data.decode(errors="replace")
        if self.kind == "link":
            return f"[resource {self.details.get('name') or self.uri}: {self.uri}]"
        what = self.uri if self.kind == "resource" else self.media_type
        return f"[{self.kind} {what}, {len(self.data)} bytes]"

    def redacted(self, redactor: Redactor) -> "Attachment":
        """Return a copy with all known secrets masked; in binary data, other bytes keep their positions."""
        if self.is_text:
            data = redactor.text(self.data.decode(errors="replace")).encode()
        else:
            data = _mask_bytes(self.data, redactor)
        uri = None if self.uri is None else redactor.text(self.uri)
        return replace(self, data=data, uri=uri, details=redactor.data(dict(self.details)))


def attachments_in(artifact: Any) -> tuple[Attachment, ...]:
    """Return the attachments in an artifact that is an attachment, or a list or tuple of only attachments."""
    if isinstance(artifact, Attachment):
        return (artifact,)
    is_many = isinstance(artifact, list | tuple) and all(isinstance(one, Attachment) for one in artifact)
    return tuple(artifact) if is_many else ()


def holds_attachments(annotation: Any) -> bool:
    """Return whether a type contains `Attachment`, which has no JSON Schema."""
    return annotation is Attachment or any(holds_attachments(part) for part in get_args(annotation))


def _mask_bytes(data: bytes, redactor: Redactor) -> bytes:
    text = data.decode("latin-1")
    return redactor.stars(text).encode("latin-1") if redactor.spans(text) else data


_NO_URI = "attachment:"
_DETAILS = ("name", "title", "description", "icons", "size", "annotations")


def result_of_contents(
    blocks: Sequence[Mapping[str, Any]], structured: Any = None, *, error_code: str | int | None = None
) -> ToolResult:
    """Convert the answer of an MCP tool to a result.

    The output consists of all text blocks, and a short text for each other block; the artifact is a tuple of the
    attachments, if there are any. An error becomes a failed result with the same structured data.

    Args:
        blocks: The content blocks.
        structured: The structured content.
        error_code: The error code of a failure; `None` for a success.
    """
    texts, attachments = _read(blocks)
    if not texts and structured is not None:
        texts = [json_text(structured, separators=(",", ":"))]
    text = "\n".join(texts)
    artifact = tuple(attachments) or None
    if error_code is not None:
        return ToolResult("", text or NO_MESSAGE, error_code, structured, artifact)
    return ToolResult(text, structured=structured, artifact=artifact)


def pieces_of(output: str, attachments: Sequence[Attachment]) -> list[str | Attachment]:
    """Split the text of a result into pieces, with each attachment at its position.

    Args:
        output: The text. If it contains the text form of an attachment, the attachment replaces it.
        attachments: The attachments; those that do not occur in the text come last.
    """
    pieces: list[str | Attachment] = []
    last: list[str | Attachment] = []
    rest = output
    for one in attachments:
        parts = _split_at(rest, one.words)
        if parts is None:
            last.append(one)
            continue
        before, rest = parts
        pieces += [before, one] if before else [one]
    if rest or not (pieces or last):
        pieces.append(rest)
    return [*pieces, *last]


def block_of(attachment: Attachment) -> dict[str, Any]:
    media_type = attachment.media_type or None
    uri = attachment.uri or _NO_URI
    block: dict[str, Any] = {"type": attachment.kind}
    if attachment.kind == "link":
        name = attachment.details.get("name") or uri.rstrip("/").rpartition("/")[2]
        block = {"type": "resource_link", "name": name, "uri": uri, "mimeType": media_type}
    elif attachment.kind == "resource":
        content = {"text": attachment.words} if attachment.is_text else {"blob": _encode(attachment)}
        block["resource"] = {"uri": uri, "mimeType": media_type, **content}
    else:
        block |= {"mimeType": media_type or f"{attachment.kind}/*", "data": _encode(attachment)}
    return {**attachment.details, **block}


def _split_at(text: str, words: str) -> tuple[str, str] | None:
    """Return the text before and after `words` if they are on separate lines, or `None` if they do not occur so."""
    start = text.find(words)
    while start >= 0 and words:
        end = start + len(words)
        if text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n"):
            return text[:start].removesuffix("\n"), text[end:].removeprefix("\n")
        start = text.find(words, start + 1)
    return None


def _encode(attachment: Attachment) -> str:
    return b64encode(attachment.data).decode()


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
    """Return the other properties of a block, unchanged."""
    return {key: block[key] for key in _DETAILS if key in block}


def _bytes(encoded: str) -> bytes:
    try:
        return b64decode(encoded, validate=True)
    except ValueError:
        return b""
