"""TK621: a step asks for approval while others run beside it."""

from toolkit.lint.rule import Rule


class ConcurrentQuestion(Rule):
    """A step asks for approval while others run beside it.

    ## Why

    Questions are put one at a time, so the others wait, and nobody who answers knows what else has happened meanwhile.
    Ask once before.

    ## Example

    ```yaml
    name: notes
    description: Write two notes into files.
    steps:
      - parallel:
          one:
            - use: file_write
              approve: Overwrite the first note?
              with: {path: one.txt, content: "${{ prev }}"}
          two:
            - set: ${{ prev }}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Write a note into a file.
    steps:
      - use: file_write
        approve: Overwrite the note?
        with: {path: one.txt, content: "${{ prev }}"}
    ```

    ## Source

    - the format of pipelines, [Pipelines](../pipelines.md) (checked 2026-11-21)
    """

    code = "TK621"
    name = "concurrent-question"
    severity = "warning"
