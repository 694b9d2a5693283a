"""Serializes results for the journal, without secrets, and restores them."""

from dataclasses import replace
from typing import Any

from toolkit.tools.calls.json_data import dumps, loads
from toolkit.tools.calls.results import SkippedItem, Skips, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import reading_redactor


def result_text(result: ToolResult, output: Any, context: ToolContext) -> tuple[str, bool]:
    """Return a result as JSON text without secrets, and whether it is complete.

    Args:
        result: The result of a call.
        output: The data that later steps receive.
        context: The context of the call, which knows the secrets.
    """
    record: dict[str, Any] = {"output": result.output}
    if result.error is not None:
        record |= {"error": result.error, "error_code": result.error_code}
    if output is not None and not isinstance(output, str):
        record["data"] = output
    elif output != result.output:
        record["value"] = output
    if result.skips:
        record["skips"] = [(skips.step, skips.of, skips.items) for skips in result.skips]
    redactor = reading_redactor(context)
    try:
        text = dumps(record)
        # Few results contain a secret. In those, each string is redacted by itself, so that the text remains JSON.
        return (text, True) if redactor.text(text) == text else (dumps(redactor.data(record)), False)
    except (TypeError, ValueError, RecursionError):
        return dumps({"output": redactor.text(result.output)}), False


def result_in(text: str) -> tuple[ToolResult, Any]:
    """Restore a result, and the data that later steps receive, from the text that `result_text` has written."""
    record = loads(text)
    result = ToolResult(record["output"], record.get("error"), record.get("error_code"), record.get("data"))
    if "skips" in record:
        skips = tuple(Skips(step, of, tuple(SkippedItem(*one) for one in items)) for step, of, items in record["skips"])
        result = replace(result, skips=skips)
    return result, record.get("data", record.get("value", None if result.error is not None else result.output))
