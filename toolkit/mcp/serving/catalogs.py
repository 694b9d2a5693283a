"""Decide which tools each client is currently offered, and define these tools as clients receive them.

Each session has its own list, which grows by the tools that a facade reveals. In the stateless era, all clients see the
same unchanging list; if it has facades, two more tools search for the tools behind them and call these.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header, x_mcp_header_map
from mcp_types import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolkit.dialects import export
from toolkit.disclosure.denials import permitted
from toolkit.disclosure.offering import offer, unfolded_by
from toolkit.disclosure.progressive import facade_in
from toolkit.disclosure.searching import ToolIndex
from toolkit.errors import ToolExecutionError
from toolkit.json_texts import json_text
from toolkit.problems import did_you_mean
from toolkit.redactors.redactor import Redactor
from toolkit.schemas.places import definitions_in
from toolkit.schemas.validation import Validator
from toolkit.tools.base import HandmadeTool, Tool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.shapes.schema_shapes import misfit_in_words, shape_of_schema

_OF_MCP = "2020-12"  # the draft of schemas in MCP that declare none

RESULT = "result"
"""The key of a structured result that is not an object, for clients that accept objects only."""


class Definition:
    """The definition of a tool for clients, in both eras of the protocol."""

    def __init__(self, spec: ToolSpec, redactor: Redactor) -> None:
        """Create the definition.

        Args:
            spec: The specification of the tool.
            redactor: Masks secrets.
        """
        written: dict[str, Any] = redactor.data(_as_json(export(spec, "mcp").definition))
        output = redactor.data(_as_json(spec.promised_output)) if _says_something(spec.promised_output) else None
        self.name = spec.name
        self.input_schema: dict[str, Any] = written["inputSchema"]
        self._output = _check(output)
        written.pop("outputSchema", None)
        self._of_now = types.Tool.model_validate(_with_output(written, self._output))
        self._of_handshake = types.Tool.model_validate(_with_output(written, self._wrapped_output()))

    def in_era(self, version: str) -> types.Tool:
        """Return the definition for a client of a protocol version."""
        return self._of_now if version in MODERN_PROTOCOL_VERSIONS else self._of_handshake

    @cached_property
    def names_headers(self) -> bool:
        """Whether arguments are also sent in headers (`x-mcp-header`), which the server has to compare."""
        schema = self.input_schema
        return find_invalid_x_mcp_header(schema) is None and bool(x_mcp_header_map(schema))

    @property
    def promises_output(self) -> bool:
        """Whether clients receive an output schema."""
        return self._output is not None

    @property
    def feeds_page(self) -> bool:
        """Whether a page of the server (MCP Apps) shows the structured results, which then are not for the model."""
        return "ui" in (self._of_now.meta or {})

    def fault_of(self, structured: Any) -> str | None:
        """Return why a structured result does not match the output schema, or `None` if it does."""
        return None if self._output is None else misfit_in_words(self._validator, structured)

    def content_in_era(self, structured: Any, version: str) -> Any:
        """Return a structured result in the form for a client of a protocol version."""
        if version in MODERN_PROTOCOL_VERSIONS:
            return structured
        if isinstance(structured, dict) and not self._is_wrapped:
            return structured
        return {RESULT: structured}

    @property
    def _is_wrapped(self) -> bool:
        return self._output is not None and self._output.get("type") != "object"

    def _wrapped_output(self) -> dict[str, Any] | None:
        """Return the output schema for clients that accept objects only."""
        if self._output is None or not self._is_wrapped:
            return self._output
        shared = definitions_in(self._output)
        inner = {key: value for key, value in self._output.items() if key not in shared}
        return {"type": "object", "properties": {RESULT: inner}, "required": [RESULT], **shared}

    @cached_property
    def _validator(self) -> Validator:
        return Validator(self._output, draft=_OF_MCP)


def _with_output(written: dict[str, Any], output: dict[str, Any] | None) -> dict[str, Any]:
    return written if output is None else written | {"outputSchema": output}


def _says_something(output: Mapping[str, Any] | None) -> bool:
    """Return whether an output schema says more than that the result is a string, which is always true."""
    return output is not None and output.get("type") != "string"


def _check(schema: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a schema if results can be validated against it, or `None`: what cannot be checked is not promised."""
    try:
        if schema is not None:
            Validator(schema, draft=_OF_MCP)
    except ValueError:
        return None
    return schema


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def check_required_text(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Check that a call of a text tool has its text; other tools check their arguments themselves.

    Raises:
        ToolArgumentsError: If the text is missing. The message suggests the closest parameter.
    """
    if tool.pipe == "text" and any(arguments.get(name) is None for name in tool.spec.required):
        shape_of_schema(tool.spec.parameters, foreign=True).read(arguments, drops_nulls=False)


LONGEST = 200
"""Maximum number of tools on a page."""

_INVALID = "Invalid cursor: the list may have changed; start again without a cursor"


class Page(NamedTuple):
    """A page of a tool list.

    Attributes:
        tools: The tools.
        next_cursor: The cursor of the next page, or `None` on the last page.
    """

    tools: list[Tool]
    next_cursor: str | None


def page_of(offered: Mapping[str, Tool], cursor: str | None) -> Page:
    """Return the page for a cursor, or the first page without one.

    Raises:
        MCPError: If the cursor is not valid.
    """
    tools = [*offered.values()]
    if cursor is None and len(tools) <= LONGEST:
        return Page(tools, None)
    mark = sha256("\n".join(offered).encode()).hexdigest()[:16]
    starts = {f"{mark}-{start}": start for start in range(LONGEST, len(tools), LONGEST)}
    if cursor is not None and cursor not in starts:
        raise MCPError(INVALID_PARAMS, _INVALID)
    end = LONGEST + (0 if cursor is None else starts[cursor])
    return Page(tools[end - LONGEST : end], f"{mark}-{end}" if end < len(tools) else None)


_SESSIONS = 1_000
_MOST_FOUND = 10
_DEEPEST = 8

SEARCH, CALL = "search_tools", "call_tool"

_QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "Words that describe the task, such as 'send an email'"}},
    "required": ["query"],
}
_CALLED = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The name of the tool after that of its facade: facade.tool"},
        "arguments": {"type": "object", "description": "The arguments of the tool"},
        "choice": {"type": "object", "description": "The arguments of the facade itself, if it takes any"},
    },
    "required": ["name"],
}


class Catalog:
    """The served tools, and the tools that each session is offered."""

    def __init__(self, tools: Mapping[str, Tool], redactor: Redactor) -> None:
        """Offer tools.

        Args:
            tools: The tools by name, in the order in which clients see them.
            redactor: Masks secrets in definitions; it learns the tools' own secrets.
        """
        self._redactor = redactor
        self._definitions: WeakKeyDictionary[Tool, Definition] = WeakKeyDictionary()
        self._sessions: OrderedDict[str, dict[str, Tool]] = OrderedDict()
        self._base: dict[str, Tool] = {}
        self.known: dict[str, Tool] = {}
        """All served tools by their own names, including those behind facades; updated when tools are replaced."""
        self._stateless: dict[str, Tool] = {}
        self.replace(tools)

    def replace(self, tools: Mapping[str, Tool]) -> None:
        """Replace all tools; tools that facades have revealed are hidden again."""
        self._base = dict(tools)
        self._stateless = {**tools, **_facade_tools(tools)}
        self.known.clear()
        self.known |= {tool.name: tool for tool in _reachable(tools).values()} | self._base
        self._sessions.clear()

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that a new session is offered."""
        return self._base

    def offered(self, session: str | None) -> Mapping[str, Tool]:
        """Return the tools that a session is offered, or those of the stateless era if there is no session."""
        if session is None:
            return self._stateless
        table = self._sessions.get(session, self._base)
        if session in self._sessions:
            self._sessions.move_to_end(session)
        return table

    def definition(self, tool: Tool) -> Definition:
        """Return the definition of a tool, as clients see it."""
        if tool not in self._definitions:
            self._redactor.learn(*tool.own_secrets)
            spec = replace(tool.spec, read_only=None) if isinstance(tool, _CallTool) else tool.spec
            self._definitions[tool] = Definition(spec, self._redactor)
        return self._definitions[tool]

    def unfold(self, session: str, called: str, result: ToolResult) -> ToolResult | None:
        """Add the tools that a call has revealed to those of a session.

        Returns:
            The result as the client receives it, or `None` if the call has revealed nothing.
        """
        if (unfolded := unfolded_by(result)) is None:
            return None
        self._sessions[session], remark = offer(self.offered(session), called, unfolded)
        while len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
        text = f"{result.output}\n{remark}" if remark else result.output
        return ToolResult.success(text, structured=result.structured)

    def listing(self, called: str, result: ToolResult) -> ToolResult:
        """Return the result of a call with instructions for calling the revealed tools, for the stateless era."""
        if (unfolded := unfolded_by(result)) is None:
            return result
        listed = [_describe(f"{called}.{tool.name}", tool) for tool in unfolded.tools]
        call = next(name for name, tool in self._stateless.items() if isinstance(tool, _CallTool))
        notes = f"\n\n{unfolded.notes}" if unfolded.notes else ""
        return ToolResult.success(_in_words(listed, call) + notes, structured={"tools": listed})


def _facade_tools(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return the tools that search for and call tools behind facades, if there are any facades."""
    if all(facade_in(tool) is None for tool in tools.values()):
        return {}
    call = _CallTool(_free(CALL, tools), tools)
    search = _search_tool(_free(SEARCH, tools), tools, call.name)
    return {search.name: search, call.name: call}


def _free(name: str, tools: Mapping[str, Tool]) -> str:
    while name in tools:
        name = f"toolkit_{name}"
    return name


def _reachable(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return all tools behind facades, by their dotted names."""
    found: dict[str, Tool] = {}
    waiting = [(name, tool) for name, tool in tools.items() if facade_in(tool) is not None]
    while waiting:
        path, tool = waiting.pop(0)
        facade = facade_in(tool)
        for inner in facade.inner_tools if facade is not None and path.count(".") < _DEEPEST else ():
            found.setdefault(f"{path}.{inner.name}", inner)
            waiting.append((f"{path}.{inner.name}", inner))
    return found


def _search_tool(name: str, tools: Mapping[str, Tool], call: str) -> Tool:
    behind = {path: tool for path, tool in _reachable(tools).items() if facade_in(tool) is None}
    index = ToolIndex(list(behind.values()))

    def search(query: str, context: ToolContext) -> ToolResult:
        tools = permitted(behind.values(), context)
        found = index if len(tools) == len(behind) else ToolIndex(tools)
        places = {id(tool): path for path, tool in reversed(behind.items())}
        listed = [_describe(places[id(tool)], tool) for tool in found.rank(query)[:_MOST_FOUND]]
        if not listed:
            return ToolResult(f"No tool was found for '{query}'. Try other words.", structured={"tools": []})
        return ToolResult(_in_words(listed, call), structured={"tools": listed})

    facades = ", ".join(name for name, tool in tools.items() if facade_in(tool) is not None)
    text = f"Find tools behind {facades} by what they do. Call them with {call}."
    return Tool.create(name, text, _QUERY, search, read_only=True, open_world=False)


class _CallTool(HandmadeTool):
    """Calls a tool behind a facade.

    This tool itself needs no approval, so it is marked as read-only, but the call that it makes does, according to the
    marks of the called tool. Clients do not see the mark, because they cannot know which tool is called.
    """

    delegates = True

    def __init__(self, name: str, tools: Mapping[str, Tool]) -> None:
        self._tools = dict(tools)
        self._behind = _reachable(tools)
        text = "Call a tool behind another one, by the name that the other tool or a search has listed."
        super().__init__(name, text, _CALLED, self._call, read_only=True)

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The tools behind facades."""
        return tuple(self._behind.values())

    async def _call(
        self,
        context: ToolContext,
        name: str,
        arguments: dict[str, Any] | None = None,
        choice: dict[str, Any] | None = None,
    ) -> ToolResult:
        """Call the facades on the path one after the other, then the tool behind the last one."""
        path = self._whole(name).split(".")
        tool = self._tools.get(path[0])
        if tool is None or len(path) == 1 or len(path) > _DEEPEST:
            raise ToolExecutionError(self._unknown(name))
        for step in path[1:]:
            facade = facade_in(tool)
            if facade is None:
                raise ToolExecutionError(self._unknown(name))
            result = await tool.call((choice or {}) if facade.chooses else {}, context)
            unfolded = unfolded_by(result)
            if unfolded is None:
                return result
            found = next((inner for inner in unfolded.tools if inner.name == step), None)
            if found is None:
                raise ToolExecutionError(self._unknown(name))
            tool = found
        check_required_text(tool, arguments or {})
        return await tool.call(arguments or {}, context)

    def _whole(self, name: str) -> str:
        """Return the dotted name of the only tool with this bare name, or the name unchanged."""
        meant = [path for path in self._behind if path.rpartition(".")[2] == name]
        return meant[0] if len(meant) == 1 else name

    def _unknown(self, name: str) -> str:
        there = (
            f"there are: {', '.join(self._behind)}" if self._behind else "call the facade first, to see what there is"
        )
        return f"no tool '{name}' is behind another one; {did_you_mean(name, self._behind, otherwise=there)}"


def _describe(path: str, tool: Tool) -> dict[str, Any]:
    return {"name": path, "description": tool.description, "parameters": dict(tool.spec.parameters)}


def _in_words(listed: list[dict[str, Any]], call: str) -> str:
    lines = "".join(
        f"\n- {one['name']}: {one['description']}\n  parameters: {json_text(one['parameters'])}" for one in listed
    )
    return f"Call one of these with {call}(name, arguments):{lines}"
