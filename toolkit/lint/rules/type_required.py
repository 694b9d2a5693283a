"""TK706: a missing type that the framework requires."""

from collections.abc import Iterator

from toolkit.codes import TYPE_REQUIRED
from toolkit.lint.clues.returned_types import annotation_hint
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class TypeRequired(Rule):
    '''A type that the framework requires is missing.

    ## Why

    Some frameworks refuse a function if a parameter or the result has no type. The decorator raises an error, so
    importing the module fails.

    ## Example

    ```python
    from smolagents import tool


    @tool
    def forecast(city) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
        """
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

    - smolagents 1.26.0, run: "Argument city is missing a type hint in function forecast" (checked 2026-11-22)
    - ag2 0.9.10 and autogen-agentchat 0.2.40, run: "All parameters of the function 'g' without default values must be
      annotated" (checked 2026-11-29)
    '''

    code = TYPE_REQUIRED
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        if tool is None or tool.as_class is not None:
            return
        demands = tool.demands
        for parameter in function.parameters if demands.types else ():
            if parameter.node.annotation is None and (parameter.default is None or demands.types_of_defaults):
                message = f"{tool.marks.title} refuses parameter {parameter.name!r}, which has no type"
                hint = f"annotate it: {parameter.name}: str"
                yield self.problem(message, function.file.location(parameter.node), hint=hint)
        if demands.result_type and function.node.returns is None:
            message = f"{tool.marks.title} refuses {function.tool_name!r}, which does not say what it returns"
            yield self.problem(message, function.location, hint=annotation_hint(function))
