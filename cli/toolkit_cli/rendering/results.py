"""Results of a call: for people, for programs, and among the events of the run."""

from typing import Any, Literal

from toolkit.tools.results import ToolResult
from toolkit.visibility import disarmed, visible_json

Format = Literal["text", "json", "jsonl"]


def rendered_result(result: ToolResult, format: Format, *, for_terminal: bool) -> str:  # noqa: A002 - the option's name
    """Return what stdout carries of a result; as text that is the output alone, and nothing of a failure."""
    match format:
        case "json":
            return f"{visible_json(result_record(result), indent=2, default=str)}\n"
        case "jsonl":
            return f"{visible_json({'event': 'result'} | result_record(result), default=str)}\n"
        case "text":
            return _as_text(result.output, for_terminal=for_terminal)


def result_record(result: ToolResult) -> dict[str, Any]:
    """Return a result as plain data; every key is always there."""
    return {
        "succeeded": result.succeeded,
        "output": result.output,
        "structured": result.structured,
        "error": result.error,
        "error_code": result.error_code,
    }


def _as_text(output: str, *, for_terminal: bool) -> str:
    if not output:
        return ""
    if for_terminal:
        output = disarmed(output)
    return output if output.endswith("\n") else f"{output}\n"
