"""Outcomes: from what a tool's work returned to the result that its caller gets."""

from typing import Any

from toolkit.tools.results import ToolResult

NOTHING_RETURNED = "Success"


def as_result(value: Any) -> ToolResult:
    """Return any value as a result: a result or text as it is, everything else as compact JSON.

    Numbers that JSON does not know are quoted (`"NaN"`), and text beyond ASCII is kept.

    Raises:
        ValueError: If the value has no form in JSON; the message names its type.
    """
    if isinstance(value, ToolResult):
        return value
    if isinstance(value, str):
        return ToolResult(value)
    return _as_json(value)


def _as_json(value: Any) -> ToolResult:
    from pydantic_core import from_json, to_json

    try:
        text = to_json(value, inf_nan_mode="strings")
        return ToolResult(text.decode(), structured=from_json(text), artifact=value)
    except (ValueError, RecursionError) as error:
        message = f"the tool has done its work, but what it returned ({type(value).__qualname__}) has no form in JSON"
        reason = str(error).removeprefix("Error serializing to JSON: ")
        raise ValueError(f"{message}: {reason}") from error
