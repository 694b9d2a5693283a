"""Attachments: what a tool gives beside its text: a picture, a recording, a document, or the address of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from toolkit.redactors.redactor import Redactor

Kind = Literal["image", "audio", "resource", "link"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture, a recording, a document, or the address of one, as the MCP server sends it and the client gives it.

    Example:
        >>> from toolkit.tools import Attachment
        >>> Attachment("image", "image/png", b"PNG").words
        '[image image/png, 3 bytes]'

    Attributes:
        kind: `image`, `audio`, `resource` for any other content, or `link` for one that is only named.
        media_type: What it is, such as `image/png`; empty if unknown.
        data: Its bytes; empty for a link.
        uri: What a resource or a link is called.
        is_text: Whether the bytes are text in UTF-8, as those of a resource may be.
        details: Its other properties, as the protocol writes them: `name`, `title`, `description`, `icons`, and so on.
    """

    kind: Kind
    media_type: str
    data: bytes = field(default=b"", repr=False)
    uri: str | None = None
    is_text: bool = field(default=False, kw_only=True)
    details: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    @property
    def words(self) -> str:
        """What stands for it in a text: the text itself, or what it is and how large."""
        if self.is_text:
            return self.data.decode(errors="replace")
        if self.kind == "link":
            return f"[resource {self.details.get('name') or self.uri}: {self.uri}]"
        what = self.uri if self.kind == "resource" else self.media_type
        return f"[{self.kind} {what}, {len(self.data)} bytes]"

    def redacted(self, redactor: Redactor) -> "Attachment":
        """Return it with a mask for every secret that can be read in it; bytes keep their places."""
        if self.is_text:
            data = redactor.text(self.data.decode(errors="replace")).encode()
        else:
            data = _starred(self.data, redactor)
        uri = None if self.uri is None else redactor.text(self.uri)
        return replace(self, data=data, uri=uri, details=redactor.data(dict(self.details)))


def attachments_in(artifact: Any) -> tuple[Attachment, ...]:
    """Return the attachments that an artifact is: one, or a list or tuple of nothing else."""
    if isinstance(artifact, Attachment):
        return (artifact,)
    is_many = isinstance(artifact, list | tuple) and all(isinstance(one, Attachment) for one in artifact)
    return tuple(artifact) if is_many else ()


def holds_attachments(annotation: Any) -> bool:
    """Return whether a type is that of attachments, which no JSON Schema describes."""
    return annotation is Attachment or any(holds_attachments(part) for part in get_args(annotation))


def _starred(data: bytes, redactor: Redactor) -> bytes:
    text = data.decode("latin-1")
    return redactor.stars(text).encode("latin-1") if redactor.spans(text) else data
