"""TK610: it is not clear what the output of the step before does, or it is lost."""

from toolkit.lint.rule import Rule


class AmbiguousPipe(Rule):
    """It is not clear what the output of the step before does, or it is lost.

    ## Why

    The output of a step goes into the one parameter of the next that takes text. Where there is none, or more than one,
    the pipeline must say it, with `pipe` or `${{ prev }}`; where it goes nowhere, the step before may well be needless
    (a warning).

    ## Example

    ```yaml
    name: sums
    description: Calculate two things.
    steps:
      - use: calculator
      - use: calculator
        with: {input: 1 + 2}
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate two things.
    steps:
      - use: calculator
      - use: calculator
        with: {input: "${{ prev }} + 2"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK610"
    name = "ambiguous-pipe"
    severity = "error"
    fix = "unsafe"
