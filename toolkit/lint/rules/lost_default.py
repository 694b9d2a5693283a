"""TK704: a strict schema requires a parameter that has a default."""

from collections.abc import Iterator

from toolkit.codes import LOST_DEFAULT
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.syntax_nodes import is_none


class LostDefault(Rule):
    '''A strict schema requires a parameter that has a default.

    ## Why

    In strict mode, every parameter is required, so the model always makes up a value, and the default is never used. A
    parameter that accepts `None` lets the model say that it has no value.

    ## Example

    ```python
    from agents import function_tool


    @function_tool
    def forecast(city: str, days: int = 3) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city.
            days: For how many days.
        """
        return f"{days} days of sun in {city}"
    ```

    ## Instead

    ```python
    from agents import function_tool


    @function_tool
    def forecast(city: str, days: int | None = None) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city.
            days: For how many days; three unless it is given.
        """
        return f"{days or 3} days of sun in {city}"
    ```

    ## Source

    - openai-agents 0.24.0, run: the schema of such a function has `days` in `required` (checked 2026-11-22)
    '''

    code = LOST_DEFAULT
    severity = "info"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if not function.is_strict:
            return
        for parameter in function.parameters:
            default = parameter.default
            if default is not None and not is_none(default):
                message = f"the default of {parameter.name!r} is never used: the strict schema requires a value"
                hint = "make None the default and set the value in the body, or turn off strict mode"
                yield self.problem(message, function.file.location(parameter.node), hint=hint)
