"""toolkit: lint, see, run and serve the tools that language models call.

A tool is a plain typed function with a mark; it stays the function that it was, and is built where it is wanted.

    >>> from toolkit import resolve_tools, tool
    >>> @tool(read_only=True)
    ... def forecast(city: str, days: int = 1) -> str:
    ...     '''Tell the weather of a city.'''
    ...     return f"{city}: {days} days of sun"
    >>> tools = resolve_tools([forecast])
    >>> tools["forecast"].run({"city": "Oslo", "days": 3}).text
    'Oslo: 3 days of sun'
    >>> tools["forecast"].run({"days": 3}).text
    'Error: Missing required parameter(s): city'

Each public name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from toolkit.releases import __version__ as __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would double what `toolkit --version` takes
    from typing import Any

    from toolkit.approvals.decisions import Continue, Edit, ExitEarly, Reject
    from toolkit.approvals.requests import ReviewRequest
    from toolkit.approvals.reviewers import Reviewer
    from toolkit.errors import (
        ConfigurationError,
        ExitEarlyError,
        InvalidPipeline,
        InvalidTools,
        ToolArgumentsError,
        ToolExecutionError,
        ToolkitError,
    )
    from toolkit.pipelines.definitions import ErrorStrategy
    from toolkit.pipelines.pipeline import Pipeline
    from toolkit.problems import Problem
    from toolkit.sources.loading import load_pipeline, load_tools
    from toolkit.tools.base import Tool, WrappedTool
    from toolkit.tools.calls import ToolCall
    from toolkit.tools.context import MemoryId, ToolContext
    from toolkit.tools.functions import from_function
    from toolkit.tools.marking import tool, toolbox
    from toolkit.tools.resolution import from_object, resolve_tools
    from toolkit.tools.results import ToolResult
    from toolkit.tools.spec import ToolSpec
    from toolkit.tools.typed import TypedTool

_HOMES = {
    "toolkit.approvals.decisions": ("Continue", "Edit", "ExitEarly", "Reject"),
    "toolkit.approvals.requests": ("ReviewRequest",),
    "toolkit.approvals.reviewers": ("Reviewer",),
    "toolkit.errors": (
        "ConfigurationError",
        "ExitEarlyError",
        "InvalidPipeline",
        "InvalidTools",
        "ToolArgumentsError",
        "ToolExecutionError",
        "ToolkitError",
    ),
    "toolkit.pipelines.definitions": ("ErrorStrategy",),
    "toolkit.pipelines.pipeline": ("Pipeline",),
    "toolkit.problems": ("Problem",),
    "toolkit.sources.loading": ("load_pipeline", "load_tools"),
    "toolkit.tools.base": ("Tool", "WrappedTool"),
    "toolkit.tools.calls": ("ToolCall",),
    "toolkit.tools.context": ("MemoryId", "ToolContext"),
    "toolkit.tools.functions": ("from_function",),
    "toolkit.tools.marking": ("tool", "toolbox"),
    "toolkit.tools.resolution": ("from_object", "resolve_tools"),
    "toolkit.tools.results": ("ToolResult",),
    "toolkit.tools.spec": ("ToolSpec",),
    "toolkit.tools.typed": ("TypedTool",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ConfigurationError",
    "Continue",
    "Edit",
    "ErrorStrategy",
    "ExitEarly",
    "ExitEarlyError",
    "InvalidPipeline",
    "InvalidTools",
    "MemoryId",
    "Pipeline",
    "Problem",
    "Reject",
    "ReviewRequest",
    "Reviewer",
    "Tool",
    "ToolArgumentsError",
    "ToolCall",
    "ToolContext",
    "ToolExecutionError",
    "ToolResult",
    "ToolSpec",
    "ToolkitError",
    "TypedTool",
    "WrappedTool",
    "from_function",
    "from_object",
    "load_pipeline",
    "load_tools",
    "resolve_tools",
    "tool",
    "toolbox",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    if name not in _HOME_OF:
        message = f"module 'toolkit' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415

    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted([*__all__, "__version__"])
