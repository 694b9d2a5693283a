"""TK320: a parameter with an invalid `x-mcp-header`."""

import re
from collections.abc import Iterator

from toolkit.codes import X_MCP_HEADER
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.places import steps_of

_KEY = "x-mcp-header"
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TYPES = {"integer", "string", "boolean"}
_SECRET = re.compile(
    r"(?:^|[_-])(?:api_?key|password|passwd|secret|token|credentials?|authorization)(?:$|[_-])", re.IGNORECASE
)


class XMcpHeader(Rule):
    """A parameter with `x-mcp-header` does not meet the requirements for it.

    ## Why

    A server may ask clients to send a parameter as a header too, so that gateways can read it. The name must be an HTTP
    token that no other parameter uses, regardless of case. The parameter must be a string, an integer or a boolean, and
    be reachable through `properties` alone. Clients silently drop a tool that violates this. Never use it for a secret,
    because headers appear in logs.

    ## Example

    ```json
    [
      {
        "name": "find_order",
        "description": "Find an order of the shop by its number.",
        "inputSchema": {
          "type": "object",
          "properties": {"shop": {"type": "string", "description": "The shop.", "x-mcp-header": "Shop name"}}
        }
      }
    ]
    ```

    ## Instead

    ```json
    [
      {
        "name": "find_order",
        "description": "Find an order of the shop by its number.",
        "inputSchema": {
          "type": "object",
          "properties": {"shop": {"type": "string", "description": "The shop.", "x-mcp-header": "Shop-Name"}}
        }
      }
    ]
    ```

    ## Source

    - MCP 2026-07-28, [Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools): `x-mcp-header`
      (checked 2026-11-22)
    """

    code = X_MCP_HEADER
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        seen: set[str] = set()
        for path, schema in tool.schemas():
            if _KEY not in schema:
                continue
            header = schema[_KEY]
            for what, hint in _faults(path, header, schema.get("type"), seen):
                yield self.problem(
                    f"the header of {_name(path)} in {tool.name!r} {what}", tool.place(*path, _KEY), hint=hint
                )
            seen.add(str(header).lower())


def _faults(path: tuple[str | int, ...], header: object, kind: object, seen: set[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(header, str) or not _TOKEN.fullmatch(header):
        yield f"is {header!r}, which is not a valid name", "use letters, digits and hyphens"
    elif header.lower() in seen:
        yield f"is {header!r}, which another parameter has", "header names must differ in more than case"
    if not isinstance(kind, str) or kind not in _TYPES:
        yield "has a value that a header cannot contain", "only strings, integers and booleans are possible"
    if {keyword for keyword, _ in steps_of(path)} != {"properties"}:
        yield "is not allowed there", "a parameter with a header must be reachable through 'properties' alone"
    if path and _SECRET.search(str(path[-1])):
        yield "would carry a secret", "headers appear in logs: let the server read secrets from its own settings"


def _name(path: tuple[str | int, ...]) -> str:
    return f"parameter {path[-1]!r}" if path else "the parameters"
