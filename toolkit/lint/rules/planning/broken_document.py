"""TK601: the YAML or JSON cannot be read: it is malformed, too deep or too large."""

from toolkit.lint.rule import Rule


class BrokenDocument(Rule):
    """The YAML or JSON cannot be read: it is malformed, too deep or too large.

    ## Why

    Nothing in a file that cannot be read can be checked. YAML is read with the scalars of version 1.2, without tags and
    merge keys, and within limits, so that no file can eat the machine.

    ## Example

    ```yaml
    name: shout
    steps: [calculator
    ```

    ## Instead

    ```yaml
    name: shout
    description: Calculate what a text asks for.
    steps: [calculator]
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK601"
    name = "broken-document"
    severity = "error"
