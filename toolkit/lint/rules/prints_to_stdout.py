"""TK407: a tool prints to where its server talks."""

import ast
from collections.abc import Iterator

from toolkit.lint.importing import importing
from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Fix, Problem


class PrintsToStdout(Rule):
    '''A tool prints to standard output, where an MCP server talks to its client.

    ## Why

    Over stdio every line on standard output is a message. `toolkit serve` keeps what tools print away from it, but other
    servers do not: one `print` there breaks the connection. What is meant for people belongs on standard error, and what is
    meant for the model belongs into the result.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        print("looking out of the window")
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    import sys

    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        print("looking out of the window", file=sys.stderr)
        return f"sun in {city}"
    ```

    ## Source

    - MCP 2025-11-25, [Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports): "The server MUST NOT
      write anything to its stdout that is not a valid MCP message" (checked 2026-11-22)
    '''

    code = "TK407"
    name = "prints-to-stdout"
    fix = "unsafe"
    providers = ("mcp",)

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for node, meaning in function.calls():
            if meaning in {"print", "builtins.print"} and not any(one.arg in {"file", None} for one in node.keywords):
                message = f"tool {function.tool_name!r} prints to standard output"
                place = function.file.location(node)
                yield self.problem(
                    message, place, hint="write file=sys.stderr, or log it", fix=self._fix(function, node)
                )

    def _fix(self, function: PythonFunction, node: ast.Call) -> Fix:
        file = function.file
        end = file.span(node)[1] - 1
        last: list[ast.expr] = [*node.args, *(one.value for one in node.keywords)]
        behind = max((file.span(one)[1] for one in last), default=end)
        edit = file.edit(behind, behind, ", file=sys.stderr" if last else "file=sys.stderr")
        return self.fixed_by("Print to standard error", edit, *importing(file, "sys"))
