"""How source code defines tools with the MCP SDK."""

from toolkit.tools.source_marks import Demands, Injected, Registration, SourceMarks, Terms

MARKS = SourceMarks(
    title="MCP SDK",
    packages=("mcp", "mcp_types"),
    classes=("mcp.*FastMCP", "mcp.*MCPServer", "mcp.*Server"),
    registrations=(
        Registration(("mcp.*FastMCP().tool", "mcp.*MCPServer().tool"), name=(0, "name")),
        Registration(
            ("mcp.*FastMCP().add_tool", "mcp.*MCPServer().add_tool"),
            "function",
            name=("name", 1),
            description=("description", 3),
        ),
        Registration(("mcp.server.*Tool.from_function",), "function", name=("name", 1), description=("description", 3)),
        Registration(("mcp.*FastMCP", "mcp.*MCPServer"), "holder", function=("tools",)),
        Registration(
            ("mcp.Tool", "mcp.types.Tool", "mcp_types.Tool", "mcp_types._types.Tool"),
            "definition",
            schema=("inputSchema", "input_schema"),
        ),
    ),
    injected=Injected(types=("mcp.*Context", "fastmcp.*Context", "*Depends")),
    receivers=("mcp", "*_mcp", "mcp_*", "server", "*_server", "app"),
    reads_docstrings=False,
    terms=Terms(
        effects="annotations=ToolAnnotations(destructiveHint=True)",
        declared=("annotations",),
    ),
    demands=Demands(
        calls=("FastMCP().tool", "MCPServer().tool"),
        variadic=("*", "**"),
        removed=(("mcp.server.fastmcp", "mcp", "2"),),
    ),
    serves=("run", "run_stdio_async", "stdio_server"),
)
