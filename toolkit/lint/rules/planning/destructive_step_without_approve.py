"""TK614: a step calls a destructive tool and has no `approve`."""

from toolkit.lint.rule import Rule


class DestructiveStepWithoutApprove(Rule):
    """A step calls a destructive tool and has no `approve`.

    ## Why

    The tool asks of its own accord, but with its own words. The pipeline knows what is at stake here, and can say it in
    the question.

    ## Example

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: Overwrite the note?
        with: {path: note.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK614"
    name = "destructive-step-without-approve"
    severity = "warning"
    fix = "safe"
