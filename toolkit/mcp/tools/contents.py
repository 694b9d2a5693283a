"""Contents: what a server answers, as a result of ours."""

from mcp_types import CallToolResult

from toolkit.redactors.redactor import Redactor
from toolkit.tools.attachments import attachments_in
from toolkit.tools.protocol_contents import result_of_contents
from toolkit.tools.results import ToolResult

LARGEST_TEXT = 4 * 1024 * 1024
"""Characters that the text of one result may have."""

_ERROR_CODE = "toolkit/error_code"
"""Where our own server reports the kind of a failure."""


def result_from(answer: CallToolResult) -> ToolResult:
    """Return an answer of a server as a result; see `result_of_contents`."""
    blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in answer.content]
    result = result_of_contents(blocks, answer.structured_content, error_code=_code_of(answer))
    text = result.output if result.succeeded else result.error or ""
    if len(text) > LARGEST_TEXT:
        message = f"the server's answer has {len(text)} characters, more than the limit of {LARGEST_TEXT}"
        return ToolResult.failure(message, "too_large")
    return result


def without_secrets(result: ToolResult, redactor: Redactor) -> ToolResult:
    """Return a result in whose text and data there are stars for every secret that the server was sent."""
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
