"""TK606: an expression in `${{ }}` has a mistake, or does what expressions may not."""

from toolkit.lint.rule import Rule


class BadExpression(Rule):
    """An expression in `${{ }}` has a mistake, or does what expressions may not.

    ## Why

    Expressions are a small part of Python over plain data: no methods, no imports, no attributes beyond the data's own.
    The message points at the very character.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ inputs.input + }}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ inputs.input + '!' }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK606"
    name = "bad-expression"
    severity = "error"
