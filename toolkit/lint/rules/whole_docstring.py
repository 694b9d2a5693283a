"""TK702: the whole docstring becomes the description, and the parameters stay undescribed."""

from collections.abc import Iterator

from toolkit.codes import WHOLE_DOCSTRING
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class WholeDocstring(Rule):
    '''The whole docstring becomes the description, and the parameters stay undescribed.

    ## Why

    By default, the framework sends the docstring unchanged, `Args:` included, and no parameter has a description in the
    schema. Models and strict checks look for descriptions there.

    ## Example

    ```python
    from langchain_core.tools import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from langchain_core.tools import tool


    @tool(parse_docstring=True)
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - langchain-core 1.7.2, `langchain_core/tools/convert.py`: `parse_docstring` is false by default (checked
      2026-11-22)
    '''

    code = WHOLE_DOCSTRING
    severity = "warning"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        option = tool.marks.demands.parses_if if tool else None
        if tool is None or option is None or tool.kind != "decorator" or tool.argument((option, "description")):
            return
        names = {parameter.name for parameter in function.parameters}
        if names & function.docstring.parameters.keys():
            message = f"the whole docstring of {function.tool_name!r} becomes its description"
            hint = f"write {option}=True, so that the parameters get their descriptions from it"
            yield self.problem(message, function.location, hint=hint)
