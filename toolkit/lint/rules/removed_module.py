"""TK710: a requirement allows a version without a module that the file imports."""

import ast
from collections.abc import Iterator

from toolkit.codes import REMOVED_MODULE
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.requirements import is_locked_below, unbounded_requirement


class RemovedModule(Rule):
    '''A requirement allows a version without a module that the file imports.

    ## Why

    A fresh install gets the newest version. If the requirement has no upper bound, that version lacks the module, and
    the server fails at startup on every newly installed machine. It is an `info` if a lock file of the project has an
    older version.

    ## Example

    ```python
    # /// script
    # dependencies = ["mcp>=1.2"]
    # ///
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    # /// script
    # dependencies = ["mcp>=1.2,<2"]
    # ///
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - mcp 2.3.0, `mcp/server/fastmcp.py`: "This is mcp 2.x, where FastMCP was renamed to MCPServer … or pin 'mcp<2'" (checked 2026-11-22)
    '''

    code = REMOVED_MODULE
    severity = "error"

    def check_module(self, module: PythonFile) -> Iterator[Problem]:
        removed = {one for tool in module.written for one in tool.marks.demands.removed}
        for node in module.statements if removed else ():
            if not (isinstance(node, ast.ImportFrom) and node.module and not node.level):
                continue
            for name, package, version in sorted(removed):
                found = unbounded_requirement(module, package) if _is_within(node.module, name) else None
                if found is not None:
                    message = (
                        f"{name!r} was removed in {package} {version}, which {found.text!r} in '{found.file}' allows"
                    )
                    hint = f"write '{package}<{version}', or use its replacement"
                    severity = "info" if is_locked_below(module, package, version) else self.severity
                    yield self.problem(message, module.location(node), hint=hint, severity=severity)


def _is_within(module: str, name: str) -> bool:
    return module == name or module.startswith(f"{name}.")
