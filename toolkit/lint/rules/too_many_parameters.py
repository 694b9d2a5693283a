"""TK308: a tool has more parameters than a model fills in reliably."""

from collections.abc import Iterator

from toolkit.codes import TOO_MANY_PARAMETERS
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class TooManyParameters(Rule):
    '''A tool has many parameters: more than 8 is a warning, more than 15 an error.

    ## Why

    Each parameter is one more thing that a model must understand, find a value for and keep apart from the others.
    With many of them it leaves some out and mixes others up; strict modes refuse large sets of optional ones. Group
    parameters that belong together into one object, and split different tasks into different tools.

    The limits are `max-parameters` and `max-parameters-error` in `[tool.toolkit.lint]`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def ship(name: str, street: str, number: str, city: str, code: str, country: str, phone: str, mail: str, note: str) -> str:
        """Send the current order to an address."""
        return f"sent to {name}, {street} {number}, {code} {city}, {country} ({phone}, {mail}): {note}"
    ```

    ## Instead

    ```python
    from dataclasses import dataclass

    from toolkit import tool


    @dataclass
    class Address:
        name: str
        street: str
        city: str
        country: str


    @tool
    def ship(address: Address, note: str = "") -> str:
        """Send the current order to an address."""
        return f"sent to {address}: {note}"
    ```

    ## Source

    - Anthropic, [structured outputs](https://platform.claude.com/docs/en/build-with-claude/structured-outputs): at most
      24 optional parameters in all strict tools of a request (checked 2026-11-21)
    - the limits are this project's choice
    '''

    code = TOO_MANY_PARAMETERS
    limits = {"max-parameters": 8, "max-parameters-error": 15}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        count, most = len(tool.parameters), self.limit("max-parameters")
        if count <= most:
            return
        is_grave = count > self.limit("max-parameters-error")
        yield self.problem(
            f"tool {tool.name!r} has {count} parameters, more than the {most} that models fill in reliably",
            tool.location,
            hint="group related parameters into one object, or split the tool into several",
            severity="error" if is_grave else "warning",
        )
