"""The names that `toolkit` itself promises; the tests of faces say what holds for all public names."""

from importlib import import_module
from importlib.metadata import version

import toolkit

PUBLIC = {
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
}


def test_public_names_are_exactly_these():
    assert set(import_module("toolkit").__all__) == PUBLIC | {"__version__"}


def test_version_is_that_of_the_installed_distribution():
    assert toolkit.__version__ in {version("toolkit-cli"), "0+unbuilt"}
