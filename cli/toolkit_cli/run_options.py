"""The command-line options of `toolkit run`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import typer

from toolkit.visibility import visible_json
from toolkit_cli.completion import complete_argument, complete_target
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.result_texts import Format
from toolkit_cli.running.answer_sources import waits_for_answers
from toolkit_cli.shared_options import (
    AskingOptions,
    BaseUrl,
    ContextOptions,
    MessageOptions,
    OnApproval,
    OpeningOptions,
    Otel,
    Sources,
    StoreName,
)

if TYPE_CHECKING:
    from toolkit_cli.batching.item_results import BatchOptions
    from toolkit_cli.batching.stored_runs import StoredResume
    from toolkit_cli.running.keeping import Resumed

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
]
Whole = Annotated[str | None, typer.Option(metavar="JSON|@FILE|-", help="All arguments as one JSON object.")]
Text = Annotated[str | None, typer.Option(metavar="TEXT|-", help="The tool's text input; - or a pipe for stdin.")]
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
Model = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL", help="The model for agents, instead of the one in their file; as in `toolkit agent`."
    ),
]
Rehearsal = Annotated[bool, typer.Option("--dry-run", help="Check everything and show what would run.")]


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
    asking: AskingOptions = AskingOptions()
    on_approval: OnApproval = "ask"
    timeout: Time = None
    format: Shown = "text"
    tools: Sources = None
    opening: OpeningOptions = OpeningOptions()
    model: Model = None
    base_url: BaseUrl = None
    given: ContextOptions = ContextOptions()
    otel: Otel = None
    messages: MessageOptions = MessageOptions()
    resumed: "Resumed | StoredResume | None" = None

    @property
    def waits(self) -> bool:
        """Whether approval questions are recorded and wait for a later answer.

        Raises:
            Failure: If another option contradicts that.
        """
        return waits_for_answers(self.on_approval, self.asking, self.journal)

    @property
    def batch(self) -> "BatchOptions | None":
        """The batch options; `None` for a single call.

        Raises:
            Failure: If a batch option is used without `--each`, or options contradict each other.
        """
        given = {
            "--jobs": self.jobs, "--out": self.out, "--on-item-error": self.on_item_error, "--store": self.store,
        }  # fmt: skip
        if self.each is None:
            if alone := [name for name, value in given.items() if value is not None]:
                hint = "--each items.jsonl runs the tool for each item of a file"
                raise Failure(ExitCode.USAGE, f"{alone[0]} works only with --each", hint=hint)
            return None
        from toolkit_cli.batching.item_results import BatchOptions  # a single call needs none of it

        return BatchOptions(
            self.each,
            1 if self.jobs is None else self.jobs,
            out=self.out,
            on_item_error=self.on_item_error or "collect",
            format=self.format,
            quiet=self.messages.quiet,
            dry_run=self.dry_run,
            store=self._store(),
        )

    def as_request(self) -> dict[str, Any]:
        """Return what is needed to run it again, as plain data; options about approvals are left out."""
        batch, policy = self.batch, self.asking.policy
        kept = {name: getattr(self, name) for name in _KEPT} | self.given._asdict()
        options = None if batch is None else batch._asdict() | {"out": batch.out and str(batch.out), "store": None}
        return {**kept, "policy": policy and str(policy), "batch": options}

    @classmethod
    def of_request(cls, kept: Mapping[str, Any], words: Sequence[str]) -> "RunOptions":
        """Return the options of a recorded run; `words` are its arguments if they could not be recorded."""
        batch = kept["batch"] or {}
        return cls(
            words=list(words),
            args=visible_json(kept["arguments"]) if kept["is_whole"] and kept["arguments"] else None,
            asking=AskingOptions(policy=None if kept["policy"] is None else Path(kept["policy"])),
            given=ContextOptions(kept["context"], kept["memory_id"]),
            each=batch.get("source"),
            jobs=batch.get("jobs"),
            out=Path(batch["out"]) if batch.get("out") else None,
            on_item_error=batch.get("on_item_error"),
            **{name: kept[name] for name in _KEPT if name in kept},
        )

    def _store(self) -> str | None:
        """Return the URL of the store for the batch, if any.

        Raises:
            Failure: If options contradict each other.
        """
        from toolkit_cli.batching.stored_runs import named_store  # a single call needs none of it

        if self.store is not None and self.journal is not None:
            name = "--journal" if self.journal else "--no-journal"
            raise Failure(ExitCode.USAGE, f"{name} and --store cannot be combined: a store records every batch")
        url = named_store(self.store) if self.journal is None else None
        if self.jobs == 0 and url is None:
            hint = "use --store postgresql://host/database"
            raise Failure(ExitCode.USAGE, "--jobs 0 leaves the items to workers, so it needs --store", hint=hint)
        return url


_KEPT: Final = ("target", "timeout", "format", "tools", "model", "base_url", "on_approval")
"""The options that are recorded as they were typed, and with which a run continues."""
