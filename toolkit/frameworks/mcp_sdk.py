"""The MCP SDK: servers of `FastMCP` (version 1) and `MCPServer` (version 2), and the low-level `Server` of both.

See `mcp/server/fastmcp/` of mcp 1.30 and `mcp/server/mcpserver/` of mcp 2.3. Each server is called with the SDK's own
client, in this process.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
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
from toolkit.frameworks.wire_tools import Call, Caller, as_json, keep_own_logs_from_rich_handlers, wire_tool
from toolkit.problems import Problem
from toolkit.running import run_coroutine
from toolkit.tools.base import Tool
from toolkit.tools.calls.foreign_values import bases_of_class, module_of_class
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, Sent, SourceMarks, Terms

_GATEWAYS = ("bedrock-agentcore-control", "create_gateway_target", "agentcore add gateway-target")
"""What adds tools to a gateway of Amazon Bedrock AgentCore, which serves them with MCP."""

MARKS = SourceMarks(
    title="MCP SDK",
    packages=("mcp", "mcp_types"),
    classes=("mcp.*FastMCP", "mcp.*MCPServer", "mcp.*Server"),
    registrations=(
        Registration(("mcp.*FastMCP().tool", "mcp.*MCPServer().tool", "mcp.*Apps().tool"), name=("name", 0)),
        Registration(
            ("mcp.*FastMCP().add_tool", "mcp.*MCPServer().add_tool"),
            "function",
            name=("name", 1),
            description=("description", 3),
        ),
        Registration(("mcp.server.*ToolBinding",), "function", function=("fn", 0), name=()),
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
        held_back_by=(
            *("langchain-mcp-adapters", "mcp-use", "mcpadapt"),  # 0.3.2, 1.7.1 and 0.1.20, checked 2026-11-27
            *("chainlit", "crewai", "crewai-tools", "langchain-mcp-tools", "langflow", "mcp-proxy", "praisonai"),
            *("gradio[mcp]", "huggingface-hub[mcp]", "praisonaiagents[mcp]", "promptwright"),  # checked 2026-11-29
            "smolagents[mcp]",
            "semantic-kernel",  # what a resolver does with these and mcp, checked 2026-11-28
            *("anyio<4.9", "jsonschema<4.20", "opentelemetry-api<1.28", "pydantic<2.12", "pyjwt<2.10.1"),
            *("python-multipart<0.0.9", "sse-starlette<3", "starlette<0.27", "typing-extensions<4.13"),
            *("typing-inspection<0.4.1", "uvicorn<0.31.1"),  # what mcp 2.3.0 requires, checked 2026-11-28
            *("h11<0.16", "idna<3.18", "truststore<0.10"),  # what its httpx2 requires, checked 2026-11-28
        ),
    ),
    serves=("run", "run_stdio_async", "stdio_server"),
    sent=Sent(
        ("inputSchema", "input_schema"),
        ("mcp", "mcp_types", "fastmcp"),
        ("tools/list", '"list_tools"', "'list_tools'", *_GATEWAYS),
    ),
)


@asynccontextmanager
async def conversation(server: Any, caller: Caller) -> AsyncIterator[Call]:
    """Connect to a server.

    Args:
        server: A `FastMCP`, an `MCPServer` or a low-level `Server`.
        caller: Receives the progress of calls, and answers the server's questions.
    """

    async def answer(_context: Any, params: Any) -> Any:
        given = await caller.elicit(params)
        kind = import_module(type(params).__module__).ElicitResult
        return kind(action=given.action, content=None if given.content is None else dict(given.content))

    asked = {"elicitation_callback": answer} if caller.can_ask else {}
    async with _client_of(server, **asked) as client:
        yield partial(client.call_tool, progress_callback=caller.progress)


async def listed(server: Any) -> list[Any]:
    """Return the tools that a server lists, without running its lifespan."""
    bare = copy(server)
    bare.lifespan = _no_lifespan
    tools: list[Any] = []
    async with _client_of(bare) as client:
        page = await client.list_tools()
        tools += page.tools
        while cursor := getattr(page, "next_cursor", None) or getattr(page, "nextCursor", None):
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
    return tools


def _client_of(server: Any, **options: Any) -> AbstractAsyncContextManager[Any]:
    sdk = import_module("mcp")
    if hasattr(sdk, "Client"):
        # Only on a connection that begins with a handshake can a server ask during a call.
        client: AbstractAsyncContextManager[Any] = sdk.Client(server, mode="legacy", **options)
        return client
    memory = import_module("mcp.shared.memory")
    session: AbstractAsyncContextManager[Any] = memory.create_connected_server_and_client_session(server, **options)
    return session


@asynccontextmanager
async def _no_lifespan(_server: Any) -> AsyncIterator[dict[str, Any]]:
    yield {}


FRAMEWORK = "mcp_sdk"
VERSIONS = Versions("mcp", (1, 10))


def tools_of_server(server: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the tools of a `FastMCP` (version 1) or an `MCPServer` (version 2)."""
    keep_own_logs_from_rich_handlers()
    for wire in run_coroutine(server.list_tools):
        registered = server._tool_manager.get_tool(wire.name)  # noqa: SLF001 - there is no public way to the function
        yield wire_tool(
            as_json(wire),
            partial(conversation, server),
            framework=FRAMEWORK,
            server=server.name,
            thing=registered or server,
            function=getattr(registered, "fn", None),
            is_wrapped=getattr(getattr(registered, "fn_metadata", None), "wrap_output", False),
        )


def tools_of_low_level(server: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the tools that a low-level `Server` lists."""
    for wire in run_coroutine(partial(listed, server)):
        yield wire_tool(
            as_json(wire), partial(conversation, server), framework=FRAMEWORK, server=server.name, thing=server
        )


def tools_of_tool(tool: Any) -> Iterator[ForeignTool | Problem]:
    """Yield the Tool of a `Tool` outside of a server."""
    module, name = ("mcp.server.mcpserver", "MCPServer")
    if any(module_of_class(base).startswith("mcp.server.fastmcp") for base in bases_of_class(type(tool))):
        module, name = ("mcp.server.fastmcp", "FastMCP")
    yield from tools_of_server(getattr(import_module(module), name)(tool.name, tools=[tool]))


CLASSES = {
    "mcp.server.fastmcp.server.FastMCP": ForeignClass(tools_of_server, is_tool=False),
    "mcp.server.mcpserver.server.MCPServer": ForeignClass(tools_of_server, is_tool=False),
    "mcp.server.lowlevel.server.Server": ForeignClass(tools_of_low_level, is_tool=False),
    "mcp.server.fastmcp.tools.base.Tool": ForeignClass(tools_of_tool),
    "mcp.server.mcpserver.tools.base.Tool": ForeignClass(tools_of_tool),
}


def to_mcp_sdk(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `Tool` of the MCP SDK (1.10 or newer): `MCPServer("shop", tools=[to_mcp_sdk(tool)])`.

    A failed call returns a result with `isError`; attachments become content blocks.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If the SDK is not installed.
    """
    sdk = imported("mcp", "types", package="mcp", wanted_by="to_mcp_sdk")
    theirs = import_module("mcp.server.mcpserver.tools" if hasattr(sdk, "Client") else "mcp.server.fastmcp.tools")
    handed = context_of_agent(context)

    class ExportedTool(theirs.Tool):  # type: ignore[misc, name-defined]  # whatever version is installed
        async def run(self, arguments: dict[str, Any], *_context: Any, **_options: Any) -> Any:
            return answer_of(await tool.call(arguments, handed))

    record_export(ExportedTool, tool)
    made = theirs.Tool.from_function(_nothing, name=tool.name, description=tool.description, structured_output=False)
    definition = {"parameters": definition_of(tool)["inputSchema"], "annotations": annotations_of(tool)}
    return ExportedTool.model_construct(**{**vars(made), **definition})


def _nothing() -> None:
    """Placeholder for the function that the SDK inspects; schema and call come from the Tool."""
