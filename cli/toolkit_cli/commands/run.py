"""`toolkit run`: call a tool, run a pipeline or an agent, and ask before anything dangerous."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolkit.runs.run import Run
from toolkit.tools.base import Tool, innermost
from toolkit.tools.call_secrets import learn_arguments
from toolkit.tools.context import ToolContext
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.arguments.stdin import piped_text
from toolkit_cli.completion import complete_argument, complete_target
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.options import (
    BaseUrl,
    Consented,
    Debug,
    Grants,
    MemoryId,
    NoInput,
    PolicyPath,
    Quiet,
    Rules,
    Sources,
    Starts,
    Values,
    Verbose,
    Yes,
)
from toolkit_cli.rendering.results import Format
from toolkit_cli.rendering.styles import paint_all
from toolkit_cli.running.answer_sources import (
    Answers,
    make_gate,
    policy_of_files,
    refuse_what_nobody_can_answer,
)
from toolkit_cli.running.context_values import checked_memory_id, read_values, seconds_of
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.logs import show_logs
from toolkit_cli.running.outcomes import present
from toolkit_cli.running.process_exit import leave_if_threads_remain
from toolkit_cli.running.reporters import RunReporter, both, message_channel, write_event
from toolkit_cli.running.rule_checks import check_rules
from toolkit_cli.running.single_tools import open_one
from toolkit_cli.running.tool_calls import Ending, call_tool, with_hint_on_json
from toolkit_cli.screen import Screen
from toolkit_cli.settings import load_configuration

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration
    from toolkit_cli.batching.batches import BatchOptions


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
Jobs = Annotated[int | None, typer.Option(metavar="N", min=1, help="With --each: how many items run side by side.")]
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
Time = Annotated[
    str | None, typer.Option(metavar="TIME", help="The time limit, without the time for questions: 500ms, 30s, 5m.")
]
Shown = Annotated[
    Format, typer.Option("--format", help="The output alone, the result as JSON, or events as they happen.")
]


def run(  # noqa: PLR0913 - each is an option of the command
    target: Target,
    words: Words = None,
    *,
    args: Whole = None,
    input: Text = None,  # noqa: A002 - the option's name
    each: Each = None,
    jobs: Jobs = None,
    out: Out = None,
    on_item_error: OnItemError = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and show what would run.")] = False,
    yes: Yes = False,
    no_input: NoInput = False,
    approve: Rules = None,
    policy: PolicyPath = None,
    timeout: Time = None,
    format: Shown = "text",  # noqa: A002 - the option's name
    tools: Sources = None,
    grant: Grants = None,
    start: Starts = None,
    consent: Consented = None,
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="What answers agents, whatever they say; as in `toolkit agent`.")
    ] = None,
    base_url: BaseUrl = None,
    context: Values = None,
    memory_id: MemoryId = None,
    verbose: Verbose = 0,
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Call a tool, run a pipeline, or let an agent work; stdout carries the result alone.

    Before anything destructive you are asked, on a terminal. Without one, whatever would have to be asked fails before
    any work, and the flag that allows it is named.
    """
    configuration = load_configuration(tools, grant, start, consent, policy)
    configuration = configuration._replace(model_said=model, model_url=base_url or configuration.model_url)
    values = {**configuration.context, **read_values(context or ())}
    configuration = configuration._replace(context=values)
    answers = Answers(yes, no_input, approve or (), policy_of_files(configuration))
    memory_id = checked_memory_id(memory_id)
    batch = _batch(each, jobs, out, on_item_error)
    with Screen() as screen:
        show_logs(screen, verbose, debug=debug)
        gate = make_gate(answers, screen, configuration.approval_timeout)
        found = open_one(target, configuration, gate, "`run` calls one of them", warn=not quiet and format == "text")
        tool = _timed(found, timeout, configuration)
        given = Given(words or (), args, input, piped_text())
        if batch is not None:
            from toolkit_cli.batching.each import run_each  # noqa: PLC0415 - a single call needs none of it

            for_items = ToolContext(values, memory_id=memory_id, gate=gate, redactor=console.redactor())
            batch = batch._replace(format=format, quiet=quiet, dry_run=dry_run)
            exit_code = run_each(tool, batch, given, for_items, answers, screen)
            leave_if_threads_remain(exit_code)
            return exit_code
        arguments = _complete(tool, given, answers, target)
        if dry_run:
            return _rehearse(tool, arguments, gate, format)
        check_rules(answers.rules, tool, arguments, gate)
        refuse_what_nobody_can_answer(tool, arguments, gate, answers)
        reporter = None if quiet else RunReporter(screen, aloud=_is_agent(tool))
        kept = KeptWork(both(reporter, write_event if format == "jsonl" else None))
        belongs_to = Run(channel=None if quiet else message_channel(screen))

        def show(ending: Ending) -> None:
            screen.close()
            present(with_hint_on_json(ending, tool, words or ()), format, reporter, kept, belongs_to.uses)

        call_context = ToolContext(
            values,
            memory_id=memory_id,
            gate=gate,
            listener=kept,
            run=belongs_to,
            redactor=console.redactor(),
        )
        exit_code = call_tool(tool, arguments, call_context, kept, show)
    leave_if_threads_remain(exit_code)
    return exit_code


def _batch(
    each: str | None, jobs: int | None, out: Path | None, on_item_error: Literal["fail", "skip", "collect"] | None
) -> "BatchOptions | None":
    """Return what the options say of a batch, or `None` where it is a single call.

    Raises:
        Failure: If an option of batches stands alone.
    """
    given = {"--jobs": jobs, "--out": out, "--on-item-error": on_item_error}
    if each is None:
        if alone := [name for name, value in given.items() if value is not None]:
            hint = "with it, the tool runs for every item of a file: --each items.jsonl"
            raise Failure(ExitCode.USAGE, f"{alone[0]} is for batches, and there is no --each", hint=hint)
        return None
    from toolkit_cli.batching.batches import BatchOptions  # noqa: PLC0415 - a single call needs none of it

    return BatchOptions(each, jobs or 1, out, on_item_error or "collect")


def _complete(tool: Tool, given: Given, answers: Answers, target: str) -> Mapping[str, Any]:
    """Return arguments that the tool accepts, asking for missing ones where somebody can be asked.

    Raises:
        Failure: With everything that is wrong with them, and nothing run.
    """
    gathered = gather_arguments(tool, given)
    learn_arguments(console.redactor(), tool, gathered.arguments)
    problems = [*gathered.problems, *(one.problem for one in objections(tool, gathered.arguments))]
    if gathered.missing:
        from toolkit_cli.arguments.argument_prompts import ask_for, missing_problems  # noqa: PLC0415 - only where something is missing

        if answers.may_ask and not problems:
            complete = {**gathered.arguments, **ask_for(tool, gathered.missing, gathered.arguments)}
            learn_arguments(console.redactor(), tool, complete)
            return complete
        problems += missing_problems(tool, gathered.missing, f"toolkit run {target}")
    if problems:
        raise Failure(ExitCode.USAGE, problems=problems)
    return gathered.arguments


def _timed(tool: Tool, text: str | None, configuration: "Configuration") -> Tool:
    """Return the tool with the limit of time that was said, if one was; a configured one is for single calls."""
    seconds = configuration.timeout if text is None else seconds_of("--timeout", text)
    if seconds is None:
        return tool
    from toolkit.wrappers.timing import TimedTool  # noqa: PLC0415 - a clock needs the event loop
    from toolkit_cli.rendering.tools import pipeline_in  # noqa: PLC0415 - few runs are limited

    is_many_calls = pipeline_in(tool) is not None or _is_agent(tool)
    return tool if text is None and is_many_calls else TimedTool(tool, seconds)


def _is_agent(tool: Tool) -> bool:
    return getattr(innermost(tool), "is_agent", False)


def _rehearse(tool: Tool, arguments: Mapping[str, Any], gate: "Gate", format: Format) -> ExitCode:  # noqa: A002
    from toolkit_cli.rendering.rehearsals import rehearsal_lines  # noqa: PLC0415
    from toolkit_cli.running.dry_runs import rehearsal_record  # noqa: PLC0415 - only `--dry-run` needs it

    record = rehearsal_record(tool, arguments, gate)
    if format == "text":
        lines = rehearsal_lines(record, console.data_width())
        console.write_data(paint_all(lines, colour=console.data_has_colour()))
    else:
        indent = 2 if format == "json" else None
        console.write_data(f"{visible_json(record, indent=indent, default=str)}\n")
    return ExitCode.WELL
