"""How source code defines tools with FastMCP."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="FastMCP",
    packages=("fastmcp",),
    classes=("fastmcp.*FastMCP", "fastmcp.*FastMCPApp", "fastmcp.*Tool"),
    registrations=(
        Registration(("fastmcp.*FastMCP().tool", "fastmcp.*FastMCPApp().tool"), name=(0, "name", "name_or_fn")),
        Registration(("fastmcp.tools.tool", "fastmcp.tools.*.tool"), name=(0, "name", "name_or_fn")),
        Registration(("fastmcp.*FastMCP().add_tool", "fastmcp.*FastMCPApp().add_tool"), "function"),
        Registration(
            ("fastmcp.tools.*Tool.from_function",), "function", name=("name", 1), description=("description", 2)
        ),
        Registration(("fastmcp.tools.*Tool.from_tool",), "definition"),
        Registration(("fastmcp.*FastMCP",), "holder", function=("tools",)),
    ),
    tool_classes=(ToolClasses(("fastmcp.tools.*Tool",), ("run",), schema=("parameters",), takes_call=True),),
    injected=Injected(types=("fastmcp.*Context", "mcp.*Context", "*Depends", "*CurrentContext", "*CurrentFastMCP")),
    receivers=("mcp", "*_mcp", "mcp_*", "server", "*_server", "app"),
    reads_docstrings=False,
    terms=Terms(
        effects="annotations={'destructiveHint': True}",
        declared=("annotations",),
    ),
    demands=Demands(variadic=("*", "**")),
    serves=("run", "run_async", "run_stdio_async"),
)
