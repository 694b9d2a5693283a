"""TK615: a step retries a tool that may do its work twice."""

from collections.abc import Iterator

from toolkit.codes import RETRY_NON_IDEMPOTENT
from toolkit.lint.definitions.pipeline_files import PipelineFile
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class RetryNonIdempotent(Rule):
    """A step has `retry`, but its tool is not marked as safe to call twice.

    ## Why

    A call may do its work and then fail on the way back: the mail is sent, the bill is paid, and the retry does it
    again. If a tool only reads, or has the same effect however often it is called, mark it `read_only=True` or
    `idempotent=True`.

    ## Example

    ```yaml
    name: notes
    description: Write a note into a file, with retries.
    steps:
      - use: file_write
        approve: Overwrite the note?
        with: {path: note.txt, content: "${{ prev }}"}
        retry: {attempts: 3}
    ```

    ## Instead

    ```yaml
    name: notes
    description: Read a note from a file, with retries.
    steps:
      - use: file_read
        retry: {attempts: 3}
    ```

    ## Source

    - MCP 2025-11-25, [ToolAnnotations](https://modelcontextprotocol.io/specification/2025-11-25/schema): `idempotentHint`
      (checked 2026-11-22)
    """

    code = RETRY_NON_IDEMPOTENT
    needs_import = True

    def check_pipeline(self, pipeline: PipelineFile) -> Iterator[Problem]:
        for step in pipeline.steps or ():
            tool = step.tool
            if tool is not None and (step.attempts or 1) > 1 and not (tool.idempotent or tool.read_only):
                message = f"step {step.path!r} is tried up to {step.attempts} times, and {tool.name!r} may do its work each time"
                hint = "mark the tool with idempotent=True or read_only=True if that is true, or remove 'retry'"
                yield self.problem(message, step.location, hint=hint)
