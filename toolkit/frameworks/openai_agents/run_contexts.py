"""Creates the contexts that OpenAI Agents passes to its tools, from the values of our context."""

import sys
from types import NoneType
from typing import Any, get_args, get_type_hints

from toolkit.frameworks.given_values import given
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_values import call_safely


def run_context(context: ToolContext, tool: Any, agent: Any, function: Any, arguments: str, call_id: str) -> Any:
    """Return a `ToolContext` of the framework for a call.

    Args:
        context: The context of the call; its value `context`, or else all its values, become the context of the run.
        tool: The framework's tool.
        agent: The agent that has the tool, or None.
        function: The function behind the tool, or None; the type of its first parameter is the type of the context.
        arguments: What the model wrote: JSON, or plain text for a tool without a schema.
        call_id: The id of the call.
    """
    wanted = _type_of_context(function)
    return sys.modules["agents.tool_context"].ToolContext(
        context=None if wanted is NoneType else given(context, tool.name, "ctx.context", wanted),
        tool_name=tool.name,
        tool_call_id=call_id,
        tool_arguments=arguments,
        agent=agent,
    )


def _type_of_context(function: Any) -> Any:
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function), nothing) if function is not None else nothing
    first = next(iter(hints.values()), None)
    return next(iter(get_args(first)), None) if "Context" in str(first) else None
