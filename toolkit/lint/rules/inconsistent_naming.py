"""TK105: tools that are offered together are named in different styles."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from toolkit.codes import INCONSISTENT_NAMING
from toolkit.lint.clues.provider_objections import by_source
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_STYLES = {
    "snake_case": re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+"),
    "kebab-case": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+"),
    "camelCase": re.compile(r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*"),
    "PascalCase": re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*"),
}


class InconsistentNaming(Rule):
    '''Some tools of a source are named in a different style than the rest.

    ## Why

    A model infers the style of a name from the others: if most are like `find_order`, it calls `list_invoices` although
    the tool is `listInvoices`. Names of one word fit every style. There is no automatic fix, because pipelines, agent
    files, lockfiles and prompts that use the old name would break, and lint cannot see all of them.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def find_order(number: int) -> str:
        """Find an order of the shop by its number.

        Args:
            number: The order's number.
        """
        return f"order {number}"


    @tool(name="listInvoices")
    def list_invoices(customer: str) -> str:
        """List the invoices that were sent to a customer.

        Args:
            customer: The customer's name.
        """
        return f"invoices of {customer}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def find_order(number: int) -> str:
        """Find an order of the shop by its number.

        Args:
            number: The order's number.
        """
        return f"order {number}"


    @tool
    def list_invoices(customer: str) -> str:
        """List the invoices that were sent to a customer.

        Args:
            customer: The customer's name.
        """
        return f"invoices of {customer}"
    ```

    ## Source

    - Anthropic, [Writing effective tools for agents](https://www.anthropic.com/engineering/writing-tools-for-agents):
      naming schemes have effects on evaluations (checked 2026-11-22); the list of styles is this project's choice
    '''

    code = INCONSISTENT_NAMING
    severity = "info"
    default = False

    def check_toolset(self, tools: Sequence[ToolDefinition]) -> Iterator[Problem]:
        for source in by_source(tools):
            styles = {tool.name: _style_of(tool.name) for tool in source}
            counts = Counter(style for style in styles.values() if style)
            if len(counts) < 2:  # noqa: PLR2004 - it takes two to differ
                continue
            [(usual, count)] = counts.most_common(1)
            for tool in source:
                style = styles[tool.name]
                if style and style != usual:
                    message = f"{tool.name!r} is named in {style}, but {count} other tools of its source in {usual}"
                    yield self.problem(message, tool.location, hint=f"use {usual} for all of them")


def _style_of(name: str) -> str | None:
    """Return the naming style of the last part of a name; None for a single word or an unknown style."""
    own = name.rpartition(".")[2]
    return next((style for style, pattern in _STYLES.items() if pattern.fullmatch(own)), None)
