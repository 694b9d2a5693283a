"""Convert the results of calls to answers for clients: complete, valid against the output schema, without secrets."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import mcp_types as types
from mcp_types.version import LATEST_HANDSHAKE_VERSION

from toolkit.dialects.client_results import STRUCTURED, says_the_same
from toolkit.json_texts import json_text
from toolkit.mcp.serving.catalogs import Definition
from toolkit.redactors.redactor import Redactor
from toolkit.tools.calls.attachments import Attachment, attachments_in, block_of, pieces_of
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.definition.spec import ToolSpec

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


ERROR_CODE = "toolkit/error_code"
"""The `_meta` key of a failed result with its error code."""

EXCEPTION = "toolkit/exception"
"""The `_meta` key of a failed result with the class name of the exception that the tool raised."""

LONGEST = 1_000_000
"""Default maximum length of a result, in characters."""


class Answering(NamedTuple):
    """Converts results to answers.

    Attributes:
        redactor: Masks secrets.
        longest: Maximum length of a text, in characters.
    """

    redactor: Redactor
    longest: int = LONGEST

    def answer(self, result: ToolResult, definition: Definition, version: str) -> types.CallToolResult:
        """Return the answer with a result, for a client of a protocol version.

        Args:
            result: The result of the call.
            definition: The definition of the tool, as sent to the client.
            version: The protocol version.
        """
        if result.error is not None:
            failed = self.failure(result.error, result.error_code, result.raised and result.raised.kind)
            failed.content = self._content(result.error, result)
            return failed
        structured = self._structured(result.structured)
        if definition.promises_output and (fault := definition.fault_of(structured)) is not None:
            why = f"does not match the output schema of '{definition.name}': {fault}"
            return self.failure(f"{result.output}\n({why})".strip())
        size = len(result.output)
        if structured is not None and size > self.longest:
            return self.failure(
                f"the result has {size} characters, more than the limit of {self.longest}; ask for less"
            )
        answer = types.CallToolResult(content=self._content(result.output, result))
        if structured is not None:
            self._add_data(answer, structured, definition, version)
        return answer

    def _add_data(self, answer: types.CallToolResult, data: Any, definition: Definition, version: str) -> None:
        """Add the data of a result in the form in which no client withholds something from its model.

        Several clients show their model only the structured content, without texts and images, and others only the
        texts. So data that a tool has not promised is only sent if the text says the same; otherwise, programs find it
        in `_meta`. Data that it has promised must be sent, and is repeated as a text if no text says the same.
        """
        said = [_says(block, data) for block in answer.content]
        if not (said == [True] or definition.promises_output or definition.feeds_page):
            answer.meta = {STRUCTURED: data}
            return
        answer.structured_content = definition.content_in_era(data, version)
        if definition.promises_output and not any(said):
            answer.content.append(self._text(json_text(data, separators=(",", ":"))))

    def failure(
        self, message: str, code: str | int | None = None, exception: str | None = None
    ) -> types.CallToolResult:
        """Return a failed result, with the message for the model, and the code and exception class for programs."""
        known = {ERROR_CODE: code, EXCEPTION: exception}
        meta = {key: self.redactor.data(value) for key, value in known.items() if value is not None}
        return types.CallToolResult(content=[self._text(message)], is_error=True, _meta=meta or None)

    def _content(self, text: str, result: ToolResult) -> list[types.ContentBlock]:
        """Return the blocks of a text and its attachments, and after them the note for the model if there is one.

        The note comes last because programs read the result from the first block. If the text is truncated, the
        attachments come after it.
        """
        attachments = attachments_in(result.artifact)
        note = [self._text(result.note)] if result.note else []
        if len(text) <= self.longest:
            return [*blocks_of(text, attachments, self.redactor, self._text), *note]
        attached = blocks_of("", attachments, self.redactor, self._text) if attachments else []
        return [self._text(text), *attached, *note]

    def _text(self, text: str) -> types.TextContent:
        cut = text[: self.longest]
        shown = self.redactor.text(sendable(cut), is_cut=len(cut) < len(text))
        if len(cut) < len(text):
            shown += f"... [truncated, full length: {len(text)} characters]"
        return types.TextContent(text=shown)

    def _structured(self, value: Any) -> Any:
        """Return the value as JSON data without secrets, or `None` if JSON cannot express it."""
        if value is None:
            return None
        try:
            text = json.dumps(value, allow_nan=False, ensure_ascii=False)
            return self.redactor.data(json.loads(text.encode(errors="replace")))
        except (TypeError, ValueError, RecursionError):
            return None


def _says(block: types.ContentBlock, data: Any) -> bool:
    return isinstance(block, types.TextContent) and says_the_same(block.text, data)


def wire_answer(spec: ToolSpec, result: ToolResult, redactor: Redactor) -> dict[str, Any]:
    """Return the answer with a result as plain data, for clients of the protocol that most of them use."""
    answer = Answering(redactor).answer(result, Definition(spec, redactor), LATEST_HANDSHAKE_VERSION)
    return answer.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"result_type"})


def sendable(text: str) -> str:
    """Return a text that can be encoded as UTF-8: lone surrogates, which some file names contain, are escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
