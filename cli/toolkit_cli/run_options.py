"""The command-line options of `toolkit run`."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from toolkit.tools.base import Tool
from toolkit.visibility import visible_json
from toolkit_cli.completion import complete_argument, complete_target
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import Python
from toolkit_cli.rendering.result_texts import Format
from toolkit_cli.running.answer_sources import waits_for_answers
from toolkit_cli.shared_options import (
    BaseUrl,
    Forgotten,
    OnApproval,
    SessionOptions,
    Sources,
    StoreName,
    recorded,
    restored,
)

if TYPE_CHECKING:
    from toolkit_cli.running.journaled_runs import Resumed, RunRecorder

_ARGUMENTS = Forgotten("the arguments that it gives are recorded instead")

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="file.py:name, a pipeline or agent file, the name of a tool, or a module.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ARG]...",
        help="name=value, converted to the parameter's type; name:=JSON; name=@file; or the tool's text input.",
        show_default=False,
        autocompletion=complete_argument,
    ),
    _ARGUMENTS,
]
Whole = Annotated[
    str | None, typer.Option(metavar="JSON|@FILE|-", help="All arguments as one JSON object."), _ARGUMENTS
]
Text = Annotated[
    str | None, typer.Option(metavar="TEXT|-", help="The tool's text input; - or a pipe for stdin."), _ARGUMENTS
]
Each = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-",
        help="Run for each item of a JSONL, CSV or text file. - reads JSONL from stdin; lines:FILE sets the format.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="With --each: how many items to run in parallel; with --store, 0 leaves them to workers.",
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="With --each: write the results to this file instead of stdout.")
]
OnItemError = Annotated[
    Literal["fail", "skip", "collect"] | None,
    typer.Option(
        help="With --each: end the batch when an item fails, skip the item, or collect its error with the results "
        "(the default).",
        show_default=False,
    ),
]
Journaled = Annotated[
    bool | None,
    typer.Option(
        "--journal/--no-journal",
        help="Record finished steps, so that `toolkit runs resume` can continue. On by default for batches.",
        show_default=False,
    ),
    Forgotten("only a recorded run can be resumed"),
]
Time = Annotated[
    str | None, typer.Option(metavar="TIME", help="The time limit, not counting time for questions: 500ms, 30s, 5m.")
]
Shown = Annotated[
    Format,
    typer.Option(
        "--format", help="Print only the output (text), the result as JSON, or events as they happen (jsonl)."
    ),
]
As = Annotated[
    str | None,
    typer.Option(
        "--as",
        metavar="CLIENT",
        help="Print what the model of a client or provider receives of the result, such as claude-code or openai.",
        show_default=False,
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL", help="The model for agents, instead of the one in their file; as in `toolkit agent`."
    ),
]
Rehearsal = Annotated[
    bool,
    typer.Option("--dry-run", help="Check everything and show what would run."),
    Forgotten("a dry run is not recorded"),
]


class RunOptions(NamedTuple):
    """The command-line options of `toolkit run`, one per field except for `resumed`.

    Attributes:
        resumed: The run to continue, if any; set only by `toolkit runs resume`.
    """

    target: Target
    words: Words = None
    args: Whole = None
    input: Text = None
    each: Each = None
    jobs: Jobs = None
    out: Out = None
    on_item_error: OnItemError = None
    store: StoreName = None
    journal: Journaled = None
    dry_run: Rehearsal = False
    on_approval: OnApproval = "ask"
    timeout: Time = None
    format: Shown = "text"
    client: As = None
    tools: Sources = None
    python: Python = None
    session: SessionOptions = SessionOptions()
    model: Model = None
    base_url: BaseUrl = None
    resumed: "Resumed | None" = None

    @property
    def waits(self) -> bool:
        """Whether approval questions are recorded and wait for a later answer.

        Raises:
            Failure: If another option contradicts that.
        """
        return waits_for_answers(self.on_approval, self.session.asking, self.journal)

    @property
    def is_batch(self) -> bool:
        """Whether the tool runs for each item of a file.

        Raises:
            Failure: If a batch option is used without `--each`.
        """
        given = {
            "--jobs": self.jobs, "--out": self.out, "--on-item-error": self.on_item_error, "--store": self.store,
        }  # fmt: skip
        alone = [name for name, value in given.items() if value is not None]
        if self.each is None and alone:
            hint = "--each items.jsonl runs the tool for each item of a file"
            raise Failure(ExitCode.USAGE, f"{alone[0]} works only with --each", hint=hint)
        return self.each is not None

    def as_request(self) -> dict[str, Any]:
        """Return what is needed to run it again, as plain data."""
        return recorded(self._replace(python=self.python and sys.executable))

    def record(self, run_id: str, tool: Tool, arguments: Mapping[str, Any]) -> "RunRecorder":
        """Record a run with these options in the journal, or continue the one to resume.

        Args:
            run_id: The id of the run.
            tool: The tool to run.
            arguments: The arguments of the call, or those for all items.

        Raises:
            Failure: If definitions have changed, and changes are not accepted.
            JournalError: If the journal cannot be written.
        """
        from toolkit_cli.running.journaled_runs import (  # they load SQLite, and most record nothing
            RunRecorder,
            users_journal,
        )

        return RunRecorder(
            users_journal(),
            run_id,
            tool,
            self.target,
            request=self.as_request(),
            arguments=arguments,
            resumed=self.resumed,
        )

    @classmethod
    def of_request(cls, record: Mapping[str, Any], words: Sequence[str] = ()) -> "RunOptions":
        """Return the options of a recorded run; `words` are its arguments if they could not be recorded."""
        whole = visible_json(record["arguments"]) if record["is_whole"] and record["arguments"] else None
        return restored(cls, record)._replace(words=list(words), args=whole)
