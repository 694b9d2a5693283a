"""Contents: the text of a result and its attachments, as the blocks that a client is sent, each in its place."""

from collections.abc import Callable, Mapping, Sequence

import mcp_types as types

from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import Attachment
from toolkit.tools.protocol_contents import block_of, pieces_of

LARGEST = 8 * 1024 * 1024
"""Bytes that the attachments of one result may have together."""

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
        attachments: What is sent beside the text; those without a word in the text come last.
        redactor: Keeps secrets out of the attachments.
        text_block: Makes a block of a text.
    """
    blocks: list[types.ContentBlock] = []
    room = LARGEST
    for piece in pieces_of(output, attachments):
        if isinstance(piece, str):
            blocks.append(text_block(piece))
            continue
        room -= len(piece.data)
        block = _block_of(piece.redacted(redactor)) if room >= 0 else f"more than {LARGEST} bytes are not sent at once"
        if isinstance(block, str):
            what = piece.uri or piece.media_type
            block = text_block(f"[{piece.kind} {what}, {len(piece.data)} bytes, left out: {block}]")
        blocks.append(block)
    return blocks


def _block_of(attachment: Attachment) -> types.ContentBlock | str:
    """Return the block of an attachment, or why there can be none."""
    try:
        return _BLOCKS[attachment.kind].model_validate(block_of(attachment))
    except ValueError:
        return "the protocol has no place for its details"
