"""Run options: what is typed after `toolkit run`, as one value."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from toolkit_cli.completion import complete_argument, complete_target
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.options import (
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
from toolkit_cli.rendering.results import Format
from toolkit_cli.running.answer_sources import waits_for_answers

if TYPE_CHECKING:
    from toolkit_cli.batching.item_results import BatchOptions
    from toolkit_cli.batching.stored_runs import StoredResume
    from toolkit_cli.running.keeping import Resumed

Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="file.py:name, the file of a pipeline or an agent, a tool's name, or a module.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ARG]...",
        help="name=value, typed by the tool; name:=JSON; name=@file; or the one text that the tool works on.",
        show_default=False,
        autocompletion=complete_argument,
    ),
]
Whole = Annotated[str | None, typer.Option(metavar="JSON|@FILE|-", help="All arguments as one JSON object.")]
Text = Annotated[
    str | None, typer.Option(metavar="TEXT|-", help="The text that the tool works on; - or a pipe for stdin.")
]
Each = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|-",
        help="Run it for every item of a file: JSONL, CSV, lines. - is JSONL on stdin; lines:FILE names the format.",
        show_default=False,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, help="With --each: how many items run side by side; with --store, 0 leaves them to workers."
    ),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="With --each: the file for the results, instead of stdout.")
]
OnItemError = Annotated[
    Literal["fail", "skip", "collect"] | None,
    typer.Option(
        help="With --each: a failed item ends the batch, is left out, or is a record among the results (the default).",
        show_default=False,
    ),
]
Journaled = Annotated[
    bool | None,
    typer.Option(
        "--journal/--no-journal",
        help="Record what is done, so that `toolkit runs resume` can continue. Batches do so by default.",
        show_default=False,
    ),
]
Time = Annotated[
    str | None, typer.Option(metavar="TIME", help="The time limit, without the time for questions: 500ms, 30s, 5m.")
]
Shown = Annotated[
    Format, typer.Option("--format", help="The output alone, the result as JSON, or events as they happen.")
]
Model = Annotated[
    str | None, typer.Option(metavar="MODEL", help="What answers agents, whatever they say; as in `toolkit agent`.")
]
Rehearsal = Annotated[bool, typer.Option("--dry-run", help="Check everything and show what would run.")]


class RunOptions(NamedTuple):
    """The options of `toolkit run` as they were typed: each field is one, but for the last.

    Attributes:
        resumed: The run that goes on, if one does; only `toolkit runs` sets it.
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
        """Whether questions wait for answers that come later.

        Raises:
            Failure: If they cannot, or must not.
        """
        return waits_for_answers(self.on_approval, self.asking, self.journal)

    @property
    def batch(self) -> "BatchOptions | None":
        """The options of a batch; `None` for a single call.

        Raises:
            Failure: If an option of batches stands alone, or two of them do not go together.
        """
        given = {
            "--jobs": self.jobs, "--out": self.out, "--on-item-error": self.on_item_error, "--store": self.store,
        }  # fmt: skip
        if self.each is None:
            if alone := [name for name, value in given.items() if value is not None]:
                hint = "with it, the tool runs for every item of a file: --each items.jsonl"
                raise Failure(ExitCode.USAGE, f"{alone[0]} is for batches, so it needs --each", hint=hint)
            return None
        from toolkit_cli.batching.item_results import BatchOptions  # noqa: PLC0415 - a single call needs none of it

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

    def _store(self) -> str | None:
        """Return the URL of the store that keeps the batch, if one does.

        Raises:
            Failure: If the options do not go together.
        """
        from toolkit_cli.batching.opened_stores import named_store  # noqa: PLC0415 - a single call needs none of it

        if self.store is not None and self.journal is not None:
            name = "--journal" if self.journal else "--no-journal"
            raise Failure(
                ExitCode.USAGE, f"{name} and --store cannot be used together: a store already records what is done"
            )
        url = named_store(self.store) if self.journal is None else None
        if self.jobs == 0 and url is None:
            hint = "name the store that workers take them from: --store postgresql://host/database"
            raise Failure(ExitCode.USAGE, "--jobs 0 leaves the items to workers, so it needs --store", hint=hint)
        return url
