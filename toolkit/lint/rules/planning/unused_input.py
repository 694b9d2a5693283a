"""TK612: an input of a pipeline is never used."""

from toolkit.lint.rule import Rule


class UnusedInput(Rule):
    """An input of a pipeline is never used.

    ## Why

    Whoever runs the pipeline must still give it, and a model is told of it.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs:
      terms: {type: string}
      digits: {type: integer}
    steps:
      - use: calculator
        with: {input: "${{ inputs.terms }}"}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    inputs:
      terms: {type: string}
    steps:
      - use: calculator
        with: {input: "${{ inputs.terms }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK612"
    name = "unused-input"
    severity = "warning"
