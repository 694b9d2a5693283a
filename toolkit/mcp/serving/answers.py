"""Answers: the results of calls as clients take them: whole, true to what was promised, and without a secret."""

import json
from typing import Any, NamedTuple

import mcp_types as types

from toolkit.mcp.serving.contents import blocks_of
from toolkit.mcp.serving.definitions import Definition
from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import attachments_in
from toolkit.tools.results import ToolResult

ERROR_CODE = "toolkit/error_code"
"""The key of a failed result's `_meta` that holds what kind of failure it was."""

EXCEPTION = "toolkit/exception"
"""The key of a failed result's `_meta` that holds the name of the class of what the tool raised."""

LONGEST = 1_000_000
"""Characters of a result that are sent, by default."""


class Answering(NamedTuple):
    """How results are sent.

    Attributes:
        redactor: Keeps secrets out of them.
        longest: Characters of a text that are sent.
    """

    redactor: Redactor
    longest: int = LONGEST

    def answer(self, result: ToolResult, definition: Definition, version: str) -> types.CallToolResult:
        """Return a result as a client of a version of the protocol takes it.

        Args:
            result: What the call gave.
            definition: What was promised of the tool.
            version: The version of the protocol.
        """
        if result.error is not None:
            failed = self.failure(result.error, result.error_code, result.raised and result.raised.kind)
            failed.content = self._content(result.error, result)
            return failed
        structured = self._structured(result.structured)
        if definition.promises_output and (fault := definition.fault_of(structured)) is not None:
            return self.failure(
                f"{result.output}\n(not in the form that '{definition.name}' promises: {fault})".strip()
            )
        size = len(result.output)
        if structured is not None and size > self.longest:
            return self.failure(f"the result has {size} characters, and {self.longest} are sent at most; ask for less")
        answer = types.CallToolResult(content=self._content(result.output, result))
        if structured is not None:
            answer.structured_content = definition.content_in_era(structured, version)
        return answer

    def failure(
        self, message: str, code: str | int | None = None, exception: str | None = None
    ) -> types.CallToolResult:
        """Return a failed result: the message is for the model, the code and the exception's class for programs."""
        meta = {key: value for key, value in ((ERROR_CODE, code), (EXCEPTION, exception)) if value is not None}
        return types.CallToolResult(content=[self._text(message)], is_error=True, _meta=meta or None)

    def _content(self, text: str, result: ToolResult) -> list[types.ContentBlock]:
        """Return a text and the attachments of a result; what is cut has no places for them."""
        attachments = attachments_in(result.artifact)
        if len(text) <= self.longest:
            return blocks_of(text, attachments, self.redactor, self._text)
        return [self._text(text), *(blocks_of("", attachments, self.redactor, self._text) if attachments else ())]

    def _text(self, text: str) -> types.TextContent:
        cut = text[: self.longest]
        shown = self.redactor.text(sendable(cut), is_cut=len(cut) < len(text))
        if len(cut) < len(text):
            shown += f"... [truncated, full length: {len(text)} characters]"
        return types.TextContent(text=shown)

    def _structured(self, value: Any) -> Any:
        """Return plain data without secrets, or None for anything else, which JSON cannot express."""
        if value is None:
            return None
        try:
            text = json.dumps(value, allow_nan=False, ensure_ascii=False)
            return self.redactor.data(json.loads(text.encode(errors="replace")))
        except (TypeError, ValueError, RecursionError):
            return None


def sendable(text: str) -> str:
    """Return a text that UTF-8 can say: half of a surrogate pair, as some file names have it, becomes an escape."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()
