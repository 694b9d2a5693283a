"""The session of a run: its settings, answers, events and telemetry, and the run that is shown."""

import json
import logging
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.amounts import parse_duration
from toolkit.approvals.policies import DescribedCall
from toolkit.approvals.reviewers import RefusingReviewer, WaitingReviewer
from toolkit.errors import ConfigurationError
from toolkit.events import both
from toolkit.problems import Problem
from toolkit.runs.run import Run
from toolkit.sources.collected import as_warning
from toolkit.tools.base import Tool
from toolkit.tools.calls.call_limits import Limit, LocalLimits
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.arguments.assignments import read_assignment, with_file_read
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.rendering.result_texts import Format
from toolkit_cli.rendering.styles import one_line
from toolkit_cli.rendering.tool_kinds import is_single_call
from toolkit_cli.running.answer_sources import Answers, audit_of, make_gate
from toolkit_cli.running.opened_tools import open_all
from toolkit_cli.running.reporters import (
    RunReport,
    RunReporter,
    message_channel,
    present,
    present_usage,
    show_logs,
    write_event,
)
from toolkit_cli.running.tool_calls import CollectedSteps, Ending, call_tool
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.approvals.gates import Gate
    from toolkit.runs.records import Budget
    from toolkit.settings.configuration import Configuration
    from toolkit.telemetry import OpenTelemetry, Telemetry
    from toolkit_cli.running.journaled_runs import RunRecorder
    from toolkit_cli.shared_options import ContextOptions, SessionOptions


_LOGGER = "opentelemetry"
_opened: "_Opened | None" = None


@contextmanager
def telemetry(wanted: bool | None) -> Iterator["Telemetry | None"]:  # noqa: FBT001 - the flag as typed
    """Yield a listener that records spans and metrics, or `None` if telemetry is off; flush them at the end.

    Args:
        wanted: The flag; if `None`, the environment decides, provided that the extra is installed.

    Raises:
        Failure: If the flag enables telemetry, but it cannot be set up.
    """
    global _opened  # noqa: PLW0603 - one per process, which may end inside this context
    opened = _open(wanted) if _is_wanted(wanted) else None
    if opened is None:
        yield None
        return
    _opened = opened
    try:
        yield opened.sending.listener
    finally:
        close_telemetry()


def close_telemetry() -> None:
    """Flush spans and metrics, and print a warning if some could not be sent."""
    global _opened
    opened, _opened = _opened, None
    if opened is not None:
        opened.close()


class _Opened:
    """Sends spans and metrics, and collects errors from the exporter."""

    def __init__(self) -> None:
        from toolkit.telemetry import open_telemetry  # few runs use telemetry

        self._failures = _Failures()
        logger = logging.getLogger(_LOGGER)
        logger.addHandler(self._failures)
        logger.propagate = False
        self.sending: OpenTelemetry = open_telemetry(redactor=console.redactor())

    def close(self) -> None:
        self.sending.close()
        if self._failures.first is not None:
            console.say(f"warning: not all telemetry was sent: {_line(self._failures.first)}")


class _Failures(logging.Handler):
    """Remembers the first error."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.first = self.first or record.getMessage()


def _is_wanted(wanted: bool | None) -> bool:  # noqa: FBT001 - as above
    if not any(name.startswith("OTEL_") for name in os.environ):
        return bool(wanted)
    from toolkit.telemetry.propagation import is_disabled, wants_telemetry  # few environments set it

    return wants_telemetry(os.environ) if wanted is None else wanted and not is_disabled(os.environ)


def _open(wanted: bool | None) -> "_Opened | None":  # noqa: FBT001 - as above
    """Set up telemetry; if that fails and only the environment enables it, continue without.

    Raises:
        Failure: If it fails and the flag enables it.
    """
    try:
        return _Opened()
    except ConfigurationError as error:
        if wanted:
            first = error.problems[0] if error.problems else Problem("", str(error))
            raise Failure(ExitCode.USAGE, f"--otel: {first.message}", hint=first.hint) from error
        if _is_installed():
            console.say(f"warning: telemetry is not sent: {error}")
        return None


def _is_installed() -> bool:
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None


def _line(text: str) -> str:
    return one_line(text)


class Session(NamedTuple):
    """What the calls of one command share.

    Attributes:
        configuration: The configuration of the user and the project, with the options applied.
        answers: How approval questions are answered.
        gate: Decides about calls, and about starting MCP servers of the project.
        context: The context of the calls.
        screen: The screen for messages and questions.
        report: Reports the run to its observers, and knows its id.
        is_quiet: Whether only errors are printed.
    """

    configuration: "Configuration"
    answers: Answers
    gate: "Gate"
    context: ToolContext
    screen: Screen
    report: RunReport
    is_quiet: bool

    @property
    def channel(self) -> Callable[[Any], None] | None:
        """Receives messages from tools to the user; `None` with `--quiet`."""
        return None if self.is_quiet else message_channel(self.screen)

    def open(
        self, targets: Sequence[str], format: Format = "text", *, tolerated: Collection[str] = ()
    ) -> dict[str, Tool]:
        """Open targets, or the configured sources if there are none, and report warnings; return the tools by name.

        Args:
            targets: The targets as typed.
            format: How problems are reported.
            tolerated: The codes of errors that are only warnings.

        Raises:
            Failure: If a target is missing or broken.
        """
        opened = open_all(targets, self.configuration, self.gate)
        problems = [as_warning(one) if one.code in tolerated else one for one in opened.problems]
        end_at_errors(problems)
        if not self.is_quiet:
            report(problems, as_json=format != "text")
        return dict(opened.tools)

    def context_for(self, given: "ContextOptions", *, waits: bool) -> ToolContext:
        """Return the context for a recorded run, which has values and answers of its own.

        Args:
            given: The values that the run was started with; they override those of this command.
            waits: Whether the run records questions and waits for a later answer.
        """
        values = {**self.context.values, **read_values(given.context or ())}
        context = self.context.replace(values=values, memory_id=given.memory_id or self.context.memory_id)
        if not waits or self.gate.reviewer is None:
            return context
        return context.replace(gate=self.gate.with_reviewer(WaitingReviewer(self.gate.reviewer)))

    def audit(self) -> None:
        """Log decisions also outside CI, as for calls that a model chooses."""
        self.gate.audit = audit_of(self.configuration, always=True)


@contextmanager
def open_session(
    options: "SessionOptions",
    targets: Sequence[str],
    tools: Sequence[str] | None = None,
    *,
    model: str | None = None,
    base_url: str | None = None,
    run: str | None = None,
    run_id: str | None = None,
    waits: bool = False,
) -> Iterator[Session]:
    """Open the session of a command.

    Args:
        options: The options that all such commands have.
        targets: The targets on the command line, to which policy files may apply.
        tools: More sources of tools (`--tools`), before the configured ones.
        model: The model for agents (`--model`).
        base_url: Its server (`--base-url`).
        run: What the run is called for its observers; `None` if the command is not a single run.
        run_id: The id of the run to continue, if any.
        waits: Whether questions are recorded and wait for a later answer.

    Raises:
        ConfigurationError: If the configuration is invalid.
        Failure: If an option is invalid.
    """
    configuration = load_configuration(tools, *options.opening, options.asking.policy)
    configuration = configuration._replace(
        context={**configuration.context, **read_values(options.given.context or ())},
        chosen_model=model,
        model_url=base_url or configuration.model_url,
    )
    answers = Answers.of_options(options.asking)._replace(waits=waits).under(configuration, targets)
    memory_id = checked_memory_id(options.given.memory_id)
    with Screen() as screen, telemetry(options.otel) as listener:
        show_logs(screen, options.messages.verbose, debug=options.messages.debug)
        gate = make_gate(answers, screen, configuration.approval_timeout)
        gate.audit = audit_of(configuration)
        limits = limiter_of(configuration.limits)
        context = ToolContext(
            configuration.context,
            memory_id=memory_id,
            gate=gate,
            listener=listener,
            redactor=console.redactor(),
            result_tokens=configuration.result_tokens,
        ).replace(limiter=limits)
        with RunReport(None if run is None else listener, run or "", run_id) as observed:
            quiet = options.messages.quiet
            yield Session(configuration, answers, gate, context, screen, report=observed, is_quiet=quiet)


class ShownRun:
    """One run in a session, whose events and outcome are shown, and which is recorded if wanted.

    Attributes:
        format: The output format.
        run: The run, with its budget and the usage of models.
        context: The context of its calls.
        reporter: Shows progress; `None` with `--quiet`.
    """

    def __init__(
        self,
        session: Session,
        format: Format,
        recorded: "RunRecorder | None",
        *,
        is_agent: bool,
        goal: str | None = None,
        budget: "Budget | None" = None,
    ) -> None:
        """Prepare the run.

        Args:
            session: The session.
            format: The output format.
            recorded: Records the run, if wanted.
            is_agent: Whether an agent runs.
            goal: The task of the agent.
            budget: The budget for the whole run.
        """
        self._session, self.format, self._recorded = session, format, recorded
        self.reporter = None if session.is_quiet else RunReporter(session.screen, is_agent=is_agent)
        shown = both(self.reporter, write_event if format == "jsonl" else None)
        self._collected = CollectedSteps(both(shown, session.context.listener))
        journal = None if recorded is None else recorded.journal
        self.run = Run(id=session.report.run, goal=goal, budget=budget, channel=session.channel, journal=journal)
        self.context = session.context.replace(listener=self._collected)

    def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        context: ToolContext | None = None,
        *,
        finish: Callable[[], None] = lambda: None,
        explained: Callable[[Ending], Ending] = lambda ending: ending,
        is_last: bool = True,
    ) -> int:
        """Call a tool, show and record how the call ended, and return the exit code.

        Args:
            tool: The tool.
            arguments: Its arguments.
            context: The context of the call; that of the run if `None`.
            finish: Called when the call has ended, before that is shown.
            explained: Adds hints to how the call ended.
            is_last: Whether the run ends with this call; a chat goes on.
        """
        if self.reporter is not None:
            self.reporter.begin()
        self._collected.begin()
        before = len(self.run.uses)

        def show(ending: Ending) -> None:
            if is_last:
                self._session.report.end(ending.exit_code, ending.result.error)
            self._session.screen.close()
            finish()
            shown = explained(self._with_hint(ending, tool))
            present(shown, self.format, self.reporter, self._collected, self.run.uses[before:])
            if is_last:
                self.show_usage()
            if self._recorded is not None:
                self._recorded.end(ending)

        exit_code = call_tool(tool, arguments, context or self.context, self._collected, show)
        return exit_code or (self._code_of_refusal() if is_last else ExitCode.SUCCESS)

    def _with_hint(self, ending: Ending, tool: Tool) -> Ending:
        """Add how to continue a run that was stopped, if it would have had to be recorded."""
        if self._recorded is not None or not tool.keeps_steps or ending.result.error_code != "exit_early":
            return ending
        hint = "its finished steps are not undone; a run with --journal can be continued after it was stopped"
        return ending._replace(problem=None if ending.problem is None else replace(ending.problem, hint=hint))

    def _code_of_refusal(self) -> int:
        """Report the last call of a model that was rejected because nobody could be asked; return the exit code."""
        gate = self.context.gate
        reviewer = None if gate is None else gate.reviewer
        if not isinstance(reviewer, RefusingReviewer) or (request := reviewer.refused) is None:
            return ExitCode.SUCCESS
        call = request.call or DescribedCall(request.risk, "model", None, request.arguments, unknown=None)
        if call.chosen_by != "model":  # whoever wrote a step decided what happens if it is rejected
            return ExitCode.SUCCESS
        from toolkit_cli.running.approval_flags import flag_for  # only a rejection needs it

        flag = flag_for(call)
        hint = "allow it with a rule in a policy file" if flag is None else flag.advice("allow it with")
        problem = Problem("", f"'{request.risk.tool}' needs approval, and {reviewer.reason}", hint=hint)
        report([problem], ExitCode.APPROVAL, as_json=self.format != "text")
        return ExitCode.APPROVAL

    def show_usage(self) -> None:
        """Write the usage of models, if there were requests."""
        present_usage(self.run.uses, self.reporter, self._session.screen)


# ------------------------------------------------------------------------------------------------------ option values


def bounded(tool: Tool, typed: str | None, configuration: "Configuration") -> Tool:
    """Return the tool with the limits of a project for the duration and the result of a call.

    Raises:
        Failure: If the typed time limit is not a duration.
    """
    tool = timed(tool, typed, configuration.timeout)
    if tool.spec.result_tokens is None and configuration.result_tokens is None:
        return tool
    from toolkit.wrappers.limits import budgeted  # few tools have a limit

    return budgeted(tool, configuration.result_tokens)


def timed(tool: Tool, typed: str | None, configured: float | None) -> Tool:
    """Return the tool with a time limit, if any; a limit from the configuration applies to single calls only.

    Raises:
        Failure: If the limit is not a duration.
    """
    seconds = configured if typed is None else seconds_of("--timeout", typed)
    if seconds is None or (typed is None and not is_single_call(tool)):
        return tool
    from toolkit.wrappers.timing import TimedTool  # it imports the event loop

    return TimedTool(tool, seconds)


def limiter_of(limits: Mapping[str, Limit]) -> LocalLimits | None:
    """Return the limiter for calls of this process; `None` if there are no limits."""
    return LocalLimits(limits) if limits else None


def read_values(words: Sequence[str]) -> dict[str, Any]:
    """Parse the values of `--context`.

    Raises:
        Failure: If a value is not an assignment, or is invalid.
    """
    values: dict[str, Any] = {}
    for word in words:
        assignment = read_assignment(word, ())
        if assignment is None:
            raise Failure(
                ExitCode.USAGE, f"--context: '{word}' is not an assignment", hint="write --context name=value"
            )
        read = with_file_read(assignment)
        if isinstance(read, Problem):
            raise Failure(ExitCode.USAGE, problems=[read])
        try:
            values[read.name] = json.loads(read.text) if read.form == "json" else read.text
        except ValueError as error:
            raise Failure(ExitCode.USAGE, f"--context: '{read.name}' is not JSON: {error}") from error
    return values


def checked_memory_id(memory_id: str | None) -> str | None:
    """Return the id from `--memory-id`; a blank one, such as from an unset variable, would be shared by everybody.

    Raises:
        Failure: If it is blank.
    """
    if memory_id is not None and not memory_id.strip():
        raise Failure(ExitCode.USAGE, "--memory-id: the id is empty", hint="write --memory-id ID")
    return memory_id


def seconds_of(option: str, text: str) -> float:
    """Return a duration in seconds.

    Raises:
        Failure: If the text is not a duration.
    """
    seconds = parse_duration(text)
    if not seconds:
        raise Failure(ExitCode.USAGE, f"{option}: '{text}' is not a duration", hint="write 500ms, 30s or 5m")
    return seconds
