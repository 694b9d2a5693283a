"""TK204: a parameter without a description."""

import re
from collections.abc import Iterator

from toolkit.codes import MISSING_PARAMETER_DESCRIPTION
from toolkit.lint.definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

# LlamaIndex puts the signature before the docstring: it lists every parameter without describing any.
_SIGNATURE = re.compile(r"\A\w+\(.*\)(?: -> .*)?\n")


class MissingParameterDescription(Rule):
    '''A parameter has no description.

    ## Why

    A model chooses arguments by their descriptions. `date: str` alone does not say whether you want `tomorrow`,
    `2026-05-17` or `17.5.26`. Write the description in the docstring, in `Annotated[str, "…"]` or in a `Field`.

    Where a framework sends a docstring whole, what its `Args:` section says of a parameter counts. What the description
    of the tool says of a parameter that it names counts as well: `city` in quotes or backquotes, `city: …`, or
    max_results, which can be no other word. A description that a framework fills in, such as `Parameter city`, does not.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, date: str) -> str:
        """Forecast the weather in a city on one of the next ten days.

        Args:
            city: The name of the city, such as `Oslo`.
        """
        return f"sun in {city} on {date}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, date: str) -> str:
        """Forecast the weather in a city on one of the next ten days.

        Args:
            city: The name of the city, such as `Oslo`.
            date: The day, as `2026-05-17`.
        """
        return f"sun in {city} on {date}"
    ```

    ## Source

    - OpenAI, [Function calling](https://platform.openai.com/docs/guides/function-calling): "Explicitly describe the
      purpose of the function and each parameter (and its format)" (checked 2026-11-21)
    '''

    code = MISSING_PARAMETER_DESCRIPTION

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.origin == "pipeline":
            return
        for parameter in tool.parameters:
            is_elsewhere = isinstance(parameter.schema, dict) and "$ref" in parameter.schema
            if parameter.description == "" and not (is_elsewhere or _names(tool.description or "", parameter.name)):
                yield self.problem(
                    f"parameter {parameter.name!r} of {tool.name!r} has no description",
                    parameter.location or tool.location,
                    hint=_hint_for(tool, parameter.name),
                )


def _names(description: str, name: str) -> bool:
    """Whether the description of a tool names a parameter, so that what it says of it can be found there."""
    description = _SIGNATURE.sub("", description)
    word = re.escape(name)
    is_telling = "_" in name or re.search(r"[a-z][A-Z]", name) is not None
    pattern = rf"\b{word}\b" if is_telling else rf"[`'\"]{word}[`'\"=]|(?<![\w-]){word}(?:=|:\s)"
    return re.search(pattern, description) is not None


def _hint_for(tool: ToolDefinition, name: str) -> str:
    if tool.terms is not None and (tool.function is not None or tool.schema is None):
        is_field = tool.function is None or all(one.python is None for one in tool.parameters)
        return f"write {(tool.terms.member if is_field else tool.terms.parameter).replace('NAME', name)}"
    if tool.function is None:
        return 'give it a "description": what it is, and in which form'
    return f"add '{name}: …' under 'Args:' in the docstring, or write Annotated[…, '…']"
