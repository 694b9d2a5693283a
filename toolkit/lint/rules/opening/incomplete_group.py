"""TK008: a group of tools lacks a tool that it says it requires."""

from toolkit.lint.rule import Rule


class IncompleteGroup(Rule):
    """A group of tools lacks a tool that it says it requires.

    ## Why

    Whoever opens the group relies on that tool. It was renamed, or its source was not opened.

    ## Example

    ```toml
    [tool.toolkit.groups.prices]
    sources = ["price_tools.py"]
    required = ["pirce"]
    ```

    ## Instead

    ```toml
    [tool.toolkit.groups.prices]
    sources = ["price_tools.py"]
    required = ["price"]
    ```

    ## Source

    - this project's own (checked 2026-11-21)
    """

    code = "TK008"
    name = "incomplete-group"
    severity = "error"
