"""How source code defines tools with Google ADK."""

from toolkit.tools.source_marks import Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="Google ADK",
    packages=("google.adk",),
    classes=("google.adk.tools.*Tool", "google.adk.*Agent"),
    registrations=(
        Registration(("google.adk.tools.*FunctionTool", "google.adk.tools.*LongRunningFunctionTool"), "function"),
        Registration(("google.adk.tools.*AgentTool",), "definition", function=(), name=()),
        Registration(("google.adk.*Agent",), "holder", function=("tools",)),
    ),
    tool_classes=(ToolClasses(("google.adk.tools.*BaseTool",), ("run_async",), takes_call=True),),
    injected=Injected(
        types=("google.adk.*ToolContext", "google.adk.*CallbackContext", "google.adk.*Context"), names=("tool_context",)
    ),
    reads_docstrings=False,
    terms=Terms(
        parameter="'NAME: …' under 'Args:' in the docstring",
        approval="FunctionTool(NAME, require_confirmation=True)",
        declared=("require_confirmation",),
    ),
)
