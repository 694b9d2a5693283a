"""Convert the answer of a server to a tool result."""

from mcp_types import CallToolResult

from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import attachments_in
from toolkit.tools.protocol_contents import result_of_contents
from toolkit.tools.results import ToolResult

LARGEST_TEXT = 4 * 1024 * 1024
"""Maximum length of the text of a result, in characters."""

_ERROR_CODE = "toolkit/error_code"
"""The `_meta` key with which our own server reports an error code."""


def result_from(answer: CallToolResult) -> ToolResult:
    """Return the result in a server's answer; see `result_of_contents`."""
    blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in answer.content]
    result = result_of_contents(blocks, answer.structured_content, error_code=_code_of(answer))
    text = result.output if result.succeeded else result.error or ""
    if len(text) > LARGEST_TEXT:
        message = f"the server's answer has {len(text)} characters, more than the limit of {LARGEST_TEXT}"
        return ToolResult.failure(message, "too_large")
    return result


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return a result with all secrets that the server received masked."""
    if not redactor:
        return result
    return ToolResult(
        redactor.text(result.output),
        None if result.error is None else redactor.text(result.error),
        result.error_code,
        redactor.data(result.structured),
        tuple(one.redacted(redactor) for one in attachments_in(result.artifact)) or None,
    )


def _code_of(answer: CallToolResult) -> str | int | None:
    if not answer.is_error:
        return None
    code = (answer.meta or {}).get(_ERROR_CODE)
    return code if isinstance(code, str | int) else "error"
