"""TK607: a value has another type than the place where it goes."""

from toolkit.lint.rule import Rule


class TypeMismatch(Rule):
    """A value has another type than the place where it goes.

    ## Why

    The call would be refused when the pipeline runs.

    ## Example

    ```yaml
    name: notes
    description: Read the notes of a day.
    inputs: {}
    steps:
      - use: file_read
        with: {path: [1, 2]}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Read the notes of a day.
    inputs: {}
    steps:
      - use: file_read
        with: {path: notes/monday.md}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK607"
    name = "type-mismatch"
    severity = "error"
