"""The tools of an MCP server, as tools of this library.

A server's annotations of its tools are only claims. Unless the user trusts the server, every tool requires approval,
and annotations can only make a tool more restricted: "destructive" is believed, "read-only" is not. Characters that
people cannot see are removed from definitions before models receive them.
"""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from toolkit.codes import DUPLICATE_TOOL_NAME, HIDDEN_UNICODE, NOT_A_TOOL
from toolkit.disclosure.groups import chosen
from toolkit.errors import InvalidTools, ToolExecutionError
from toolkit.mcp.settings.server_settings import McpServer, offered_prefix
from toolkit.mcp.shared_context import meta_for, withholds_trace
from toolkit.problems import Location, Problem
from toolkit.schemas.faults import pattern_fault
from toolkit.telemetry.propagation import without_trace
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.names import legal_name
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.schema_tools import ForeignSchemaTool, marks_of, output_mismatch, presentation_of
from toolkit.tools.kinds.resolution import missing_tools
from toolkit.visibility import without_hidden

if TYPE_CHECKING:
    from mcp_types import Tool as WireTool

    from toolkit.mcp.client.server_conversations import Listing, Unreadable


_SCHEMAS = {"input_schema", "output_schema"}


class RemoteTool(ForeignSchemaTool):
    """A tool of an MCP server. The server is contacted when the tool is called."""

    def __init__(self, server: McpServer, wire: "WireTool", name: str) -> None:
        """Create a tool from a server's tool list.

        Args:
            server: The server.
            wire: The tool in the list.
            name: The tool name that models see.

        Raises:
            InvalidTools: If the schema of its parameters does not describe a JSON object.
        """
        self.server = server
        self.wire_name = wire.name
        marks = marks_of(_as_json(wire))
        self.announced = _spec(server, wire, name, marks if server.trusted else _graver(wire, marks))
        self.spec = self.announced if server.trusted else _spec(server, _without_hidden(wire), name, _tightening(wire))

    @classmethod
    def from_listing(cls, server: McpServer, wire_name: str, spec: ToolSpec) -> "RemoteTool":
        """Return a tool with a known specification, without the server's list."""
        tool = cls.__new__(cls)
        tool.server, tool.wire_name, tool.announced, tool.spec = server, wire_name, spec, spec
        return tool

    @property
    def address(self) -> str:
        """The name of the tool in commands and files: `server.tool`."""
        return f"{self.server.name}.{self.wire_name}"

    @property
    def uses(self) -> Mapping[str, str]:
        """The server, and its command line or URL; variables are not expanded."""
        return {"server": self.server.name, "by": self.server.line}

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Call the tool on the server.

        Raises:
            ToolExecutionError: If the server cannot be reached, returns an error, violates the protocol or the output
                schema, or times out.
        """
        from toolkit.mcp.tools.remote_calls import call_remote  # it imports the SDK

        with without_trace() if withholds_trace(self.server.converter) else nullcontext():
            result = await call_remote(self.server, self.wire_name, parsed, context, self._meta(context))
        if result.succeeded and (schema := self.announced.output_schema) is not None:
            self._hold_to(schema, result)
        return result

    def _hold_to(self, output_schema: Mapping[str, Any], result: ToolResult) -> None:
        if (mismatch := output_mismatch(result.structured, output_schema)) is not None:
            message = f"MCP server '{self.server.name}' violated the output schema of '{self.wire_name}': {mismatch}"
            raise ToolExecutionError(message, "invalid_result")

    def _meta(self, context: ToolContext) -> dict[str, Any] | None:
        return meta_for(context, self.server.converter)


def tools_from(server: McpServer, listing: "Listing") -> tuple[list[RemoteTool], list[Problem]]:
    """Return the tools of a server that its settings choose, in the server's order, and the problems with other tools.

    An invalid tool is left out with a warning. A missing required tool is an error that lists the existing tools.
    """
    wires = list({wire.name: wire for wire in listing.tools}.values())
    tools: list[RemoteTool] = []
    problems = [left_out(server, one) for one in listing.unreadable]
    taken: dict[str, str] = {}
    for wire in wires:
        name = offered_name(server, wire.name)
        place = place_of(server.name, wire.name)
        if name in taken:
            message = f"tools '{taken[name]}' and '{wire.name}' of MCP server '{server.name}' would both be '{name}'"
            problems.append(Problem(DUPLICATE_TOOL_NAME, message, place, "warning", "leave one out: exclude = ['…']"))
            continue
        try:
            tools.append(_checkable(RemoteTool(server, wire, name)))
        except InvalidTools as error:
            problems += [Problem(one.code, one.message, place, "warning", one.hint) for one in error.problems]
            continue
        taken[name] = wire.name
        problems += _hidden(server, tools[-1])
    names = [wire.name for wire in wires]
    missing = missing_tools(f"MCP server '{server.name}'", server.required, names, server.place)
    return _narrow(server, tools), [*problems, *missing]


def _checkable(tool: RemoteTool) -> RemoteTool:
    """Return the tool, or raise `InvalidTools` if validating against its schemas could take too long."""
    for schema in (tool.spec.parameters, tool.spec.output_schema):
        if fault := pattern_fault(schema):
            raise InvalidTools(problems=[Problem(NOT_A_TOOL, f"tool {tool.name!r} is left out: {fault}")])
    return tool


def offered_name(server: McpServer, wire_name: str) -> str:
    """Return the tool name that models see."""
    return f"{offered_prefix(server)}{legal_name(wire_name)}"


def left_out(server: McpServer, unreadable: "Unreadable") -> Problem:
    """Return the warning about a tool that violates the protocol."""
    message = f"tool '{unreadable.name}' of MCP server '{server.name}' violates the protocol: {unreadable.reason}"
    hint = "only this tool is left out; the server's author has to fix it"
    return Problem(NOT_A_TOOL, message, place_of(server.name, unreadable.name), "warning", hint)


def place_of(server: str, tool: str) -> Location:
    """Return the location of a remote tool for messages: `mcp://server/tool`."""
    return Location(f"mcp://{server}/{tool}")


def _narrow(server: McpServer, tools: list[RemoteTool]) -> list[RemoteTool]:
    if not server.tools and not server.exclude:
        return tools
    by_wire_name = [_Named(tool) for tool in tools]
    kept = chosen(by_wire_name, server.tools or ("*",), exclude=server.exclude)  # type: ignore[arg-type]  # it uses names only
    return [one.tool for one in kept]  # type: ignore[attr-defined]  # as above


class _Named:
    """A tool with the server's name for it, which settings use."""

    def __init__(self, tool: RemoteTool) -> None:
        self.tool = tool
        self.name = tool.wire_name


def _hidden(server: McpServer, tool: RemoteTool) -> list[Problem]:
    announced, shown = tool.announced, tool.spec
    if (announced.description, announced.parameters, announced.output_schema) == (
        shown.description,
        shown.parameters,
        shown.output_schema,
    ):
        return []
    message = f"tool '{tool.wire_name}' of MCP server '{server.name}' has invisible characters in its definition"
    hint = f"they are removed before models see it; `toolkit lint {server.name}` shows where they are"
    return [Problem(HIDDEN_UNICODE, message, place_of(server.name, tool.wire_name), "warning", hint)]


def _spec(server: McpServer, wire: "WireTool", name: str, marks: Mapping[str, Any]) -> ToolSpec:
    text = wire.description or wire.title or (wire.annotations.title if wire.annotations else None) or ""
    return ToolSpec(
        name,
        text,
        wire.input_schema,
        output_schema=wire.output_schema,
        source=f"mcp://{server.name}",
        names=(name, f"{server.name}.{wire.name}"),
        location=place_of(server.name, wire.name),
        metadata=presentation_of(_as_json(wire)),
        **marks,
    )


def _graver(wire: "WireTool", marks: dict[str, Any]) -> dict[str, Any]:
    """Return the marks of a tool; one that an untrusted server calls read-only and destructive is destructive."""
    if wire.annotations is None or not wire.annotations.destructive_hint:
        return marks
    return {mark: value for mark, value in marks.items() if mark != "read_only"} | {"destructive": True}


def _tightening(wire: "WireTool") -> dict[str, Any]:
    """Return the marks of a tool of an untrusted server, which can only make it more restricted."""
    claims = _graver(wire, marks_of(_as_json(wire)))
    return {"requires_approval": True} | {mark: True for mark in ("destructive", "open_world") if claims.get(mark)}


def _as_json(wire: "WireTool") -> dict[str, Any]:
    fields: dict[str, Any] = wire.model_dump(mode="json", by_alias=True, exclude_none=True, exclude=_SCHEMAS)
    return fields


def _without_hidden(wire: "WireTool") -> "WireTool":
    """Return a tool without characters that models read but people cannot see."""
    return type(wire).model_validate(without_hidden(wire.model_dump(mode="json", by_alias=True)))
