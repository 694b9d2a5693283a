"""TK323: an option of a tool is unknown, has a wrong value, or contradicts another one."""

from collections.abc import Iterator
from typing import Any

from toolkit.codes import BAD_OPTION
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.spec_fields import OPTIONS, option_problems


class BadOption(Rule):
    '''An option of a tool is unknown, has a wrong value, or contradicts another one.

    ## Why

    A misspelled `read_olny=True` would silently have no effect. So all options are checked when tools are collected.

    ## Example

    ```python
    from toolkit import tool


    @tool(read_olny=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - this project (checked 2026-11-21)
    '''

    code = BAD_OPTION
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Check the options of a tool that was not built, as far as the source shows their values."""
        if tool.spec is None and tool.function is not None:
            for found in option_problems(_written_options(tool.function), tool.location):
                if found.code == self.code:
                    yield self.problem(found.message, found.location, hint=found.hint)


def _written_options(function: PythonFunction) -> dict[str, Any]:
    """Return the options that are written as constants, and those with an unknown name, whatever their values."""
    values = {name: function.option(name) for name in function.options}
    return {name: value for name, value in values.items() if value is not None or name not in OPTIONS}
