"""Lint, inspect, run and serve the tools that language models call.

A tool is a plain typed function with a decorator. The decorated function works as before; the tool is built from it
when it is needed.

    >>> from toolkit import resolve_tools, tool
    >>> @tool(read_only=True)
    ... def forecast(city: str, days: int = 1) -> str:
    ...     '''Return the weather forecast for a city.'''
    ...     return f"{city}: {days} days of sun"
    >>> tools = resolve_tools([forecast])
    >>> tools["forecast"].run({"city": "Oslo", "days": 3}).text
    'Oslo: 3 days of sun'
    >>> tools["forecast"].run({"days": 3}).text
    'Error: Missing required parameter(s): city'

Public names are loaded on first use, so importing the package costs next to nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.approvals.decisions import (
        Continue as Continue,
        Edit as Edit,
        ExitEarly as ExitEarly,
        Reject as Reject,
        ReviewRequest as ReviewRequest,
    )
    from toolkit.approvals.reviewers import Reviewer as Reviewer
    from toolkit.errors import (
        ConfigurationError as ConfigurationError,
        ExitEarlyError as ExitEarlyError,
        InvalidPipeline as InvalidPipeline,
        InvalidTools as InvalidTools,
        ToolArgumentsError as ToolArgumentsError,
        ToolExecutionError as ToolExecutionError,
        ToolkitError as ToolkitError,
    )
    from toolkit.pipelines.pipeline import Pipeline as Pipeline
    from toolkit.pipelines.step_definitions import ErrorStrategy as ErrorStrategy
    from toolkit.problems import Problem as Problem
    from toolkit.releases import __version__ as __version__
    from toolkit.sources.opening import load_pipeline as load_pipeline, load_tools as load_tools
    from toolkit.tools.base import Tool as Tool, WrappedTool as WrappedTool
    from toolkit.tools.calls.results import ToolCall as ToolCall, ToolResult as ToolResult
    from toolkit.tools.context import MemoryId as MemoryId, ToolContext as ToolContext
    from toolkit.tools.definition.marking import tool as tool, toolbox as toolbox
    from toolkit.tools.definition.spec import ToolSpec as ToolSpec
    from toolkit.tools.kinds.class_tools import TypedTool as TypedTool
    from toolkit.tools.kinds.function_tools import from_function as from_function
    from toolkit.tools.kinds.resolution import from_object as from_object, resolve_tools as resolve_tools
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "approvals.decisions": "Continue Edit ExitEarly Reject ReviewRequest",
            "approvals.reviewers": "Reviewer",
            "errors": (
                "ConfigurationError ExitEarlyError InvalidPipeline InvalidTools ToolArgumentsError "
                "ToolExecutionError ToolkitError"
            ),
            "pipelines.pipeline": "Pipeline",
            "pipelines.step_definitions": "ErrorStrategy",
            "problems": "Problem",
            "releases": "__version__",
            "sources.opening": "load_pipeline load_tools",
            "tools.base": "Tool WrappedTool",
            "tools.calls.results": "ToolCall ToolResult",
            "tools.context": "MemoryId ToolContext",
            "tools.definition.marking": "tool toolbox",
            "tools.definition.spec": "ToolSpec",
            "tools.kinds.class_tools": "TypedTool",
            "tools.kinds.function_tools": "from_function",
            "tools.kinds.resolution": "from_object resolve_tools",
        },
    )
