"""Convert the text and attachments of a result to content blocks for the client, in their order."""

from collections.abc import Callable, Mapping, Sequence

import mcp_types as types

from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import Attachment
from toolkit.tools.protocol_contents import block_of, pieces_of

LARGEST = 8 * 1024 * 1024
"""Maximum total size of the attachments of a result, in bytes."""

_BLOCKS: Mapping[str, type[types.ImageContent | types.AudioContent | types.EmbeddedResource | types.ResourceLink]] = {
    "image": types.ImageContent,
    "audio": types.AudioContent,
    "resource": types.EmbeddedResource,
    "link": types.ResourceLink,
}


def blocks_of(
    output: str, attachments: Sequence[Attachment], redactor: Redactor, text_block: Callable[[str], types.TextContent]
) -> list[types.ContentBlock]:
    """Return the content blocks of a result.

    Args:
        output: The text of the result; placeholders in it are replaced by their attachments.
        attachments: The attachments; those without a placeholder in the text come last.
        redactor: Masks secrets in the attachments.
        text_block: Creates the block of a text.
    """
    blocks: list[types.ContentBlock] = []
    room = LARGEST
    for piece in pieces_of(output, attachments):
        if isinstance(piece, str):
            blocks.append(text_block(piece))
            continue
        room -= len(piece.data)
        block = _block_of(piece.redacted(redactor)) if room >= 0 else f"the attachments have more than {LARGEST} bytes"
        if isinstance(block, str):
            what = piece.uri or piece.media_type
            block = text_block(f"[{piece.kind} {what}, {len(piece.data)} bytes, left out: {block}]")
        blocks.append(block)
    return blocks


def _block_of(attachment: Attachment) -> types.ContentBlock | str:
    """Return the content block of an attachment, or why it cannot be sent."""
    try:
        return _BLOCKS[attachment.kind].model_validate(block_of(attachment))
    except ValueError:
        return "the protocol cannot express it"
