"""`toolkit run --each`: run a tool for each item of a file."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.batches.item_files import STDIN, ItemFile
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.tools.base import Tool
from toolkit.tools.secret_arguments import learn_arguments
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments
from toolkit_cli.batching.batch_records import StoredRun, named_store, open_store
from toolkit_cli.batching.batches import BatchRun, BatchWork
from toolkit_cli.batching.item_calls import ItemArguments
from toolkit_cli.batching.item_results import BatchOptions, Tally
from toolkit_cli.failures import ExitCode, Failure, refuse, report
from toolkit_cli.rendering.result_texts import progress_words, summary_line
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.answer_sources import calls_of_items, check_rules_on, refuse_unanswerable_calls
from toolkit_cli.running.journaled_runs import RunRecorder
from toolkit_cli.running.sessions import Session
from toolkit_cli.running.tool_calls import CollectedSteps, Ending, end_run
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit_cli.batching.stored_batches import StoredBatch


def batch_of(options: RunOptions) -> BatchOptions:
    """Return the options of a batch.

    Raises:
        Failure: If options contradict each other.
    """
    if options.store is not None and options.journal is not None:
        name = "--journal" if options.journal else "--no-journal"
        raise Failure(ExitCode.USAGE, f"{name} and --store cannot be combined: a store records every batch")
    store = named_store(options.store) if options.journal is None else None
    if options.jobs == 0 and store is None:
        hint = "use --store postgresql://host/database"
        raise Failure(ExitCode.USAGE, "--jobs 0 leaves the items to workers, so it needs --store", hint=hint)
    return BatchOptions(
        str(options.each),
        1 if options.jobs is None else options.jobs,
        out=options.out,
        on_item_error=options.on_item_error or "collect",
        format=options.format,
        quiet=options.session.messages.quiet,
        dry_run=options.dry_run,
        store=store,
    )


def run_each(options: BatchOptions, typed: RunOptions, session: Session, tool: Tool, given: Given) -> int:
    """Call a tool for each item, write the results, and return the exit code.

    Args:
        options: The options of the batch.
        typed: All options of the command.
        session: The session of the command.
        tool: The tool.
        given: The arguments for all items.

    Raises:
        Failure: If options contradict each other, or a call would need an approval that cannot be given.
    """
    items = ItemFile.named(options.source)
    _check(items, options, given)
    common = _common(tool, given)
    arguments = ItemArguments(tool, common, are_texts=items.format in ("csv", "tsv"))
    _check_questions(tool, options, session)
    with items, ExitStack() as stack:
        if options.dry_run:
            return _rehearse(tool, items, arguments)
        recorded = stack.enter_context(_recorded(options, typed, session, tool, common))
        work = BatchWork(
            tool, items, arguments, session.context, options, run=session.report.run, channel=session.channel
        )
        batch = _stored_batch(work, recorded) if isinstance(recorded, StoredRun) else BatchRun(work, recorded)
        if _wants_bar(options):
            _show_bar(batch.tally, session.screen)

        def show(ending: Ending) -> None:
            session.report.end(ending.exit_code, ending.result.error)
            session.screen.close()
            batch.close()
            _show_end(ending, batch.tally, options)
            if recorded is not None:
                recorded.end(ending)

        try:
            exit_code = end_run(batch.run, CollectedSteps(), show)
        finally:
            batch.close()
    is_incomplete = batch.tally.failed > 0 and options.on_item_error == "collect"
    return exit_code or (ExitCode.FINDINGS if is_incomplete else ExitCode.SUCCESS)


@contextmanager
def _recorded(
    options: BatchOptions, typed: RunOptions, session: Session, tool: Tool, common: Mapping[str, Any]
) -> Iterator[RunRecorder | StoredRun | None]:
    """Start recording the run in the store or in the journal; yield `None` if it is not recorded."""
    if options.store is None:
        yield None if typed.journal is False else typed.record(session.report.run, tool, common)
        return
    request, listener = typed.as_request(), session.context.listener
    if listener is not None:
        from toolkit.telemetry.propagation import trace_variables  # few runs are observed

        request |= {"trace": trace_variables()}
    with open_store(options.store) as store:
        yield StoredRun(
            store,
            tool,
            id=session.report.run,
            target=typed.target,
            request=request,
            arguments=common,
            resumed=typed.resumed,
            limits=session.configuration.limits,
        )


def _stored_batch(work: BatchWork, stored: StoredRun) -> "StoredBatch":
    from toolkit_cli.batching.stored_batches import StoredBatch  # it imports the engine, and SQLAlchemy

    return StoredBatch(work, stored)


def _check_questions(tool: Tool, options: BatchOptions, session: Session) -> None:
    """Check that every approval rule matches a call, and that every question can be answered.

    Raises:
        Failure: If one of them does not, or cannot.
    """
    calls = calls_of_items(tool, session.gate)
    check_rules_on(session.answers.rules, calls)
    if options.jobs:  # with 0, the workers ask
        refuse_unanswerable_calls(calls, session.answers)


def _show_end(ending: Ending, tally: Tally, options: BatchOptions) -> None:
    if not options.quiet:
        _print_summary(tally, lists_failures=options.on_item_error != "fail")
    if ending.problem is not None:
        report([ending.problem], ending.exit_code, as_json=options.format != "text")


def _check(items: ItemFile, options: BatchOptions, given: Given) -> None:
    """Check the options against each other.

    Raises:
        Failure: If an option cannot be combined with `--each`.
    """
    if given.text is not None:
        raise Failure(ExitCode.USAGE, "--input cannot be combined with --each: the items are the input")
    if options.format == "json":
        hint = "leave out --format; `jq -s .` combines the lines into one document"
        raise Failure(ExitCode.USAGE, "--each writes one line of JSON for each item, not one document", hint=hint)
    if items.is_stdin and given.piped is None:
        raise Failure(ExitCode.USAGE, f"--each {options.source} reads items from stdin, and nothing is piped into it")
    if items.is_stdin and STDIN in (given.whole, given.text):
        raise Failure(ExitCode.USAGE, "--each reads stdin already; pass the other arguments as name=value")
    if _are_same(options.out, items.path):
        raise Failure(ExitCode.USAGE, f"--out '{options.out}' would overwrite the file that --each reads")


def _are_same(file: Path | None, other: Path | None) -> bool:
    return file is not None and other is not None and file.exists() and other.exists() and file.samefile(other)


def _common(tool: Tool, given: Given) -> Mapping[str, Any]:
    """Return the arguments for all items.

    Raises:
        Failure: If any of them are invalid; lists all problems.
    """
    gathered = gather_arguments(tool, given._replace(piped=None))
    refuse(gathered.problems)
    learn_arguments(console.redactor(), tool, gathered.arguments)
    return gathered.arguments


def _wants_bar(options: BatchOptions) -> bool:
    """Return whether to draw a progress bar: on a terminal, unless the results are shown there too."""
    shows_results = options.out is None and console.data_is_terminal()
    return console.stderr_is_terminal() and not options.quiet and not shows_results


def _show_bar(tally: Tally, screen: Screen) -> None:
    from toolkit_cli.rendering.live import BatchBar  # rich is heavy, and few runs have bars

    def words() -> str:
        return progress_words(
            done=tally.done,
            failed=tally.failed,
            rate=tally.rate,
            cost=tally.cost,
            fraction=tally.fraction,
            remaining=tally.remaining,
        )

    screen.show(BatchBar(words, lambda: tally.fraction))


def _print_summary(tally: Tally, *, lists_failures: bool) -> None:
    for failure in tally.failures if lists_failures else ():
        console.say(failure)
    if lists_failures and (more := tally.failed - len(tally.failures)):
        console.say(f"… and {more:,} more")
    console.say(
        summary_line(
            done=tally.done,
            failed=tally.failed,
            waiting=tally.waiting,
            cost=tally.cost,
            requests=tally.requests,
            seconds=tally.seconds,
        )
    )


def _rehearse(tool: Tool, items: ItemFile, arguments: ItemArguments) -> ExitCode:
    """Check the arguments of each item without calling the tool."""
    tally = Tally()
    for item in items:
        fault = _fault_of(tool, arguments.of(item))
        tally.count(None if fault is None else f"{items.place_of(item)}: {fault}")
    for failure in tally.failures:
        console.say(failure)
    wrong = f", {tally.failed:,} invalid" if tally.failed else ""
    console.say(f"{tally.done:,} items checked{wrong}; nothing was called")
    return ExitCode.FINDINGS if tally.failed else ExitCode.SUCCESS


def _fault_of(tool: Tool, arguments: Mapping[str, Any] | str) -> str | None:
    if isinstance(arguments, str):
        return arguments
    try:
        tool.parse(arguments)
    except (ToolArgumentsError, ToolExecutionError) as error:
        return str(error)
    return None
