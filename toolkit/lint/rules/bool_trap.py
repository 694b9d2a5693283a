"""TK311: several parameters that are only true or false."""

from collections.abc import Iterator

from toolkit.codes import BOOL_TRAP
from toolkit.lint.definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class BoolTrap(Rule):
    '''A tool has several parameters that are true or false; more than `max-booleans` are a finding.

    ## Why

    Each of them doubles the number of possible calls, and most of these combinations make no sense. A model that
    must choose true or false three times guesses. Use one parameter whose values have names.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def list_files(folder: str, by_size: bool = False, by_date: bool = False, by_name: bool = True) -> str:
        """List the files of a folder in some order."""
        return f"{folder} {by_size} {by_date} {by_name}"
    ```

    ## Instead

    ```python
    from typing import Literal

    from toolkit import tool


    @tool
    def list_files(folder: str, order: Literal["size", "date", "name"] = "name") -> str:
        """List the files of a folder in some order."""
        return f"{folder} {order}"
    ```

    ## Source

    - Ruff, [boolean-type-hint-positional-argument](https://docs.astral.sh/ruff/rules/boolean-type-hint-positional-argument/)
      (checked 2026-11-22)
    - the figure is this project's own
    '''

    code = BOOL_TRAP
    severity = "info"
    limits = {"max-booleans": 2}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        found = [parameter for parameter in tool.parameters if _is_boolean(parameter)]
        if len(found) > self.limit("max-booleans"):
            names = ", ".join(repr(parameter.name) for parameter in found)
            message = f"tool {tool.name!r} has {len(found)} parameters that are only true or false: {names}"
            hint = "where they exclude one another, take one with named values: Literal['size', 'date']"
            yield self.problem(message, found[0].location, hint=hint)


def _is_boolean(parameter: ParameterDefinition) -> bool:
    if parameter.schema is not None:
        return parameter.schema.get("type") == "boolean"
    annotation = parameter.python.node.annotation if parameter.python is not None else None
    return getattr(annotation, "id", None) == "bool"
