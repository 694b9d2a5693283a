"""Runs `toolkit run`: reads the options, opens and checks the target, runs it, and shows the result."""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.events import both
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, innermost
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import learn_arguments
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections, piped_text
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, refuse
from toolkit_cli.rendering.result_texts import Format
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.rendering.tools import pipeline_in
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.answer_sources import Answers, make_gate, refuse_unanswerable
from toolkit_cli.running.approve_checks import check_rules
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.clearance import rehearsal_record
from toolkit_cli.running.context_values import answered_by, checked_memory_id, seconds_of, with_values
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.reporters import RunReporter, message_channel, show_logs, write_event
from toolkit_cli.running.shown_outcomes import RunReport, present, present_usage
from toolkit_cli.running.single_tools import open_one
from toolkit_cli.running.telemetry import telemetry
from toolkit_cli.running.tool_calls import Ending, call_tool, limiter_of, with_hint_on_json
from toolkit_cli.running.watchdog import leave_if_threads_remain
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration
    from toolkit.tools.call_limits import Limit
    from toolkit_cli.batching.item_results import BatchOptions
    from toolkit_cli.batching.stored_runs import StoredRun
    from toolkit_cli.running.keeping import Keeping


def launch(options: RunOptions) -> int:
    """Run the target, and return the exit code.

    Raises:
        Failure: If it cannot start; nothing has run then.
    """
    batch = options.batch
    configuration = load_configuration(options.tools, *options.opening, options.asking.policy)
    configuration = answered_by(with_values(configuration, options.given), options.model, options.base_url)
    answers = Answers.of_options(options.asking)._replace(waits=options.waits).under(configuration, [options.target])
    memory_id = checked_memory_id(options.given.memory_id)
    id = options.resumed.run.id if options.resumed is not None else None
    with Screen() as screen, telemetry(options.otel) as listener, RunReport(listener, options.target, id) as report:
        show_logs(screen, options.messages.verbose, debug=options.messages.debug)
        gate = make_gate(answers, screen, configuration.approval_timeout)
        warns = not options.messages.quiet and options.format == "text"
        gate.audit = audit_of(configuration)  # for consent to start servers
        found = open_one(options.target, configuration, gate, "`run` calls one of them", warn=warns)
        gate.audit = audit_of(configuration, always=_is_agent(found))
        tool = _timed(found, options.timeout, configuration)
        context = ToolContext(
            configuration.context, memory_id=memory_id, gate=gate, listener=listener, redactor=console.redactor()
        )
        given = Given(tuple(options.words or ()), options.args, options.input, piped_text())
        limits = configuration.limits
        context = context.replace(limiter=limiter_of(limits))
        work = _Work(options, answers, report, tool=tool, given=given, context=context, screen=screen, limits=limits)
        exit_code = work.once(keeps=configuration.journal) if batch is None else work.for_each(batch)
    leave_if_threads_remain(exit_code)
    return exit_code


class _Work(NamedTuple):
    """The tool to run, with everything that it needs."""

    options: RunOptions
    answers: Answers
    report: RunReport
    tool: Tool
    given: Given
    context: ToolContext
    screen: Screen
    limits: "Mapping[str, Limit]"

    def for_each(self, batch: "BatchOptions") -> int:
        from toolkit_cli.batching.each import run_each

        with ExitStack() as stack:

            def keeper(common: Mapping[str, Any]) -> "Keeping | StoredRun | None":
                if batch.store is not None:
                    return self._stored(batch.store, common, stack)
                return None if self.options.journal is False else self._keeping(common)

            return run_each(
                self.tool,
                batch,
                given=self.given,
                context=self.context,
                answers=self.answers,
                screen=self.screen,
                keeper=keeper,
                run_report=self.report,
            )

    def _stored(self, url: str, common: Mapping[str, Any], stack: "ExitStack") -> "StoredRun":
        from toolkit_cli.batching.stored_runs import (
            StoredResume,
            StoredRun,
            open_store,
        )

        options = self.options
        store = stack.enter_context(open_store(url))
        resumed = options.resumed if isinstance(options.resumed, StoredResume) else None
        request = options.as_request()
        if self.context.listener is not None:
            from toolkit.telemetry.propagation import trace_variables  # few runs are observed

            request |= {"trace": trace_variables()}
        return StoredRun(
            store,
            self.tool,
            id=self.report.run,
            target=options.target,
            request=request,
            arguments=common,
            resumed=resumed,
            limits=self.limits,
        )

    def once(self, *, keeps: bool) -> int:
        """Run the tool once.

        Args:
            keeps: Whether the configuration enables the journal; options override it.
        """
        options, answers, tool = self.options, self.answers, self.tool
        gate = self.context.gate
        assert gate is not None  # it was made above
        arguments = _complete(tool, self.given, answers, options.target)
        if options.dry_run:
            return _rehearse(tool, arguments, gate, options.format)
        check_rules(answers.rules, tool, arguments, gate)
        refuse_unanswerable(tool, arguments, gate, answers)
        keeping = self._keeping(arguments) if _is_kept(options, tool, keeps=keeps) else None
        reporter = None if options.messages.quiet else RunReporter(self.screen, is_agent=_is_agent(tool))
        shown = both(reporter, write_event if options.format == "jsonl" else None)
        kept = KeptWork(both(shown, self.context.listener))
        channel = None if options.messages.quiet else message_channel(self.screen)
        belongs_to = Run(id=self.report.run, channel=channel, journal=None if keeping is None else keeping.journal)

        def show(ending: Ending) -> None:
            self.report.end(ending.exit_code, ending.result.error)
            self.screen.close()
            present(
                with_hint_on_json(ending, tool, options.words or ()), options.format, reporter, kept, belongs_to.uses
            )
            present_usage(belongs_to.uses, reporter, self.screen)
            if keeping is not None:
                keeping.end(ending)

        context = self.context.replace(listener=kept, run=belongs_to, path="", journal=belongs_to.journal)
        return call_tool(tool, arguments, context, kept, show)

    def _keeping(self, arguments: Mapping[str, Any]) -> "Keeping":
        from toolkit_cli.running.keeping import Keeping, Resumed  # it loads SQLite, and most keep nothing

        options = self.options
        resumed = options.resumed if isinstance(options.resumed, Resumed) else None
        return Keeping(
            self.report.run,
            self.tool,
            target=options.target,
            request=options.as_request(),
            arguments=arguments,
            resumed=resumed,
        )


def _is_kept(options: RunOptions, tool: Tool, *, keeps: bool) -> bool:
    """Return whether the steps of a single run are recorded in the journal.

    Raises:
        Failure: If an option requires it, but the tool has no steps to record.
    """
    if options.resumed is not None:
        return True
    waits = options.on_approval == "wait"
    if options.journal is None and not waits:
        return keeps and tool.keeps_steps
    if (options.journal or waits) and not tool.keeps_steps:
        raise _without_steps("--journal" if options.journal else "--on-approval wait", tool)
    return options.journal is not False


def _without_steps(option: str, tool: Tool) -> Failure:
    from toolkit_cli.running.keeping import NOT_FROM_TEXTS

    why_not, hint = f"'{tool.name}' has none", "with --each, every item of a batch is recorded"
    if _is_agent(tool):
        why_not = f"'{tool.name}' has none: {NOT_FROM_TEXTS}"
    return Failure(ExitCode.USAGE, f"{option} records the steps of a pipeline or an agent, but {why_not}", hint=hint)


def _complete(tool: Tool, given: Given, answers: Answers, target: str) -> Mapping[str, Any]:
    """Return valid arguments for the tool, and prompt for missing ones on a terminal.

    Raises:
        Failure: If arguments are invalid or missing; lists all problems.
    """
    gathered = gather_arguments(tool, given)
    learn_arguments(console.redactor(), tool, gathered.arguments)
    problems = [*gathered.problems, *(one.problem for one in objections(tool, gathered.arguments))]
    if gathered.missing:
        from toolkit_cli.arguments.argument_prompts import ask_for, missing_problems  # only where something is missing

        if answers.may_ask and not problems:
            complete = {**gathered.arguments, **ask_for(tool, gathered.missing, gathered.arguments)}
            learn_arguments(console.redactor(), tool, complete)
            return complete
        problems += missing_problems(tool, gathered.missing, f"toolkit run {target}")
    refuse(problems)
    return gathered.arguments


def _timed(tool: Tool, text: str | None, configuration: "Configuration") -> Tool:
    """Return the tool with a time limit, if any; a limit from the configuration applies to single calls only."""
    seconds = configuration.timeout if text is None else seconds_of("--timeout", text)
    if seconds is None:
        return tool
    from toolkit.wrappers.timing import TimedTool  # it imports the event loop

    is_many_calls = pipeline_in(tool) is not None or _is_agent(tool)
    return tool if text is None and is_many_calls else TimedTool(tool, seconds)


def _is_agent(tool: Tool) -> bool:
    return getattr(innermost(tool), "is_agent", False)


def _rehearse(tool: Tool, arguments: Mapping[str, Any], gate: "Gate", format: Format) -> ExitCode:
    from toolkit_cli.rendering.question_texts import rehearsal_lines

    record = rehearsal_record(tool, arguments, gate)
    if format == "text":
        lines = rehearsal_lines(record, console.data_width())
        print_lines(lines)
    else:
        console.write_json(record, indent=2 if format == "json" else None)
    return ExitCode.SUCCESS
