"""Applies OpenAI Agents' guardrails, which may reject a call or replace its output; see `agents/tool_guardrails.py`."""

import sys
from typing import Any

from toolkit.errors import ToolExecutionError


async def checked_input(tool: Any, ctx: Any, agent: Any) -> None:
    """Check the arguments of a call with the tool's guardrails.

    Raises:
        ToolExecutionError: If a guardrail rejects the call.
    """
    for guardrail in tool.tool_input_guardrails or ():
        data = sys.modules["agents.tool_guardrails"].ToolInputGuardrailData(context=ctx, agent=agent)
        if (message := _refusal(guardrail, await guardrail.run(data))) is not None:
            raise ToolExecutionError(message, "rejected")


async def checked_output(tool: Any, ctx: Any, agent: Any, output: Any) -> Any:
    """Return the output of a tool, or the message of a guardrail that replaces it.

    Raises:
        ToolExecutionError: If a guardrail stops the run.
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
    """Return the reason why a guardrail rejects a call, or None if it allows it."""
    match outcome.behavior["type"]:
        case "allow":
            return None
        case "reject_content":
            return str(outcome.behavior["message"])
        case _:
            return f"the guardrail {guardrail.get_name()!r} of the tool stops the run"
