"""OpenAI Agents' guardrails: what may stop a call of a tool, or replace its output; see `agents/tool_guardrails.py`."""

import sys
from typing import Any

from toolkit.errors import ToolExecutionError


async def checked_input(tool: Any, ctx: Any, agent: Any) -> None:
    """Let the guardrails of a tool look at its arguments.

    Raises:
        ToolExecutionError: If one of them refuses the call.
    """
    for guardrail in tool.tool_input_guardrails or ():
        data = sys.modules["agents.tool_guardrails"].ToolInputGuardrailData(context=ctx, agent=agent)
        if (message := _refusal(guardrail, await guardrail.run(data))) is not None:
            raise ToolExecutionError(message, "rejected")


async def checked_output(tool: Any, ctx: Any, agent: Any, output: Any) -> Any:
    """Return what a tool gave, or what a guardrail puts in its place.

    Raises:
        ToolExecutionError: If one of them stops the run.
    """
    for guardrail in tool.tool_output_guardrails or ():
        data = sys.modules["agents.tool_guardrails"].ToolOutputGuardrailData(context=ctx, agent=agent, output=output)
        outcome = await guardrail.run(data)
        message = _refusal(guardrail, outcome)
        if message is not None and outcome.behavior["type"] == "raise_exception":
            raise ToolExecutionError(message, "rejected")
        if message is not None:
            return message
    return output


def _refusal(guardrail: Any, outcome: Any) -> str | None:
    """Return why a guardrail refuses; None if it does not."""
    match outcome.behavior["type"]:
        case "allow":
            return None
        case "reject_content":
            return str(outcome.behavior["message"])
        case _:
            return f"the guardrail {guardrail.get_name()!r} of the tool stops the run"
