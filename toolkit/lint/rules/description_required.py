"""TK707: a missing description that the framework requires."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import DESCRIPTION_REQUIRED
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction

_SECTION = re.compile(r"\n\s*Args:[ \t]*\n(.*?)(?:Returns:|Raises:|\Z)", re.DOTALL)
_DESCRIBED = re.compile(r"^\s*(\w+)\s*(?:\([^)]*\))?:", re.MULTILINE)
"""Parameters that a framework finds under `Args:`, however far that is indented."""


class DescriptionRequired(Rule):
    '''A description that the framework requires is missing.

    ## Why

    Some frameworks refuse a function without a docstring, or with a parameter that the docstring does not describe. The
    decorator raises an error, so importing the module fails.

    ## Example

    ```python
    from smolagents import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from smolagents import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
        """
        return f"sun in {city}"
    ```

    ## Source

    - smolagents 1.26.0, run: "the docstring has no description for the argument 'city'"; langchain-core 1.7.2, run: "Function must have
      a docstring if description not provided" (checked 2026-11-22)
    '''

    code = DESCRIPTION_REQUIRED
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        if tool is None or not tool.is_marked_directly:
            return
        demands, title = tool.demands, tool.marks.title
        if demands.docstring and function.docstring_node is None and not tool.argument(("description", "args_schema")):
            message = f"{title} refuses {function.tool_name!r}, which has no docstring"
            yield self.problem(message, function.location, hint="write what it does and when to use it")
        described = _described_in(function) if demands.descriptions else set()
        for parameter in function.parameters if demands.descriptions else ():
            if parameter.name not in described:
                message = f"{title} refuses parameter {parameter.name!r}, which the docstring does not describe"
                hint = f"add '{parameter.name}: …' under 'Args:' in the docstring"
                yield self.problem(message, function.file.location(parameter.node), hint=hint)


def _described_in(function: PythonFunction) -> set[str]:
    section = _SECTION.search(ast.get_docstring(function.node) or "")
    return {*function.docstring.parameters, *(_DESCRIBED.findall(section[1]) if section else ())}
