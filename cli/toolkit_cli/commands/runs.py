"""`toolkit runs`: list, show, resume and schedule runs, and answer pending approvals."""

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from toolkit.journals.kept_runs import KeptRun, State
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.agent_launching import launch_agent
from toolkit_cli.agent_options import AGENT, AgentOptions
from toolkit_cli.batching.kept_runs import Consent, JournalRuns, Kept, StoreRuns
from toolkit_cli.batching.opened_stores import named_store
from toolkit_cli.batching.pending_approvals import Reply, decide_approval, list_approvals
from toolkit_cli.batching.stored_runs import StoredResume
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.launching import launch
from toolkit_cli.options import AskingOptions, ContextOptions, MessageOptions, OpeningOptions, StoreName
from toolkit_cli.rendering.agent_turns import work_of_agents
from toolkit_cli.rendering.kept_runs import listed_runs, shown_run, step_line
from toolkit_cli.rendering.printed_lines import print_lines
from toolkit_cli.rendering.run_pages.questions import question_entries
from toolkit_cli.rendering.styles import paint
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.keeping import Resumed, find_run
from toolkit_cli.running.run_page_files import records_of, write_run_page

_GLANCE = 0.3
"""How often `watch` checks for new steps, in seconds."""

Action = Annotated[
    Literal["list", "show", "resume", "cancel", "watch", "approvals", "decide", "schedule", "schedules", "unschedule"],
    typer.Argument(
        metavar="list|show|resume|cancel|watch|approvals|decide|schedule|schedules|unschedule",
        help="List runs; show, resume, cancel or watch one. List pending approvals, or decide one. Add, list or "
        "remove schedules.",
        show_default=False,
    ),
]
RunId = Annotated[
    str | None,
    typer.Argument(
        metavar="[ID|CRON|NAME]",
        help="The id of the run, or of the question with decide; its first characters are enough. With schedule, a "
        "cron expression; with unschedule, the name.",
        show_default=False,
    ),
]
Rest = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ARG]...",
        help="With decide: approve, reject, or edit and the new arguments. With resume: the arguments again, if they "
        "contained secrets. With schedule: the TARGET and its arguments.",
        show_default=False,
    ),
]
InState = Annotated[State | None, typer.Option(help="With list: only runs in this state.", show_default=False)]
Part = Annotated[
    str, typer.Option(metavar="TEXT", help="With list: only runs whose target contains this.", show_default=False)
]
Limit = Annotated[int, typer.Option(metavar="N", min=1, help="With list: the maximum number of runs.")]
Each = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="With schedule: run it for each item of a file in the worker's folder."),
]
ScheduleName = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="NAME", help="With schedule: the name of the schedule; by default, the tool's name."
    ),
]
Waits = Annotated[
    Literal["ask", "wait"],
    typer.Option(
        "--on-approval",
        help="With schedule: ask on the worker, or wait for `toolkit runs decide`, if a call needs approval.",
    ),
]
Failed = Annotated[
    bool, typer.Option("--failed", help="With show: only failed steps and items. With resume: run failed items again.")
]
Repeat = Annotated[bool, typer.Option("--repeat", help="With resume: repeat steps that started but did not finish.")]
Changes = Annotated[
    bool,
    typer.Option("--accept-changes", help="With resume: continue although definitions or items have changed."),
]
Reason = Annotated[
    str,
    typer.Option(metavar="TEXT", help="With decide: the reason for a rejection, for the caller.", show_default=False),
]
AllLike = Annotated[
    bool, typer.Option("--all-like", help="With decide: give the same answer for all items that wait at the same step.")
]
Shown = Annotated[
    Literal["text", "json"],
    typer.Option("--format", help="The output format of list, show and approvals."),
]
Page = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="With show: write a self-contained HTML page to a file, or to stdout with `-`.",
        show_default=False,
    ),
]


class RunsOptions(NamedTuple):
    """The command-line options of `toolkit runs`, one per field."""

    action: Action
    name: RunId = None
    rest: Rest = None
    state: InState = None
    target: Part = ""
    limit: Limit = 50
    store: StoreName = None
    each: Each = None
    schedule_name: ScheduleName = None
    on_approval: Waits = "ask"
    failed: Failed = False
    repeat: Repeat = False
    accept_changes: Changes = False
    reason: Reason = ""
    all_like: AllLike = False
    asking: AskingOptions = AskingOptions()
    opening: OpeningOptions = OpeningOptions()
    format: Shown = "text"
    html: Page = None
    messages: MessageOptions = MessageOptions()


def runs(options: RunsOptions) -> int:
    """List recorded runs; show, resume, cancel or watch one; answer pending approvals; schedule runs.

    Batches are recorded, and so are pipelines and agents that run with --journal. A resumed run does not repeat
    finished steps. A step that started but did not finish may have taken effect, so it is only repeated if its tool is
    read-only or idempotent, or with --repeat. Approvals are not carried over. With --on-approval wait, a call that
    needs approval waits for `runs decide`, and the answer is valid for exactly that call.
    """
    if options.html is not None and (options.action, options.format) != ("show", "text"):
        raise Failure(ExitCode.USAGE, "--html works only with `toolkit runs show`, and not with --format json")
    url = named_store(options.store)
    if options.action in ("schedule", "schedules", "unschedule"):
        return _schedules(options, url)
    with ExitStack() as stack:
        kept: Kept = JournalRuns(JournalRuns.usual_path()) if url is None else stack.enter_context(StoreRuns(url))
        if options.action == "list":
            return _list(kept.runs(), options.state, options.target, options.limit, as_json=options.format == "json")
        if options.action == "approvals":
            return list_approvals(kept, options.name, url, as_json=options.format == "json")
        if options.action == "decide":
            return decide_approval(kept, options.name, options.rest or [], Reply(options.reason, options.all_like), url)
        if options.name is None:
            hint = "`toolkit runs list` shows the ids"
            raise Failure(ExitCode.USAGE, f"`toolkit runs {options.action}` needs the id of a run", hint=hint)
        run = find_run(kept.runs(), options.name)
        match options.action:
            case "show":
                return _show(options, kept, run)
            case "cancel":
                return _cancel(kept, run)
            case "watch":
                return _watch(kept, run)
        _check_unfinished(run, repeats_failures=options.failed)
        resumed = kept.resumed(run, Consent(options.accept_changes, options.failed, options.repeat))
    return _resume(options, run, resumed, url)


def _resume(typed: RunsOptions, run: KeptRun, resumed: Resumed | StoredResume, url: str | None) -> int:
    if run.request.get("command") == AGENT:
        return _resume_agent(typed, run, resumed)
    options = _options_of(run, typed.rest or [])
    return launch(
        options._replace(
            store=url,
            asking=typed.asking._replace(policy=typed.asking.policy or options.asking.policy),
            opening=typed.opening,
            messages=typed.messages,
            resumed=resumed,
        )
    )


def _resume_agent(typed: RunsOptions, run: KeptRun, resumed: Resumed | StoredResume) -> int:
    """Resume an agent's task.

    Raises:
        Failure: If the task contained secrets, which are not recorded.
    """
    if not run.request["is_whole"]:
        raise Failure(
            ExitCode.USAGE, f"the task of the run '{run.id}' contained secrets, which are not recorded; start it again"
        )
    _enter_folder(run)
    options = AgentOptions.of_request(run.request)
    return launch_agent(
        options._replace(
            asking=typed.asking._replace(policy=typed.asking.policy or options.asking.policy),
            opening=typed.opening,
            messages=typed.messages,
            resumed=resumed if isinstance(resumed, Resumed) else None,
        )
    )


def _enter_folder(run: KeptRun) -> None:
    """Change to the folder in which a run was started.

    Raises:
        Failure: If the folder no longer exists.
    """
    folder = run.request["cwd"]
    try:
        os.chdir(folder)
    except OSError as error:
        raise Failure(ExitCode.USAGE, f"the run was started in '{folder}', which cannot be entered") from error


def _schedules(options: RunsOptions, url: str | None) -> ExitCode:
    """Add, list or remove schedules.

    Raises:
        Failure: If no store is given.
    """
    from toolkit_cli.batching.schedules import ScheduleOptions, add_schedule, list_schedules, remove_schedule  # noqa: PLC0415 - few runs are scheduled

    if url is None:
        hint = "use --store postgresql://host/database, or set TOOLKIT_STORE"
        raise Failure(ExitCode.USAGE, "schedules need a store", hint=hint)
    if options.action == "schedule":
        wanted = ScheduleOptions(options.each, options.schedule_name, options.on_approval)
        return add_schedule(url, options.name or "", options.rest or (), wanted)
    if options.action == "schedules":
        return list_schedules(url, as_json=options.format == "json")
    return remove_schedule(url, options.name)


def _list(known: list[KeptRun], state: State | None, target: str, limit: int, *, as_json: bool) -> ExitCode:
    found = [run for run in known if state in (None, run.state) and target in run.target][:limit]
    if as_json:
        console.write_json([run.as_record() for run in found])
    elif found:
        print_lines(listed_runs(found, console.data_width()))
    else:
        console.say("no runs found; only batches, and pipelines and agents run with --journal, are recorded")
    return ExitCode.SUCCESS


def _show(options: RunsOptions, kept: Kept, run: KeptRun) -> ExitCode:
    steps = [step for step in kept.steps(run) if not options.failed or step.status not in ("ok", "skipped")]
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


def _cancel(kept: Kept, run: KeptRun) -> ExitCode:
    """Stop a running run as Ctrl-C does, or mark an interrupted one as cancelled.

    Raises:
        Failure: If the run has completed.
    """
    if run.state == "completed":
        raise Failure(ExitCode.USAGE, f"the run '{run.id}' has completed")
    console.say(kept.cancel(run))
    return ExitCode.SUCCESS


def _watch(kept: Kept, run: KeptRun) -> ExitCode:
    """Print a line for each step as it finishes, until the run ends."""
    since = 0.0
    while True:
        run = next(one for one in kept.runs() if one.id == run.id)
        for step in sorted(kept.steps(run, since=since), key=lambda step: step.ended or 0.0):
            if step.ended is not None:
                since = max(since, step.ended)
                console.write_data(f"{paint(step_line(step), colour=console.data_has_colour())}\n")
        if run.state != "running":
            console.say(f"{run.state}: {run.error}" if run.error else run.state)
            return ExitCode.SUCCESS if run.state == "completed" else ExitCode.FINDINGS
        time.sleep(_GLANCE)


def _check_unfinished(run: KeptRun, *, repeats_failures: bool) -> None:
    """Check that a run has something left to do.

    Raises:
        Failure: If it has completed.
    """
    if run.state == "completed" and not (repeats_failures and run.failed):
        hint = "run its failed items again with --failed" if run.failed else None
        raise Failure(ExitCode.USAGE, f"the run '{run.id}' has completed", hint=hint)


def _options_of(run: KeptRun, words: list[str]) -> RunOptions:
    """Return the options of a recorded run, after changing to the folder in which it was started.

    Raises:
        Failure: If the arguments contained secrets, which are not recorded, and `words` is empty.
    """
    kept: dict[str, Any] = run.request
    if not kept["is_whole"] and not words:
        message = f"the arguments of the run '{run.id}' contained secrets, which are not recorded"
        raise Failure(ExitCode.USAGE, message, hint=f"pass them again: toolkit runs resume {run.id} name=value")
    _enter_folder(run)
    batch = kept["batch"] or {}
    return RunOptions(
        kept["target"],
        words,
        args=visible_json(kept["arguments"]) if kept["is_whole"] and kept["arguments"] else None,
        asking=AskingOptions(policy=None if kept["policy"] is None else Path(kept["policy"])),
        timeout=kept["timeout"],
        format=kept["format"],
        tools=kept["tools"],
        model=kept["model"],
        base_url=kept["base_url"],
        given=ContextOptions(kept["context"], kept["memory_id"]),
        on_approval=kept.get("on_approval", "ask"),
        each=batch.get("source"),
        jobs=batch.get("jobs"),
        out=Path(batch["out"]) if batch.get("out") else None,
        on_item_error=batch.get("on_item_error"),
    )
