"""TK709: a tool takes `*args` or `**kwargs`, which no model can fill."""

from collections.abc import Iterator

from toolkit.codes import VARIADIC_PARAMETER
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class VariadicParameter(Rule):
    '''A tool takes `*args` or `**kwargs`, which no model can fill.

    ## Why

    Some frameworks refuse such a function when the module is imported. Others turn `*args` into one parameter called
    `args`, and the function receives something unexpected. A finding is essential only if the framework's own decorator
    is above the function: a project may give the function another signature before it registers it with a call.

    ## Example

    ```python
    from fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool
    def forecast(*cities: str) -> str:
        """Forecast tomorrow's weather in some cities."""
        return f"sun in {cities}"
    ```

    ## Instead

    ```python
    from fastmcp import FastMCP

    server = FastMCP("weather")


    @server.tool
    def forecast(cities: list[str]) -> str:
        """Forecast tomorrow's weather in some cities."""
        return f"sun in {cities}"
    ```

    ## Source

    - fastmcp 4.1.2, run: "Functions with *args are not supported as tools"; mcp 2.3.0, run: the schema requires `args` (checked 2026-11-22)
    - ag2 0.9.10, run: the schema requires `args` and `kw` (checked 2026-11-29)
    '''

    code = VARIADIC_PARAMETER
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        if tool is None or function.is_decorated or function.has_other_signature or function.is_lookalike:
            return  # another decorator may give it another signature, or the project calls the method of its class
        for parameter in function.all_parameters:
            if parameter.kind in tool.demands.variadic:
                message = f"tool {function.tool_name!r} takes {parameter.kind}{parameter.name}"
                hint = "name the parameters, or use a list or a dictionary"
                place = function.file.location(parameter.node)
                yield self.problem(message, place, hint=hint, is_minor=not tool.is_marked_directly)
