"""TK701: a decorator that must be called is used without parentheses."""

import ast
from collections.abc import Iterator

from toolkit.codes import MARK_WITHOUT_CALL
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class MarkWithoutCall(Rule):
    '''A decorator that must be called is used without parentheses.

    ## Why

    The decorator receives the function as its first argument and raises an error. The module cannot be imported, so the
    server never starts.

    A decorator is reported only if the source shows that it is the framework's own. A decorator of the project that wraps
    it, or one of an object whose class the source does not show, may accept both forms.

    ## Example

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool()
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - mcp 2.3.0, `mcp/server/mcpserver/server.py`: "Did you forget to call it? Use @tool() instead of @tool" (checked 2026-11-22)
    '''

    code = MARK_WITHOUT_CALL
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool, mark = function.written, function.mark
        if tool is None or tool.kind != "decorator" or mark is None or isinstance(mark, ast.Call):
            return
        if tool.is_wrapped or tool.is_guessed:
            return  # a decorator of the project may be one that need not be called
        ends = tool.demands.calls
        if ends and tool.registration and any(name.endswith(ends) for name in tool.registration.names):
            message = f"the decorator of tool {function.tool_name!r} is not called, so importing the module fails"
            hint = f"write @{function.file.segment(mark)}(…) with its arguments, if any, in parentheses"
            yield self.problem(message, function.file.location(mark), hint=hint)
