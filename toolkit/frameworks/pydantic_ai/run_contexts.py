"""Creates pydantic-ai's run contexts from the values of our context.

See `pydantic_ai/_run_context.py` of pydantic-ai 2.68.
"""

import sys
from types import NoneType
from typing import Any, get_args, get_type_hints

from toolkit.frameworks.given_values import given
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign_values import call_safely


def run_context(
    context: ToolContext, tool: str, agent: Any, function: Any, *, call_id: str = "", is_approved: bool = False
) -> Any:
    """Return a `RunContext` for a call.

    Args:
        context: The context of the call; its value `deps`, or else all its values, become the dependencies.
        tool: The name of the tool.
        agent: The agent that has the tool, or None.
        function: The function behind the tool, or None; its first parameter declares the type of the dependencies.
        call_id: The id of the call.
        is_approved: Whether a reviewer has approved the call.
    """
    theirs = sys.modules["pydantic_ai.tools"].RunContext
    wanted = _type_of_dependencies(agent, function)
    return theirs(
        deps=None if wanted is NoneType else given(context, tool, "ctx.deps", wanted),
        model=getattr(agent, "model", None),
        usage=sys.modules["pydantic_ai.usage"].RunUsage(),
        agent=agent,
        tool_name=tool,
        tool_call_id=call_id,
        tool_call_approved=is_approved,
    )


def _type_of_dependencies(agent: Any, function: Any) -> Any:
    """Return the type of the dependencies, from the function's first parameter or else from the agent."""
    nothing: dict[str, Any] = {}
    hints = call_safely(lambda: get_type_hints(function), nothing)
    first = next(iter(hints.values()), None)
    return next(iter(get_args(first)), None) if "RunContext" in str(first) else getattr(agent, "deps_type", None)
