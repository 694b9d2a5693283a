"""TK611: a step never runs."""

from toolkit.lint.rule import Rule


class UnreachableStep(Rule):
    """A step never runs.

    ## Why

    Its condition is always false, or its list is always empty.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        when: ${{ 1 > 2 }}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - use: calculator
        when: ${{ inputs.input != '' }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK611"
    name = "unreachable-step"
    severity = "warning"
