"""TK320: a parameter that a client sends as a header, in a way that no client takes."""

import re
from collections.abc import Iterator

from toolkit.codes import X_MCP_HEADER
from toolkit.lint.definitions import ToolDefinition
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
    """A parameter with `x-mcp-header` breaks one of the conditions for that.

    ## Why

    A server may ask that a parameter travels in a header too, so that gateways can read it. The name must be a
    token of HTTP and stand only once, however it is capitalised; the parameter must be a text, a whole number or a
    truth value, and be reached through `properties` alone. A client silently drops a tool that breaks this. Never
    use it for a secret, because headers appear in logs.

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
        yield f"is {header!r}, which cannot be the name of one", "use letters, digits and hyphens"
    elif header.lower() in seen:
        yield f"is {header!r}, which another parameter has", "names of headers differ in more than capitals"
    if not isinstance(kind, str) or kind not in _TYPES:
        yield "has a value that cannot be written there", "only texts, whole numbers, and true or false can"
    if {keyword for keyword, _ in steps_of(path)} != {"properties"}:
        yield "may not be there", "a parameter with a header is reached through 'properties' alone"
    if path and _SECRET.search(str(path[-1])):
        yield "would carry a secret", "headers appear in logs: let the server read secrets from its own settings"


def _name(path: tuple[str | int, ...]) -> str:
    return f"parameter {path[-1]!r}" if path else "the parameters"
