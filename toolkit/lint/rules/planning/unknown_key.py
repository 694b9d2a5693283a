"""TK602: a key is unknown, or a value has no form that there is."""

from toolkit.lint.rule import Rule


class UnknownKey(Rule):
    """A key is unknown, or a value has no form that there is.

    ## Why

    A misspelled key would be ignored, and the pipeline would do something else than it says. The message names the
    nearest key.

    ## Example

    ```yaml
    name: sums
    description: Calculate what a text asks for.
    stesp: []
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

    code = "TK602"
    name = "unknown-key"
    severity = "error"
    fix = "unsafe"
