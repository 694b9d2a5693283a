"""TK714: a tool with a user interface that no resource provides."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from toolkit.codes import MISSING_UI_RESOURCE
from toolkit.lint.definitions.project_code import ProjectCode
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.source_files import last_name

_SCHEME = "ui://"
_ADDRESS = re.compile(r"""["'](ui://[^"'{]*)""")


class MissingUiResource(Rule):
    '''A tool names a user interface (MCP Apps) that no resource of the project provides.

    ## Why

    A host with MCP Apps reads the resource that `_meta.ui.resourceUri` of a tool names, and shows it with the result.
    The address must begin with `ui://`. Without the resource, a host shows nothing, or an error, and other clients
    notice nothing. An address that the project writes only once has no resource.

    ## Example

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool(meta={"ui": {"resourceUri": "ui://weather/map.html"}})
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool(meta={"ui": {"resourceUri": "ui://weather/map.html"}})
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"


    @server.resource("ui://weather/map.html", mime_type="text/html;profile=mcp-app")
    def weather_map() -> str:
        """The map of the weather."""
        return "<p>A map.</p>"
    ```

    ## Source

    - MCP Apps 2026-01-26, [Specification](https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx):
      UI resources (checked 2026-11-26, at commit 1f84764)
    '''

    code = MISSING_UI_RESOURCE

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        named = list(_named_in(module.tree)) if "esource" in module.text else []
        written: list[str] | None = None
        for node, address in named:
            if not address.startswith(_SCHEME):
                yield self.problem(f"the address {address!r} does not begin with 'ui://'", module.location(node))
                continue
            if written is None:
                texts = {**ProjectCode.around(Path(module.file).absolute().parent).sources, module.file: module.text}
                written = [found for text in texts.values() for found in _ADDRESS.findall(text)]
            others = written.count(address) - sum(one == address for _, one in named)
            templates = [one for one in written if one != address and one.endswith("/") and address.startswith(one)]
            if others <= 0 and not templates:
                message = f"no resource of the project has the address {address!r}"
                yield self.problem(message, module.location(node), hint="add the resource, or correct the address")


def _named_in(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """Yield each constant that names the user interface of a tool."""
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        if isinstance(node, ast.Dict):
            inner = _value_in(node, "ui")
            found = [_value_in(node, "ui/resourceUri"), _value_in(inner, "resourceUri")]
        elif isinstance(node, ast.Call) and last_name(node.func) == "AppConfig":
            found = [one.value for one in node.keywords if one.arg in {"resource_uri", "resourceUri"}]
        for value in found:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value, value.value


def _value_in(node: ast.expr | None, name: str) -> ast.expr | None:
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return next((value for key, value in pairs if isinstance(key, ast.Constant) and key.value == name), None)
