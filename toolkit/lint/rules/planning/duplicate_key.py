"""TK603: a key, or the id of a step, stands twice."""

from toolkit.lint.rule import Rule


class DuplicateKey(Rule):
    """A key, or the id of a step, stands twice.

    ## Why

    Most readers keep the last one and say nothing, so half of what is written has no effect.

    ## Example

    ```yaml
    name: sums
    name: totals
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Instead

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK603"
    name = "duplicate-key"
    severity = "error"
