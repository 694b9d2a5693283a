"""TK713: a feature that the Model Context Protocol deprecates."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from toolkit.codes import DEPRECATED_FEATURE
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.source_files import last_name

_PACKAGES = ("mcp", "fastmcp")
_SHOWS_SSE = re.compile(r"(?<![a-z])sse(?![a-z])")
"""What the name of a file with a server for this transport contains; one for another transport is often beside it."""


_NEWER = (
    "streamable-http",
    "streamable_http",
    "StreamableHTTP",
    "streamableHttp",
    'transport="http"',
    "transport='http'",
)


class _Feature(NamedTuple):
    name: str
    instead: str
    since: str = "2026-07-28"


_LOGGING = _Feature("logging to the client", "write to stderr with the module 'logging'")
_SAMPLING = _Feature("sampling, which uses the client's model", "call the API of a provider of models")
_ROOTS = _Feature("roots, the folders of the client", "take folders as parameters, or from the server's settings")
_SSE = _Feature("the transport HTTP+SSE", "use 'streamable-http'", "2025-03-26")
_REGISTRATION = _Feature("dynamic client registration", "use client ID metadata documents")
_OF_CONTEXT = {
    **dict.fromkeys(("critical", "debug", "error", "info", "log", "warning", "send_log_message"), _LOGGING),
    **dict.fromkeys(("create_message", "sample", "sample_step"), _SAMPLING),
    "list_roots": _ROOTS,
}
_CALLS = {"sse_app": _SSE, "run_sse_async": _SSE, "SseServerTransport": _SSE, "create_sse_app": _SSE}


class DeprecatedFeature(Rule):
    '''A server of the MCP SDK or of FastMCP uses a feature that the protocol deprecates.

    ## Why

    The version 2026-07-28 of the protocol deprecates sampling, roots, logging to the client and dynamic client
    registration; the first version after 2027-07-28 may remove them. HTTP+SSE is deprecated since 2025-03-26. New
    clients do not have them, and then a tool that relies on one fails. The first use of each in a file is reported.
    HTTP+SSE is a warning if it is the only transport over the network that the project offers: an older server is unreachable for new clients.
    Beside streamable HTTP, in a file such as `sse_server.py` and in samples, it is an `info`, and so are the other features.
    Servers that `toolkit serve` runs offer none of them.

    ## Example

    ```python
    from mcp.server.mcpserver import Context, MCPServer

    server = MCPServer("weather")


    @server.tool()
    async def forecast(city: str, ctx: Context) -> str:
        """Forecast tomorrow's weather in a city."""
        await ctx.info("asked for a forecast")
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    import logging

    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool()
    async def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        logging.info("asked for a forecast")
        return f"sun in {city}"
    ```

    ## Source

    - MCP 2026-07-28, [Deprecated features](https://modelcontextprotocol.io/specification/2026-07-28/deprecated)
      (checked 2026-11-26)
    - mcp 2.3.0, `mcp/server/mcpserver/context.py`: "The logging capability is deprecated as of 2026-07-28 (SEP-2577)"
      (checked 2026-11-26)
    '''

    code = DEPRECATED_FEATURE

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        if not any(_is_of_mcp(name) for name in module.imported_names.values()):
            return
        contexts = {name for node in ast.walk(module.tree) for name in _contexts_of(node, module)}
        found: dict[_Feature, ast.expr] = {}
        for node in ast.walk(module.tree):
            feature = _feature_of(node, contexts) if isinstance(node, ast.Call) else None
            if feature is not None and isinstance(node, ast.Call):
                first = found.setdefault(feature, node.func)
                found[feature] = min(first, node.func, key=lambda one: (one.lineno, one.col_offset))
        for feature, place in found.items():
            message = f"MCP deprecates {feature.name}, since {feature.since}"
            is_only_way = feature is _SSE and not _has_another_way(module)
            severity: Severity = self.severity_in(module.file) if is_only_way else "info"
            yield self.problem(message, module.location(place), hint=feature.instead, severity=severity)


def _has_another_way(module: PythonFile) -> bool:
    """Whether a file shows this transport only, or the project also offers the newer one."""
    return _SHOWS_SSE.search(Path(module.file).stem) is not None or module.reader.is_mentioned(module, _NEWER)


def _is_of_mcp(name: str) -> bool:
    return name.partition(".")[0] in _PACKAGES


def _contexts_of(node: ast.AST, module: PythonFile) -> Iterator[str]:
    """Yield the parameters of a function whose type is the context of a server."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            words = ast.walk(parameter.annotation) if parameter.annotation else ()
            named = {last_name(word) for word in words}
            if "Context" in named and _is_of_mcp(module.imported_names.get("Context", "mcp")):
                yield parameter.arg


def _feature_of(call: ast.Call, contexts: set[str]) -> _Feature | None:
    name = last_name(call.func)
    if isinstance(call.func, ast.Attribute) and name in _OF_CONTEXT:
        owner = call.func.value
        while isinstance(owner, ast.Attribute) and owner.attr in {"session", "request_context"}:
            owner = owner.value
        if isinstance(owner, ast.Name) and owner.id in contexts:
            return _OF_CONTEXT[name]
    if name == "ClientRegistrationOptions" and _keyword(call, "enabled") is True:
        return _REGISTRATION
    if name in {"run", "run_async", "http_app"} and _keyword(call, "transport") == "sse":
        return _SSE
    return _CALLS.get(name)


def _keyword(call: ast.Call, name: str) -> object:
    value = next((one.value for one in call.keywords if one.arg == name), None)
    return value.value if isinstance(value, ast.Constant) else None
