"""TK604: a step names a tool that is not known."""

from toolkit.lint.rule import Rule


class UnknownTool(Rule):
    """A step names a tool that is not known.

    ## Why

    The pipeline cannot be planned. Tools come from the pipeline's own `tools:`, the configured sources, and those that
    are ready.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    steps: [calculater]
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

    code = "TK604"
    name = "unknown-tool"
    severity = "error"
    fix = "unsafe"
