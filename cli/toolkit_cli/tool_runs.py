"""Runs the target of `toolkit run`: opens and checks it, calls it once or for each item, and shows the result."""

from collections.abc import Callable, Mapping
from functools import partial
from shlex import quote
from typing import Any

from toolkit.problems import Problem
from toolkit.tools.base import Tool
from toolkit.tools.secret_arguments import learn_arguments
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections, piped_text
from toolkit_cli.failures import ExitCode, Failure, refuse
from toolkit_cli.other_python import continue_with
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.rendering.tool_kinds import is_agent, python_option
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.answer_sources import (
    NOT_FROM_TEXTS,
    check_rules,
    is_recorded,
    questions_of,
    refuse_unanswerable,
)
from toolkit_cli.running.opened_tools import open_one
from toolkit_cli.running.sessions import Session, ShownRun, bounded, open_session
from toolkit_cli.running.tool_calls import Ending, with_hint_on_json
from toolkit_cli.running.watchdog import leave_if_threads_remain


def run_target(options: RunOptions) -> int:
    """Run the target, and return the exit code.

    Raises:
        Failure: If it cannot start; nothing has run then.
    """
    continue_with(options.python)
    check_client(options)
    run = _batch_of(options) if options.is_batch else _run_once
    with open_session(
        options.session,
        [options.target],
        options.tools,
        model=options.model,
        base_url=options.base_url,
        run=options.target,
        run_id=options.resumed.run.id if options.resumed is not None else None,
        waits=options.waits,
    ) as session:
        configuration = session.configuration
        warns = not session.is_quiet and options.format == "text"
        tool = open_one(options.target, configuration, session.gate, "`run` calls one of them", warn=warns)
        if is_agent(tool):
            session.audit()
        tool = bounded(tool, options.timeout, configuration)
        given = Given(tuple(options.words or ()), options.args, options.input, piped_text())
        exit_code = run(options, session, tool, given)
    leave_if_threads_remain(exit_code)
    return exit_code


def _batch_of(options: RunOptions) -> Callable[[RunOptions, Session, Tool, Given], int]:
    from toolkit_cli.batching.each import batch_of, run_each  # a single call needs none of it

    return partial(run_each, batch_of(options))


def _run_once(options: RunOptions, session: Session, tool: Tool, given: Given) -> int:
    again = f"toolkit run {quote(options.target)}{python_option(options.python)}"
    arguments = _complete(tool, given, session, again)
    if options.dry_run:
        return _rehearse(tool, arguments, session, options)
    check_rules(session.answers.rules, tool, arguments, session.gate)
    refuse_unanswerable(tool, arguments, session.gate, session.answers)
    is_kept = is_recorded(
        options.journal,
        waits=options.waits,
        resumes=options.resumed is not None,
        is_usual=session.configuration.journal,
        why_not=_why_not_recorded(tool),
    )
    recorded = options.record(session.report.run, tool, arguments) if is_kept else None
    shown = ShownRun(session, options.format, recorded, is_agent=is_agent(tool))
    context = shown.context.replace(run=shown.run, path="", journal=shown.run.journal)

    def explained(ending: Ending) -> Ending:
        ending = with_hint_on_json(ending, tool, options.words or ())
        if options.client is None:
            return ending
        from toolkit_cli.rendering.client_views import seen_by  # few runs are shown as a client sees them

        return ending._replace(seen=seen_by(options.client, tool, arguments, ending.result, console.redactor()))

    return shown.call(tool, arguments, context, explained=explained)


def check_client(options: RunOptions) -> None:
    """Check the client of `--as`, before anything runs.

    Raises:
        Failure: If the client is unknown, or the command has several results, or none.
    """
    if options.client is None:
        return
    if options.is_batch or options.dry_run:
        other = "--each" if options.each else "--dry-run"
        raise Failure(ExitCode.USAGE, f"'--as' shows a single result, so it cannot be combined with '{other}'")
    from toolkit_cli.rendering.client_views import known_client  # few runs are shown as a client sees them

    known_client(options.client)


def _why_not_recorded(tool: Tool) -> Problem | None:
    if tool.keeps_steps:
        return None
    why_not = f"records the steps of a pipeline or an agent, but '{tool.name}' has none"
    if is_agent(tool):
        why_not = f"{why_not}: {NOT_FROM_TEXTS}"
    return Problem("", why_not, hint="with --each, every item of a batch is recorded")


def _complete(tool: Tool, given: Given, session: Session, again: str) -> Mapping[str, Any]:
    """Return valid arguments for the tool, and prompt for missing ones on a terminal.

    Raises:
        Failure: If arguments are invalid or missing; lists all problems.
    """
    gathered = gather_arguments(tool, given)
    learn_arguments(console.redactor(), tool, gathered.arguments)
    problems = [*gathered.problems, *(one.problem for one in objections(tool, gathered.arguments))]
    if gathered.missing:
        from toolkit_cli.arguments.argument_prompts import ask_for, missing_problems  # only where something is missing

        if session.answers.may_ask and not problems:
            complete = {**gathered.arguments, **ask_for(tool, gathered.missing, gathered.arguments)}
            learn_arguments(console.redactor(), tool, complete)
            return complete
        problems += missing_problems(tool, gathered.missing, again)
    refuse(problems)
    return gathered.arguments


def _rehearse(tool: Tool, arguments: Mapping[str, Any], session: Session, options: RunOptions) -> ExitCode:
    from toolkit_cli.rendering.question_texts import rehearsal_lines  # few runs are rehearsed
    from toolkit_cli.running.step_arguments import rehearsal_record  # as above

    record = rehearsal_record(tool, arguments, questions_of(tool, arguments, session.gate))
    if options.format == "text":
        print_lines(rehearsal_lines(record, console.data_width()))
    else:
        console.write_json(record, indent=2 if options.format == "json" else None)
    return ExitCode.SUCCESS
