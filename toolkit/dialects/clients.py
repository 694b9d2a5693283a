"""Lists the limits of MCP clients, each with its source and the day it was checked.

A client passes tools on to a provider, often with the server's name as a prefix. These are the limits of the client
itself: what it refuses, drops or changes. Limits without a source are not listed.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from toolkit.codes import (
    BOOLEAN_SUBSCHEMA,
    INVALID_PARAMETER_NAME,
    LONG_TOOL_NAME,
    ROOT_NOT_OBJECT,
    UNSUPPORTED_KEYWORD,
)
from toolkit.dialects.provider_limits import Limit, Limits, Objection, Source, refusal
from toolkit.dialects.schema_parts import child
from toolkit.schemas.schema import Schema

_NOVEMBER = "2026-11-23"


def _issue(repository: str, number: int) -> Source:
    return Source(f"https://github.com/{repository}/issues/{number}", _NOVEMBER)


_WORD = r"[a-zA-Z0-9_-]+"
_WORD_SAYS = "a name has only letters, digits, underscores and hyphens"
_VSCODE_NAMES = Source("vscode, src/vs/workbench/contrib/mcp/common/mcpTypes.ts: McpToolName", _NOVEMBER)
_VSCODE_SCHEMAS = Source("vscode-copilot-chat, src/extension/tools/common/toolSchemaNormalizer.ts", _NOVEMBER)
_CLINE_NAMES = Source("cline, src/core/prompts/system-prompt/registry/ClineToolSet.ts", _NOVEMBER)
_GEMINI_NAMES = Source("gemini-cli, packages/core/src/tools/mcp-tool.ts: generateValidName", _NOVEMBER)
_WINDSURF_TOOLS = Source("https://docs.windsurf.com/windsurf/cascade/mcp", _NOVEMBER)

CLIENTS: dict[str, Limits] = {
    "claude-code": Limits(
        title="Claude Code",
        name=Limit(_WORD, _WORD_SAYS, _issue("anthropics/claude-code", 985)),
        name_length=Limit(
            64, "a name has at most 64 characters with its prefix", _issue("mims-harvard/ToolUniverse", 65)
        ),
        prefix=Limit("mcp__{server}__", "names begin with mcp__server__", _issue("mims-harvard/ToolUniverse", 65)),
        root_parameter_name=Limit(
            r"[a-zA-Z0-9_.-]{1,64}",
            "a parameter's name has only letters, digits, and _ . -, at most 64; any other drops the tool",
            _issue("anthropics/claude-code", 92648),
        ),
        root=Limit(
            frozenset({"oneOf", "anyOf", "allOf", "if"}),
            "a tool with oneOf, anyOf, allOf or if at the root is dropped",
            _issue("anthropics/claude-code", 95504),
        ),
        root_object=Limit(
            True,
            "a root that is not of type object drops all tools of the server",
            _issue("anthropics/claude-code", 88049),
        ),
        boolean_properties=Limit(
            False,
            "a property whose schema is true or false drops all tools of the server",
            _issue("anthropics/claude-code", 92900),
        ),
    ),
    "claude-desktop": Limits(
        title="Claude Desktop",
        name=Limit(_WORD, f"{_WORD_SAYS}; any other makes it refuse all tools", _issue("loomle/loomle", 168)),
        name_length=Limit(64, "a name has at most 64 characters", _issue("loomle/loomle", 168)),
    ),
    "cursor": Limits(
        title="Cursor",
        name_length=Limit(
            59,
            "a name has at most 59 characters together with that of its server; a longer one is filtered out",
            _issue("ComposioHQ/composio", 2788),
        ),
        prefix=Limit(
            "{server}", "the name of the server counts towards the length", _issue("ComposioHQ/composio", 2788)
        ),
        tools_advised=Limit(80, "more than 80 tools of all servers cause a warning", _issue("Snowflake-Labs/mcp", 77)),
        one_type=Limit(
            True, "a call is refused if type is a list, such as ['null', 'string']", _issue("cursor/cursor", 3778)
        ),
    ),
    "vscode": Limits(
        title="VS Code",
        name_length_sure=Limit(64, "a name is cut after 64 characters, its prefix included", _VSCODE_NAMES),
        prefix=Limit("mcp_{server}_", "names begin with mcp_server_, of which at most 18 characters", _VSCODE_NAMES),
        prefix_length=Limit(18, "a prefix has at most 18 characters", _VSCODE_NAMES),
        tools=Limit(128, "a request has at most 128 tools", _issue("microsoft/vscode", 258890)),
        items_wanted=Limit(
            True, "an array must describe its items; otherwise the whole request fails", _VSCODE_SCHEMAS
        ),
        root=Limit(
            frozenset({"oneOf", "anyOf", "allOf", "not", "if", "then", "else"}),
            "oneOf, anyOf, allOf, not, if, then and else are removed from the root",
            _VSCODE_SCHEMAS,
        ),
    ),
    "cline": Limits(
        title="Cline",
        name_length=Limit(
            64, "a name has at most 64 characters with its prefix; a longer one is skipped", _CLINE_NAMES
        ),
        prefix=Limit("k0mcp0", "names begin with a key of the server and 0mcp0", _CLINE_NAMES),
    ),
    "windsurf": Limits(
        title="Windsurf",
        tools=Limit(100, "there are at most 100 tools of all servers", _WINDSURF_TOOLS),
    ),
    "gemini-cli": Limits(
        title="Gemini CLI",
        name_length_sure=Limit(63, "the middle of a name of more than 63 characters is replaced", _GEMINI_NAMES),
    ),
    "copilot-cli": Limits(
        title="Copilot CLI",
        name=Limit(_WORD, _WORD_SAYS, _issue("github/copilot-cli", 1879)),
        name_length=Limit(64, "a name has at most 64 characters with its prefix", _issue("microsoft/mcp", 842)),
        prefix=Limit("{server}-", "names begin with the name of the server and a hyphen", _issue("microsoft/mcp", 842)),
    ),
    "opencode": Limits(
        title="OpenCode",
        boolean_properties=Limit(
            False,
            "a property whose schema is true or false makes all tools of the server fail",
            _issue("anomalyco/opencode", 49464),
        ),
    ),
}
"""The limits of each client."""


_SERVER = "{server}"


def length_objections(name: str, source: str, limits: Limits, prefix: str) -> Iterator[Objection]:
    """Yield objections to the length of a name, including its prefix.

    A name that only fits after a shorter server name is a warning, since users choose the names of servers.
    """
    limit = limits.name_length or limits.name_length_sure
    if limit is None:
        return
    server = PurePath(source).stem.replace(" ", "_")
    least, whole = prefix.replace(_SERVER, "s"), prefix.replace(_SERVER, server)
    if limits.prefix_length:
        least, whole = least[: limits.prefix_length.value], whole[: limits.prefix_length.value]
    hint = "shorten it, or the name of the server"
    if limits.name_length and len(least) + len(name) > limit.value:
        room = limit.value - len(least)
        message = f"the name {name!r} has {len(name)} characters, and {limits.title} leaves room for {room}"
        yield refusal(LONG_TOOL_NAME, "/name", f"{message} after its prefix", limit, hint=hint)
    elif server and len(whole) + len(name) > limit.value:
        size = len(whole) + len(name)
        message = f"the name {name!r} has {size} characters with {whole!r} before it: in {limits.title}, {limit.says}"
        yield Objection(LONG_TOOL_NAME, "/name", message=message, severity="warning", limit=limit, hint=hint)


def client_objections(schema: Mapping[str, Any], limits: Limits) -> Iterator[Objection]:
    """Yield objections to the schema of the parameters, which is sent unchanged."""
    yield from _at_the_root(schema, limits)
    for part in Schema.of(schema).parts():
        yield from _of_part(part.keywords, child("/parameters", *map(str, part.pointer)), limits)


def _at_the_root(schema: Mapping[str, Any], limits: Limits) -> Iterator[Objection]:
    if limits.root_object and schema.get("type") != "object":
        message = f"the root is not of type 'object': in {limits.title}, {limits.root_object.says}"
        yield refusal(ROOT_NOT_OBJECT, "/parameters", message, limits.root_object, hint='write "type": "object"')
    if limits.root:
        for keyword in sorted(limits.root.value & schema.keys()):
            message = f"'{keyword}' is at the root: in {limits.title}, {limits.root.says}"
            hint = "use one object with optional members, or several tools"
            yield refusal(UNSUPPORTED_KEYWORD, f"/parameters/{keyword}", message, limits.root, hint=hint)
    pattern = limits.root_parameter_name
    for name in _members(schema):
        if pattern and not re.fullmatch(pattern.value, name):
            place = child("/parameters/properties", name)
            message = f"the parameter {name!r} does not fit: in {limits.title}, {pattern.says}"
            yield refusal(INVALID_PARAMETER_NAME, place, message, pattern, hint="rename it")


def _of_part(part: Mapping[str, Any], place: str, limits: Limits) -> Iterator[Objection]:
    if limits.boolean_properties:
        for name, inner in _members(part).items():
            if isinstance(inner, bool):
                says = limits.boolean_properties.says
                message = f"the schema of {name!r} is only {str(inner).lower()}: in {limits.title}, {says}"
                yield refusal(BOOLEAN_SUBSCHEMA, f"{place}/properties/{name}", message, limits.boolean_properties)
    if limits.items_wanted and part.get("type") == "array" and not part.get("items"):
        message = f"an array has no 'items': in {limits.title}, {limits.items_wanted.says}"
        hint = "describe its items, such as list[str]"
        yield refusal(UNSUPPORTED_KEYWORD, place, message, limits.items_wanted, hint=hint)
    if limits.one_type and isinstance(part.get("type"), list):
        message = f"'type' is a list: in {limits.title}, {limits.one_type.says}"
        yield refusal(UNSUPPORTED_KEYWORD, f"{place}/type", message, limits.one_type, hint="write an anyOf")


def _members(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}
