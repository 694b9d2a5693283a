"""TK702: the whole docstring becomes the description, and the parameters stay undescribed."""

import ast
import re
from collections.abc import Iterator

from toolkit.codes import WHOLE_DOCSTRING
from toolkit.lint.definitions.source_texts import SourceTexts
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.written_calls import hides_arguments


class WholeDocstring(Rule):
    '''The whole docstring becomes the description, and the parameters stay undescribed.

    ## Why

    By default, the framework sends the docstring unchanged, `Args:` included, and parameters that only the docstring
    describes have no description in the schema. Models and strict checks look for descriptions there.

    The hint names the option that parses the docstring only if the framework can parse this docstring. It raises an
    exception if no blank line precedes `Args:`, or if `Args:` describes a parameter that the function does not have.

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
    - langchain-core 1.7.2, `langchain_core/utils/function_calling.py`: `parse_docstring` raises an exception for other
      docstrings (checked 2026-11-24)
    '''

    code = WHOLE_DOCSTRING
    severity = "warning"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool = function.written
        option = tool.demands.parses_if if tool else None
        if tool is None or option is None or tool.registration is None or tool.kind != "decorator":
            return
        if tool.argument((option, *tool.registration.description, *tool.registration.schema)) or hides_arguments(
            tool.mark
        ):
            return
        source = SourceTexts(function)
        documented = function.docstring.parameters.keys()
        if any(
            one.name in documented and source.text_of_parameter(one, is_docstring_sent=False) == ""
            for one in function.parameters
        ):
            message = f"the whole docstring of {function.tool_name!r} becomes its description"
            yield self.problem(message, function.location, hint=_hint(function, option))


def _hint(function: PythonFunction, option: str) -> str:
    if _can_be_parsed(function):
        return f"write {option}=True, so that the parameters get their descriptions from it"
    return "describe each parameter in its type: Annotated[…, '…']"


def _can_be_parsed(function: PythonFunction) -> bool:
    """Whether LangChain parses the docstring: `Args:` begins a block, and describes only typed parameters."""
    blocks = (ast.get_docstring(function.node) or "").split("\n\n")
    block = next((one for one in blocks[1:] if one.startswith("Args:")), None)
    if block is None or blocks[0].startswith("Args:"):
        return False
    lines = [line for line in block.split("\n")[1:] if line.strip()]
    indents = [len(line) - len(line.lstrip()) for line in lines]
    first = next((indent for indent, line in zip(indents, lines, strict=True) if ":" in line), 0)
    entries = [line for indent, line in zip(indents, lines, strict=True) if indent <= first and ":" in line]
    named = {re.sub(r" \(.*\)\Z", "", line.partition(":")[0].strip()) for line in entries}
    typed = {one.name for one in function.all_parameters if one.node.annotation is not None}
    return bool(named) and named <= typed and named >= function.docstring.parameters.keys()
