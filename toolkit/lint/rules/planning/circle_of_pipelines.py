"""TK622: pipelines call one another in a circle, or too deep."""

from toolkit.lint.rule import Rule


class CircleOfPipelines(Rule):
    """Pipelines call one another in a circle, or too deep.

    ## Why

    They would never end.

    ## Example

    ```yaml
    name: circle
    description: Lead back to itself.
    steps:
      - use: ./pipeline.yaml
    ```

    ## Instead

    ```yaml
    name: circle
    description: Calculate what a text asks for.
    steps:
      - use: calculator
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK622"
    name = "circle-of-pipelines"
    severity = "error"
