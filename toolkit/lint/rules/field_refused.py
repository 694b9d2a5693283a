"""TK712: an annotation uses `Field`, which the framework refuses."""

import ast
from collections.abc import Iterator

from toolkit.codes import FIELD_REFUSED
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class FieldRefused(Rule):
    '''An annotation uses `Field`, which the framework refuses.

    ## Why

    Some frameworks read descriptions from `Annotated[…, '…']` only, and raise an error for pydantic's `Field`, so
    importing the module fails.

    ## Example

    ```python
    from typing import Annotated

    from haystack.tools import tool
    from pydantic import Field


    @tool
    def forecast(city: Annotated[str, Field(description="The name of the city.")]) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from typing import Annotated

    from haystack.tools import tool


    @tool
    def forecast(city: Annotated[str, "The name of the city."]) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - haystack-ai 3.4.0, run: "The provided parameters do not define a valid JSON schema" (checked 2026-11-22)
    - ag2 0.9.10, run: "for parameter x, should be a DescriptionField"; autogen-agentchat 0.2.40, run: "for parameter x,
      should be a string" (checked 2026-11-29)
    '''

    code = FIELD_REFUSED
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        if tool is None or not tool.demands.fields:
            return
        for parameter in function.parameters:
            annotation = parameter.node.annotation
            calls = (one for one in ast.walk(annotation) if isinstance(one, ast.Call)) if annotation else ()
            for call in calls:
                if (function.file.meaning(call.func) or "").endswith("pydantic.Field"):
                    message = f"{tool.marks.title} refuses 'Field' in the type of {parameter.name!r}"
                    hint = "write Annotated[…, '…'] with the description alone"
                    yield self.problem(message, function.file.location(call), hint=hint)
