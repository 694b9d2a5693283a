"""OpenAI Agents' contexts: what a tool of it learns of the run, made of what our context holds."""

import sys
from types import NoneType
from typing import Any, get_args, get_type_hints

from toolkit.frameworks.given_values import given
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_values import answer


def run_context(context: ToolContext, tool: Any, agent: Any, function: Any, arguments: str) -> Any:
    """Return a `ToolContext` of the framework for a call.

    Args:
        context: What the caller hands in: its value `context`, or else its values, are the context of the run.
        tool: The tool of the framework.
        agent: The agent that has the tool, if one has it.
        function: The function behind the tool, if it is known; its first parameter has the type of the context.
        arguments: What the model wrote: JSON, or the text that a tool takes instead.
    """
    wanted = _type_of_context(function)
    return sys.modules["agents.tool_context"].ToolContext(
        context=None if wanted is NoneType else given(context, tool.name, "ctx.context", wanted),
        tool_name=tool.name,
        tool_call_id=tool.name,
        tool_arguments=arguments,
        agent=agent,
    )


def _type_of_context(function: Any) -> Any:
    nothing: dict[str, Any] = {}
    hints = answer(lambda: get_type_hints(function), nothing) if function is not None else nothing
    first = next(iter(hints.values()), None)
    return next(iter(get_args(first)), None) if "Context" in str(first) else None
