"""TK608: a step leaves out an argument that its tool needs."""

from toolkit.lint.rule import Rule


class MissingArgument(Rule):
    """A step leaves out an argument that its tool needs.

    ## Why

    The call would be refused when the pipeline runs.

    ## Example

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: true
        with: {path: note.txt}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: true
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK608"
    name = "missing-argument"
    severity = "error"
