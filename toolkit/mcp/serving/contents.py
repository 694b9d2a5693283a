"""Contents: the text of a result and its attachments, as the blocks that a client is sent, each in its place."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mcp_types as types

from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import Attachment

LARGEST = 8 * 1024 * 1024
"""Bytes that the attachments of one result may have together."""

_NO_URI = "attachment:"
_BLOCKS: Mapping[str, type[types.ImageContent | types.AudioContent | types.EmbeddedResource | types.ResourceLink]] = {
    "image": types.ImageContent,
    "audio": types.AudioContent,
    "resource": types.EmbeddedResource,
    "link": types.ResourceLink,
}


def blocks_of(
    output: str, attachments: Sequence[Attachment], redactor: Redactor, text_block: Callable[[str], types.TextContent]
) -> list[types.ContentBlock]:
    """Return the content of a result.

    Args:
        output: Its text, in which the words for an attachment may stand; these make way for it.
        attachments: What is sent beside the text; those of which the text says nothing come last.
        redactor: Keeps secrets out of the attachments.
        text_block: Makes a block of a text.
    """
    blocks: list[types.ContentBlock] = []
    last: list[types.ContentBlock] = []
    rest = output
    room = LARGEST
    for one in attachments:
        room -= len(one.data)
        block = _block_of(one.redacted(redactor)) if room >= 0 else f"more than {LARGEST} bytes are not sent at once"
        if isinstance(block, str):
            block = text_block(f"[{one.kind} {one.uri or one.media_type}, {len(one.data)} bytes, left out: {block}]")
        parts = _parted(rest, one.words)
        if parts is None:
            last.append(block)
            continue
        before, rest = parts
        blocks += [text_block(before), block] if before else [block]
    if rest or not (blocks or last):
        blocks.append(text_block(rest))
    return [*blocks, *last]


def _parted(text: str, words: str) -> tuple[str, str] | None:
    """Return what stands before and after words that are lines of their own; None if they are not there."""
    start = text.find(words)
    while start >= 0 and words:
        end = start + len(words)
        if text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n"):
            return text[:start].removesuffix("\n"), text[end:].removeprefix("\n")
        start = text.find(words, start + 1)
    return None


def _block_of(attachment: Attachment) -> types.ContentBlock | str:
    """Return the block of an attachment, or why there can be none."""
    try:
        return _BLOCKS[attachment.kind].model_validate({**attachment.details, **_members_of(attachment)})
    except ValueError:
        return "the protocol has no place for its details"


def _members_of(attachment: Attachment) -> dict[str, Any]:
    media_type = attachment.media_type or None
    uri = attachment.uri or _NO_URI
    if attachment.kind == "link":
        name = attachment.details.get("name") or uri.rstrip("/").rpartition("/")[2]
        return {"type": "resource_link", "name": name, "uri": uri, "mimeType": media_type}
    if attachment.kind == "resource":
        content = {"text": attachment.words} if attachment.is_text else {"blob": _encoded(attachment)}
        return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, **content}}
    return {"type": attachment.kind, "mimeType": media_type or f"{attachment.kind}/*", "data": _encoded(attachment)}


def _encoded(attachment: Attachment) -> str:
    return b64encode(attachment.data).decode()
