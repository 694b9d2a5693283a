"""`toolkit runs`: list, show, resume and schedule runs, and answer pending approvals."""

import os
import time
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Annotated, Final, Literal, NamedTuple, get_args

import typer

from toolkit.amounts import AGE_EXAMPLES, parse_age
from toolkit.problems import did_you_mean
from toolkit.stores.recorded_runs import RecordedRun, State
from toolkit_cli import console
from toolkit_cli.agent_options import AGENT, AgentOptions
from toolkit_cli.batching import schedules
from toolkit_cli.batching.batch_records import absolute_store, named_store, open_runs
from toolkit_cli.batching.pending_approvals import Reply, decide_approval, list_approvals
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.other_python import continue_with
from toolkit_cli.rendering.run_pages.pages import question_entries
from toolkit_cli.rendering.run_tables import listed_runs, shown_run, step_line, work_of_agents
from toolkit_cli.rendering.styles import paint, print_lines
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.journaled_runs import Resumed, find_run, refuse_doubts, store_option
from toolkit_cli.running.run_page_files import records_of, write_run_page
from toolkit_cli.shared_options import (
    AskingOptions,
    MessageOptions,
    OpeningOptions,
    SessionOptions,
    StoreName,
    restored,
)
from toolkit_cli.tool_runs import run_target

_GLANCE = 0.3
"""How often `watch` checks for new steps, in seconds."""

RunId = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The id of the run, as `toolkit runs list` shows it; its first characters are enough.",
        show_default=False,
    ),
]
RunFilter = Annotated[
    str | None,
    typer.Argument(metavar="[ID]", help="Only the questions of this run; by default, of all.", show_default=False),
]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")]
ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the schedule.", show_default=False)]


_ENDED: Final = tuple(state for state in get_args(State) if state != "running")
"""The states of runs that are not going on."""


class ListOptions(NamedTuple):
    """The command-line options of `toolkit runs list`, one per field."""

    state: Annotated[State | None, typer.Option(help="Only runs in this state.", show_default=False)] = None
    target: Annotated[
        str, typer.Option(metavar="TEXT", help="Only runs whose target contains this.", show_default=False)
    ] = ""
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="The maximum number of runs.")] = 50
    store: StoreName = None
    format: Shown = "text"
    messages: MessageOptions = MessageOptions()


class ShowOptions(NamedTuple):
    """The command-line options of `toolkit runs show`, one per field."""

    run: RunId
    failed: Annotated[bool, typer.Option("--failed", help="Only failed steps and items.")] = False
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a self-contained HTML page to a file, or to stdout with `-`.",
            show_default=False,
        ),
    ] = None
    store: StoreName = None
    format: Shown = "text"
    messages: MessageOptions = MessageOptions()


class ResumeOptions(NamedTuple):
    """The command-line options of `toolkit runs resume`, one per field."""

    run: RunId
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ARG]...", help="The arguments again, if they contained secrets.", show_default=False),
    ] = None
    failed: Annotated[bool, typer.Option("--failed", help="Run failed items again.")] = False
    repeat: Annotated[bool, typer.Option("--repeat", help="Repeat steps that started but did not finish.")] = False
    accept_changes: Annotated[
        bool, typer.Option("--accept-changes", help="Continue although definitions or items have changed.")
    ] = False
    store: StoreName = None
    python: Annotated[
        str | None,
        typer.Option(
            "--python",
            metavar="PYTHON",
            help="Continue with this interpreter, such as .venv/bin/python. By default, a run of your own journal"
            " continues with the one that it was started with.",
            show_default=False,
        ),
    ] = None
    asking: AskingOptions = AskingOptions()
    opening: OpeningOptions = OpeningOptions()
    messages: MessageOptions = MessageOptions()


class OneRunOptions(NamedTuple):
    """The command-line options of `toolkit runs cancel` and `toolkit runs watch`, one per field."""

    run: RunId
    store: StoreName = None
    messages: MessageOptions = MessageOptions()


class PruneOptions(NamedTuple):
    """The command-line options of `toolkit runs prune`, one per field."""

    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Only runs that ended longer ago, such as 12h, 30d or 4w; by default, `keep_runs` of your own"
            " configuration, or 30d.",
            show_default=False,
        ),
    ] = None
    state: Annotated[
        list[str] | None,
        typer.Option(
            metavar="|".join(_ENDED),
            help="Only runs in this state, even if they could be resumed. Repeatable; by default, cancelled runs, and"
            " completed ones without failed items.",
            show_default=False,
        ),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the runs that would be deleted.")] = False
    store: StoreName = None
    format: Shown = "text"
    messages: MessageOptions = MessageOptions()


class ApprovalsOptions(NamedTuple):
    """The command-line options of `toolkit runs approvals`, one per field."""

    run: RunFilter = None
    store: StoreName = None
    format: Shown = "text"
    messages: MessageOptions = MessageOptions()


class DecideOptions(NamedTuple):
    """The command-line options of `toolkit runs decide`, one per field."""

    question: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id of the question, as `toolkit runs approvals` shows it; its first characters are enough.",
            show_default=False,
        ),
    ]
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="approve|reject|edit [ARG]...",
            help="The answer; edit is followed by the new arguments.",
            show_default=False,
        ),
    ] = None
    reason: Annotated[
        str, typer.Option(metavar="TEXT", help="The reason for a rejection, for the caller.", show_default=False)
    ] = ""
    all_like: Annotated[
        bool, typer.Option("--all-like", help="Give the same answer for all items that wait at the same step.")
    ] = False
    store: StoreName = None
    messages: MessageOptions = MessageOptions()


class NewScheduleOptions(NamedTuple):
    """The command-line options of `toolkit runs schedule`, one per field."""

    cron: Annotated[
        str,
        typer.Argument(metavar="CRON", help="When to start, as a cron expression in UTC.", show_default=False),
    ]
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGET [ARG]...",
            help="A tool or a pipeline and its arguments, as for `toolkit run`.",
            show_default=False,
        ),
    ] = None
    each: Annotated[
        str | None, typer.Option(metavar="FILE", help="Run it for each item of a file in the worker's folder.")
    ] = None
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="The name of the schedule; by default, the tool's name."),
    ] = None
    on_approval: Annotated[
        Literal["ask", "wait"],
        typer.Option(
            "--on-approval", help="Ask on the worker, or wait for `toolkit runs decide`, if a call needs approval."
        ),
    ] = "ask"
    store: StoreName = None
    messages: MessageOptions = MessageOptions()


class SchedulesOptions(NamedTuple):
    """The command-line options of `toolkit runs schedules`, one per field."""

    store: StoreName = None
    format: Shown = "text"
    messages: MessageOptions = MessageOptions()


class UnscheduleOptions(NamedTuple):
    """The command-line options of `toolkit runs unschedule`, one per field."""

    name: ScheduleName
    store: StoreName = None
    messages: MessageOptions = MessageOptions()


# ------------------------------------------------------------------------------------------------------ recorded runs


def list_runs(options: ListOptions) -> int:
    """List recorded runs, newest first.

    Batches are recorded, and so are pipelines and agents that run with --journal.
    """
    with open_runs(options.store) as recorded:
        wanted = (run for run in recorded.all() if options.state in (None, run.state) and options.target in run.target)
        found = list(islice(wanted, options.limit))
    if options.format == "json":
        console.write_json([run.as_record() for run in found])
    elif found:
        print_lines(listed_runs(found, console.data_width()))
    else:
        console.say("no runs found; only batches, and pipelines and agents run with --journal, are recorded")
    return ExitCode.SUCCESS


def show_run(options: ShowOptions) -> int:
    """Show a run with its steps and questions.

    With --html, it is written as a self-contained HTML page.
    """
    if options.html is not None and options.format != "text":
        raise Failure(ExitCode.USAGE, "--html and --format json cannot be combined")
    with open_runs(options.store) as recorded:
        run = find_run(recorded, options.run)
        steps = [step for step in recorded.steps(run) if not options.failed or step.status not in ("ok", "skipped")]
    if options.html is not None:
        write_run_page(options.html, run, steps)
    elif options.format == "json":
        work = work_of_agents(steps)
        record = {
            **run.as_record(),
            "agent": None if work is None else work._asdict(),
            "steps": [step._asdict() for step in steps],
            "questions": question_entries(records_of(run)),
        }
        console.write_json(record)
    else:
        print_lines(shown_run(run, steps, question_entries(records_of(run))))
    return ExitCode.SUCCESS


def cancel_run(options: OneRunOptions) -> int:
    """Stop a run.

    A running one ends as after Ctrl-C. Finished work is recorded.
    """
    with open_runs(options.store) as recorded:
        run = find_run(recorded, options.run)
        if run.state == "completed":
            raise Failure(ExitCode.USAGE, f"the run '{run.id}' has completed")
        recorded.cancel(run)
    console.say(f"the run '{run.id}' is cancelled; finished work is kept")
    return ExitCode.SUCCESS


def watch_run(options: OneRunOptions) -> int:
    """Print each step of a run as it finishes.

    It ends with the run. The exit code is 1 if the run ends without completing.
    """
    since = 0.0
    with open_runs(options.store) as recorded:
        id = find_run(recorded, options.run).id
        while True:
            run = find_run(recorded, id)
            for step in sorted(recorded.steps(run, since=since), key=lambda step: step.ended or 0.0):
                if step.ended is not None:
                    since = max(since, step.ended)
                    console.write_data(f"{paint(step_line(step), colour=console.data_has_colour())}\n")
            if run.state != "running":
                console.say(f"{run.state}: {run.error}" if run.error else run.state)
                return ExitCode.SUCCESS if run.state == "completed" else ExitCode.FINDINGS
            time.sleep(_GLANCE)


def prune_runs(options: PruneOptions) -> int:
    """Delete old runs, and free their space.

    Without --state, only runs that are over are deleted: cancelled ones, and completed ones without failed items. A run
    that is going on is never deleted. Nothing else deletes runs.
    """
    for state in options.state or ():
        _check_state(state)
    age = options.older_than if options.older_than is not None else load_configuration().keep_runs
    seconds = parse_age(age)
    if seconds is None:
        hint = f"write a number of hours, days or weeks: {AGE_EXAMPLES}"
        raise Failure(ExitCode.USAGE, f"--older-than: '{age}' is not an age", hint=hint)
    before = time.time() - seconds
    freed = 0
    with open_runs(options.store) as recorded:
        found = [run for run in recorded.all() if _is_over(run, options.state) and (run.ended or run.began) < before]
        if found and not options.dry_run:
            found = recorded.prune(found)
            freed = recorded.compact()
    if options.format == "json":
        console.write_json([run.as_record() for run in found])
    elif found:
        print_lines(listed_runs(found, console.data_width()))
    runs = f"{len(found):,} run{'s' if len(found) != 1 else ''}"
    if not found:
        what = "no run in such a state" if options.state else "no finished run"
        console.say(f"no runs to delete: {what} ended more than {age.strip()} ago")
    elif options.dry_run:
        console.say(f"{runs} would be deleted; nothing was deleted")
    else:
        console.say(f"{runs} deleted{f'; {freed / 1e6:,.1f} MB freed' if freed else ''}")
    return ExitCode.SUCCESS


def _check_state(state: str) -> None:
    """Check that runs in a state can be deleted.

    Raises:
        Failure: If such runs cannot be deleted, or the state is unknown.
    """
    if state == "running":
        hint = "end it first, with: toolkit runs cancel ID"
        raise Failure(ExitCode.USAGE, "a run that is going on cannot be deleted", hint=hint)
    if state not in _ENDED:
        near = did_you_mean(state, _ENDED, otherwise=f"the states are {', '.join(_ENDED)}")
        raise Failure(ExitCode.USAGE, f"--state: '{state}' is not a state", hint=near)


def _is_over(run: RecordedRun, states: Collection[str] | None) -> bool:
    """Return whether a run can be deleted: it is in one of the states or, without any, cannot be resumed."""
    if states:
        return run.state in states
    return run.state == "cancelled" or (run.state == "completed" and not run.failed)


# ----------------------------------------------------------------------------------------------------------- resuming


def resume_run(options: ResumeOptions) -> int:
    """Continue a run that failed, was interrupted or waits.

    Finished steps are not repeated. A step that started but did not finish may have taken effect, so it is only
    repeated if its tool is read-only or idempotent, or with --repeat. Approvals are not carried over, except answers to
    questions of a run with --on-approval wait. The run continues in the folder in which it was started; paths of
    options are relative to the current one.
    """
    with open_runs(options.store) as recorded:
        run, more, is_own = find_run(recorded, options.run), store_option(recorded), recorded.url is None
        _check_unfinished(run, repeats_failures=options.failed)
        if not options.repeat:
            refuse_doubts(recorded, run)
    resumed = Resumed(run, options.accept_changes, options.failed, options.repeat)
    continue_with(options.python or _recorded_python(run, more, is_own=is_own))
    url, policy = absolute_store(named_store(options.store)), options.asking.policy
    asking = options.asking if policy is None else options.asking._replace(policy=policy.absolute())
    options = options._replace(asking=asking)
    if run.request.get("command") == AGENT:
        return _resume_agent(options, run, resumed)
    if not run.request["is_whole"] and not options.words:
        message = f"the arguments of the run '{run.id}' contained secrets, which are not recorded"
        raise Failure(ExitCode.USAGE, message, hint=f"pass them again: toolkit runs resume {run.id}{more} name=value")
    _enter_folder(run)
    earlier = RunOptions.of_request(run.request, options.words or ())
    return run_target(
        earlier._replace(
            store=url,
            session=_session(options, earlier.session),
            on_approval="ask" if options.asking.no_input else earlier.on_approval,
            resumed=resumed,
        )
    )


def _recorded_python(run: RecordedRun, store: str, *, is_own: bool) -> str | None:
    """Return the Python that a run was started with, if its record may choose the program that is started here.

    Args:
        run: The run.
        store: The option that names its store in a suggested command.
        is_own: Whether it is in the journal of this user.

    Raises:
        Failure: If the run is in a store, which others may be able to write.
    """
    python: str | None = run.request.get("python")
    if python is None or is_own:
        return python
    raise Failure(
        ExitCode.APPROVAL,
        f"the run '{run.id}' was started with the Python '{python}', and others may be able to write its store",
        hint=f"if you trust that program, name it: toolkit runs resume {run.id}{store} --python {quote(python)}",
    )


def _resume_agent(options: ResumeOptions, run: RecordedRun, resumed: Resumed) -> int:
    """Resume an agent's task.

    Raises:
        Failure: If the task contained secrets, which are not recorded.
    """
    if not run.request["is_whole"]:
        raise Failure(
            ExitCode.USAGE, f"the task of the run '{run.id}' contained secrets, which are not recorded; start it again"
        )
    if options.words:
        message = f"an agent's run takes no arguments again: '{options.words[0]}'"
        raise Failure(ExitCode.USAGE, message, hint="leave them out; the task is recorded")
    from toolkit_cli.agent_runs import run_agent  # few runs are of agents

    _enter_folder(run)
    earlier = restored(AgentOptions, run.request)
    return run_agent(
        earlier._replace(
            session=_session(options, earlier.session),
            on_approval="ask" if options.asking.no_input else earlier.on_approval,
            resumed=resumed,
        )
    )


def _session(typed: ResumeOptions, earlier: SessionOptions) -> SessionOptions:
    """Return the options of the earlier run with those as typed, and its policy file if no other is named."""
    asking = typed.asking._replace(policy=typed.asking.policy or earlier.asking.policy)
    return earlier._replace(asking=asking, opening=typed.opening, messages=typed.messages)


def _check_unfinished(run: RecordedRun, *, repeats_failures: bool) -> None:
    """Check that a run has something left to do.

    Raises:
        Failure: If it has completed.
    """
    if run.state == "completed" and not (repeats_failures and run.failed):
        hint = "run its failed items again with --failed" if run.failed else None
        raise Failure(ExitCode.USAGE, f"the run '{run.id}' has completed", hint=hint)


def _enter_folder(run: RecordedRun) -> None:
    """Change to the folder in which a run was started.

    Raises:
        Failure: If the folder no longer exists.
    """
    folder = run.request["cwd"]
    try:
        os.chdir(folder)
    except OSError as error:
        raise Failure(ExitCode.USAGE, f"the run was started in '{folder}', which cannot be entered") from error


# ---------------------------------------------------------------------------------------------------------- approvals


def list_pending(options: ApprovalsOptions) -> int:
    """List pending approval questions.

    Runs with --on-approval wait record their questions and wait for an answer.
    """
    with open_runs(options.store) as recorded:
        return list_approvals(recorded, options.run, as_json=options.format == "json")


def decide(options: DecideOptions) -> int:
    """Answer a pending question.

    The answer is valid for exactly the call that was shown.
    """
    reply = Reply(options.reason, options.all_like)
    with open_runs(options.store) as recorded:
        return decide_approval(recorded, options.question, options.words or [], reply)


# ---------------------------------------------------------------------------------------------------------- schedules


def add_schedule(options: NewScheduleOptions) -> int:
    """Run a target repeatedly on the workers of a store."""
    wanted = schedules.ScheduleOptions(options.each, options.name, options.on_approval)
    return schedules.add_schedule(_needed_store(options.store), options.cron, options.words or (), wanted)


def list_schedules(options: SchedulesOptions) -> int:
    """List the schedules of a store."""
    return schedules.list_schedules(_needed_store(options.store), as_json=options.format == "json")


def remove_schedule(options: UnscheduleOptions) -> int:
    """Remove a schedule.

    Runs that it has begun are recorded.
    """
    return schedules.remove_schedule(_needed_store(options.store), options.name)


def _needed_store(typed: str | None) -> str:
    """Return the URL of the store from the option or the environment.

    Raises:
        Failure: If neither names one.
    """
    url = named_store(typed)
    if url is None:
        hint = "use --store postgresql://host/database, or set TOOLKIT_STORE"
        raise Failure(ExitCode.USAGE, "schedules need a store", hint=hint)
    return url


RUNS: Final[Mapping[str, Callable[..., int]]] = {
    "list": list_runs,
    "show": show_run,
    "resume": resume_run,
    "cancel": cancel_run,
    "watch": watch_run,
    "prune": prune_runs,
    "approvals": list_pending,
    "decide": decide,
    "schedule": add_schedule,
    "schedules": list_schedules,
    "unschedule": remove_schedule,
}
"""The commands of `toolkit runs`."""
