"""Renders the result of a call as text, as JSON, and as the last of a run's events."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from toolkit.runs.records import ModelUse
from toolkit.tools.results import ToolResult
from toolkit.visibility import disarm
from toolkit_cli import console

Format = Literal["text", "json", "jsonl"]


def rendered_result(
    result: ToolResult,
    format: Format,  # noqa: A002 - the option's name
    steps: Sequence[Mapping[str, Any]] = (),
    uses: Sequence[ModelUse] = (),
    *,
    for_terminal: bool,
) -> str:
    """Return a result for stdout; as text, this is only the output, and nothing for a failure.

    Args:
        result: The result of the call.
        format: The output format.
        steps: The steps as plain data, which only `json` includes; with `jsonl`, they were shown as events already.
        uses: The requests to models.
        for_terminal: Whether stdout is a terminal.
    """
    match format:
        case "json":
            record = result_record(result) | {"steps": list(steps), "usage": usage_record(uses) if uses else None}
            return f"{console.json_without_secrets(record, indent=2)}\n"
        case "jsonl":
            record = {"event": "result"} | result_record(result) | {"usage": usage_record(uses) if uses else None}
            return f"{console.json_without_secrets(record)}\n"
        case "text":
            return _as_text(result.output, for_terminal=for_terminal)


def result_record(result: ToolResult) -> dict[str, Any]:
    """Return a result as plain data; every key is always present."""
    return {
        "succeeded": result.succeeded,
        "output": result.output,
        "structured": result.structured,
        "error": result.error,
        "error_code": result.error_code,
    }


def usage_record(uses: Sequence[ModelUse]) -> dict[str, Any]:
    """Return the total usage of requests to models, as plain data."""
    costs = [use.cost for use in uses if use.cost is not None]
    return {
        "requests": len(uses),
        "input_tokens": sum(use.input_tokens for use in uses),
        "output_tokens": sum(use.output_tokens for use in uses),
        "cost": sum(costs) if costs else None,
    }


def _as_text(output: str, *, for_terminal: bool) -> str:
    if not output:
        return ""
    if for_terminal:
        output = disarm(output)
    return output if output.endswith("\n") else f"{output}\n"
