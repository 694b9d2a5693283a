"""TK605: an expression refers to a step or an input that is not there, or not yet."""

from toolkit.lint.rule import Rule


class UnknownReference(Rule):
    """An expression refers to a step or an input that is not there, or not yet.

    ## Why

    It would fail when the pipeline runs, after the steps before it have taken effect. A reference reaches back only: to
    inputs, to `prev`, and to steps with an id that come before.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - set: ${{ steps.first.output }}
      - {id: first, use: calculator}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps:
      - {id: first, use: calculator}
      - set: ${{ steps.first.output }}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK605"
    name = "unknown-reference"
    severity = "error"
