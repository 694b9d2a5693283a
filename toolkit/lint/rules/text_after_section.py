"""TK210: text of a docstring that no model sees."""

from collections.abc import Iterator

from toolkit.codes import TEXT_AFTER_SECTION
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.docstrings import text_after_sections


class TextAfterSection(Rule):
    '''A docstring has a paragraph after a section such as `Args:`, which no model sees.

    ## Why

    The description of a tool ends at the first section of its docstring. What follows `Args:` without indentation belongs
    neither to the description nor to a parameter, so it is lost. Often it is what matters most: when to use the tool, or
    what it must not be used for.

    Each docstring gets one finding. The rule does not report the sections themselves, such as `Returns:` and `Note:`. It
    applies to tools of this package and of FastMCP from 3.2.4 on, since other frameworks send other parts of a docstring.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.

        For the weather of today, use `current_weather`.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        For the weather of today, use `current_weather`.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city}"
    ```

    ## Source

    - Google, [Python Style Guide, 3.8.3](https://google.github.io/styleguide/pyguide.html#383-functions-and-methods):
      the sections follow the description (checked 2026-11-25)
    - FastMCP 2.14.7, 3.4.11 and 4.2.3, run: the first one sends all of a docstring, the others what is before `Args:`
      (checked 2026-11-27)
    '''

    code = TEXT_AFTER_SECTION

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        function = tool.function
        if function is None or tool.description != function.docstring.description or not _is_cut(function):
            return
        found = text_after_sections(function.docstring_text or "")
        if found and (literal := function.docstring_literal):
            first, *others = (
                function.file.between(*literal.span(literal.value.rfind(line), len(line))) for line in found
            )
            yield self.problem(
                f"no model sees what follows a section in the docstring of {tool.name!r}",
                first,
                hint="move it before the first section, such as 'Args:'",
                related=[(place, "nor this paragraph") for place in others],
            )


def _is_cut(function: PythonFunction) -> bool:
    """Whether a model receives a docstring only up to its sections, if they are not in the description."""
    written = function.written
    return written is None or (written.marks.docstrings_since is not None and not written.is_guessed)
