"""TK609: a step gives an argument that its tool does not have."""

from toolkit.lint.rule import Rule


class UnknownArgument(Rule):
    """A step gives an argument that its tool does not have.

    ## Why

    It would be ignored. The message names the nearest one that exists.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        with: {inptu: 1 + 2}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs: {}
    steps:
      - use: calculator
        with: {input: 1 + 2}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK609"
    name = "unknown-argument"
    severity = "error"
