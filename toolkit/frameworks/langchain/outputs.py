"""Converts the outputs of LangChain's tools, such as a `ToolMessage` or a `Command`, to a ToolResult."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.frameworks.result_parts import attachment_of, attachment_of_data_url, result_of_parts
from toolkit.tools.attachments import Attachment
from toolkit.tools.foreign_values import kind_of
from toolkit.tools.results import ToolResult


def result_of_output(output: Any) -> Any:
    """Return the output of a tool as a ToolResult, or as a value that can become one."""
    messages = list(_messages_in(output))
    if not messages:
        return getattr(output, "update", None) if kind_of(output) == "Command" else output
    results = [_result_of_message(message) for message in messages]
    failed = next((result for result in results if not result.succeeded), None)
    if failed is not None or len(results) == 1:
        return failed or results[0]
    return result_of_parts(result.output for result in results)


def _messages_in(output: Any) -> Iterator[Any]:
    """Yield the `ToolMessage`s in an output, which may be one, a list, or a `Command` that adds some."""
    if isinstance(output, list):
        for one in output:
            yield from _messages_in(one)
    elif kind_of(output) == "Command":
        update = getattr(output, "update", None)
        added = update.get("messages", ()) if isinstance(update, Mapping) else ()
        yield from _messages_in(list(added))
    elif kind_of(output) == "ToolMessage":
        yield output


def _result_of_message(message: Any) -> ToolResult:
    content = message.content
    if isinstance(content, str):
        result = ToolResult.success(content, artifact=message.artifact)
    else:
        result = result_of_parts(map(_part, content), structured=content, artifact=message.artifact)
    return ToolResult.failure(result.output, "error") if message.status == "error" else result


def _part(block: Any) -> Any:
    """Return a content block as text or attachment, or unchanged if it is neither."""
    if not isinstance(block, Mapping):
        return block
    if block.get("type") == "text":
        return str(block.get("text", ""))
    return _attachment(block) or block


def _attachment(block: Mapping[str, Any]) -> Attachment | None:
    data = block.get("base64") or block.get("data")
    if isinstance(data, str):
        return attachment_of(str(block.get("mime_type", "application/octet-stream")), data)
    url = block.get("image_url")
    url = url.get("url") if isinstance(url, Mapping) else url
    return attachment_of_data_url(url) if isinstance(url, str) else None
