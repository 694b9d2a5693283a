"""Attachments that a tool returns besides its text: images, audio, documents, or links to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from toolkit.redactors.redactor import Redactor
from toolkit.tools.foreign_values import kind_of, short_repr

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
