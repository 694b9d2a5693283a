"""FastMCP: servers, mounted servers, and tools and functions outside of a server.

See `fastmcp/server/server.py` and `fastmcp/tools/` of fastmcp 2.14 to 4.1.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.frameworks.exported_calls import (
    annotations_of,
    answer_of,
    context_of_agent,
    definition_of,
    imported,
    record_export,
)
from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.frameworks.wire_tools import Call, Caller, as_json, wire_tool
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

_SERVERS = ("FastMCP", "FastMCPApp", "LocalProvider")
MARKS = SourceMarks(
    title="FastMCP",
    packages=("fastmcp",),
    classes=("fastmcp.*FastMCP", "fastmcp.*FastMCPApp", "fastmcp.*Tool"),
    registrations=(
        Registration(
            ("fastmcp.*FastMCP().tool", "fastmcp.*FastMCPApp().tool", "fastmcp.*LocalProvider().tool"),
            name=(0, "name", "name_or_fn"),
        ),
        Registration(("fastmcp.contrib.mcp_mixin.*mcp_tool",), name=("name", 0)),
        Registration(("fastmcp.tools.tool", "fastmcp.tools.*.tool"), name=(0, "name", "name_or_fn")),
        Registration(
            ("fastmcp.*FastMCP().add_tool", "fastmcp.*FastMCPApp().add_tool", "fastmcp.*LocalProvider().add_tool"),
            "function",
        ),
        Registration(
            ("fastmcp.tools.*Tool.from_function",), "function", name=("name", 1), description=("description", 2)
        ),
        Registration(("fastmcp.tools.*Tool.from_tool",), "definition"),
        Registration(("fastmcp.*FastMCP",), "holder", function=("tools",)),
        Registration(("fastmcp.*FastMCP.from_fastapi",), "routes"),
        Registration(("fastmcp.*FastMCP.from_openapi",), "routes"),
    ),
    tool_classes=(ToolClasses(("fastmcp.tools.*Tool",), ("run",), schema=("parameters",), takes_call=True),),
    injected=Injected(
        types=("fastmcp.*Context", "mcp.*Context", "*Depends", "*CurrentContext", "*CurrentFastMCP"),
        mappings=("exclude_args",),
    ),
    receivers=("mcp", "*_mcp", "mcp_*", "server", "*_server", "app"),
    reads_docstrings=False,
    docstrings_since=("fastmcp", (3, 2, 4)),
    rewriters=("fastmcp.*ArgTransform*", "fastmcp.*ToolTransform*"),
    terms=Terms(
        effects="annotations={'destructiveHint': True}",
        declared=("annotations",),
        transforms=("ToolTransform",),
    ),
    demands=Demands(variadic=("*", "**")),
    serves=("run", "run_async", "run_stdio_async"),
)


FRAMEWORK = "fastmcp"
VERSIONS = Versions("fastmcp", (2, 13))


def tools_of_server(server: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the tools that a server lists, including mounted ones."""
    for tool, name, function in run_coroutine(partial(_listed, server)):
        wire = as_json(tool.to_mcp_tool(name=name))
        yield wire_tool(
            wire,
            partial(conversation, server),
            framework=FRAMEWORK,
            server=server.name,
            thing=tool,
            function=function,
            is_wrapped=(wire.get("outputSchema") or {}).get("x-fastmcp-wrap-result", False),
        )


def tools_of_tool(tool: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the Tool of a tool, or of a function marked `@tool`, outside of a server."""
    server = import_module("fastmcp").FastMCP("tools")
    server.add_tool(tool)
    yield from tools_of_server(server)


def tools_of_function(function: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the Tool of a function marked `@tool`. Prompts and resources have the same mark, but another type."""
    if function.__fastmcp__.type == "tool":
        yield from tools_of_tool(function)


@asynccontextmanager
async def conversation(server: Any, caller: Caller) -> AsyncIterator[Call]:
    """Connect to a server with FastMCP's own client."""
    client_module = import_module("fastmcp.client")

    async def answer(_message: str, _kind: Any, params: Any, _context: Any) -> Any:
        given = await caller.elicit(params)
        kind = import_module("fastmcp.client.elicitation").ElicitResult
        return kind(action=given.action, content=None if given.content is None else dict(given.content))

    options: dict[str, Any] = {"elicitation_handler": answer} if caller.can_ask else {}
    if hasattr(import_module("mcp"), "Client"):
        options["mode"] = "legacy"  # only after a handshake can a server ask during a call
    async with client_module.Client(server, **options) as client:
        yield partial(client.call_tool_mcp, progress_handler=caller.progress)


async def _listed(server: Any) -> list[tuple[Any, str, Any]]:
    """Return the tools that a server lists, with their names and the functions behind them."""
    if not hasattr(server, "list_tools"):  # version 2
        tools = await server._list_tools_middleware()  # noqa: SLF001 - the public method also lists disabled tools
        return [(tool, tool.key, await _function_of(tool)) for tool in tools]
    names = dict.fromkeys(tool.name for tool in await server.list_tools())
    newest = [await server.get_tool(name) for name in names]  # clients only see the newest version of a tool
    return [(tool, tool.name, await _function_of(tool)) for tool in newest if tool is not None]


async def _function_of(tool: Any) -> Any:
    """Return the user's function behind a tool, which may be mounted or transformed, or None."""
    parent = getattr(tool, "parent_tool", None)
    if parent is not None:
        return await _function_of(parent)
    server = getattr(tool, "_server", None)
    if server is not None:
        mounted = await server.get_tool(tool._original_name)  # noqa: SLF001 - there is no public way to a mounted tool
        return None if mounted is None else await _function_of(mounted)
    return getattr(tool, "fn", None)


CLASSES = {
    "fastmcp.server.FastMCP": ForeignClass(tools_of_server, is_tool=False),
    "fastmcp.server.server.FastMCP": ForeignClass(tools_of_server, is_tool=False),
    "fastmcp.tools.base.Tool": ForeignClass(tools_of_tool),
    "fastmcp.tools.tool.Tool": ForeignClass(tools_of_tool),
}
MARKED = ForeignClass(tools_of_function)


def to_fastmcp(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a FastMCP `Tool` (versions 2.13 to 4), for servers: `server.add_tool(to_fastmcp(tool))`.

    A failed call returns a result with `isError`; attachments become content blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If FastMCP is not installed.
    """
    theirs = imported("fastmcp.tools", "Tool", package="fastmcp", wanted_by="to_fastmcp")
    result_kind = import_module(theirs.Tool.__module__).ToolResult
    failure = import_module("fastmcp.exceptions").ToolError
    handed = context_of_agent(context)

    class ExportedTool(theirs.Tool):  # type: ignore[misc, name-defined]  # whatever version is installed
        async def run(self, arguments: dict[str, Any]) -> Any:
            result = await tool.call(arguments, handed)
            if not result.succeeded:
                raise failure(result.error)
            structured = result.structured if isinstance(result.structured, Mapping) else None
            return result_kind(content=answer_of(result).content, structured_content=structured)

    record_export(ExportedTool, tool)
    return ExportedTool(
        name=tool.name,
        description=tool.description,
        parameters=definition_of(tool)["inputSchema"],
        annotations=annotations_of(tool),
    )
