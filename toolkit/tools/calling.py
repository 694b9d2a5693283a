"""The one way to call a tool, and the fast path for a simple call, which gives the same."""

import logging
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from logging import INFO
from time import perf_counter
from traceback import format_exception
from types import CoroutineType
from typing import Any, Final, NamedTuple

from toolkit.amounts import about_tokens
from toolkit.approvals.decisions import Refused
from toolkit.approvals.gates import Demand, Gate
from toolkit.approvals.policies import NO_QUESTION, DescribedCall, Verdict
from toolkit.errors import ConfigurationError, Signal, ToolArgumentsError, ToolExecutionError, ToolkitError
from toolkit.events import Outcome, ToolFinished, ToolStarted
from toolkit.freezing import freeze_mapping
from toolkit.redactors.redactor import Redactor
from toolkit.running import ends_more_than_a_call, pause, run_in_loop
from toolkit.tools.callees import Callee
from toolkit.tools.calls.call_limits import Limiter, Release
from toolkit.tools.calls.foreign_values import short_repr
from toolkit.tools.calls.metrics import NO_METRICS
from toolkit.tools.calls.results import (
    AnsweredEarly,
    CallDenied,
    ToolResult,
    as_raised,
    message_of,
    raised_by,
    result_of_text,
    trace_from_tool,
)
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import LARGEST_PLAIN, as_result, result_of_ending
from toolkit.tools.questions import Admitted, CallQuestion, decide, with_arguments
from toolkit.tools.secret_arguments import learn_parsed, mask_secrets, redactor_of, with_redactor


def verdict_on(tool: Callee, parsed: Any, context: ToolContext, demand: Demand | None) -> Verdict:
    """Return the gate's verdict on a call; with `NO_QUESTION` it runs without approval."""
    gate = context.gate or Gate()
    if demand is None and context.chosen_by == "person" and not (gate.judges_itself or gate.policy.needs_arguments):
        return gate.verdict_on(tool.described)
    demanded_by = demand.asked_by if demand is not None else None
    call = DescribedCall(tool.described.risk, context.chosen_by, demanded_by, earlier=gate.history.tools)
    return gate.verdict_on(with_arguments(call, tool, parsed) if gate.needs_arguments else call)


async def admit(
    tool: Callee,
    arguments: str | Mapping[str, Any],
    parsed: Any,
    context: ToolContext,
    demand: Demand | None,
    verdict: Verdict,
) -> Admitted:
    """Ask for approval if necessary, and return the approved arguments.

    Raises:
        CallDenied: If the call, or a reviewer's edit of it, is denied.
        ToolArgumentsError: If a reviewer's edit is invalid.
        ConfigurationError: If approval is required and there is no reviewer.
        ExitEarlyError: If the reviewer ends the run.
    """
    question = CallQuestion(tool, arguments, context, demand)
    decision = await decide(context, tool.described, question, verdict)
    if isinstance(decision, Refused):
        if demand is not None:
            demand.on_refusal(decision)
        raise CallDenied(decision.message)
    return question.admitted if verdict.action == "ask" else Admitted(parsed)


_FIRST_PAUSE: Final = 0.001
_LONGEST_PAUSE: Final = 0.25


class Held:
    """The limiter within a call that has a slot: calls with the same name inside it need no other slot."""

    def __init__(self, limiter: Limiter, tool: str) -> None:
        self.limiter, self.tool = limiter, tool

    def bounds(self, tool: str) -> bool:
        """Return whether a tool has a limit."""
        return tool != self.tool and self.limiter.bounds(tool)

    def take(self, tool: str, *, again: bool = False) -> Release | float:
        return self.limiter.take(tool, again=again)


async def perform_in_turn(tool: Callee, parsed: Any, context: ToolContext) -> Any:
    """Run a tool as soon as a slot is free; the time until then counts as waiting time."""
    limiter, name = context.limiter, tool.spec.name
    if limiter is None or not limiter.bounds(name):
        return await tool.perform(parsed, context)
    release = await _acquire(limiter, name, context)
    try:
        return await tool.perform(parsed, context.replace(limiter=Held(limiter, name)))
    finally:
        release()


async def begin_again(tool: str, context: ToolContext) -> None:
    """Wait until a call that has a slot may start again, since a retry counts as another call."""
    limiter = context.limiter
    if isinstance(limiter, Held) and limiter.tool == tool:
        await _acquire(limiter, tool, context, again=True)


async def _acquire(limiter: Limiter, tool: str, context: ToolContext, *, again: bool = False) -> Release:
    taken = limiter.take(tool, again=again)
    if callable(taken):
        return taken
    shortest = _FIRST_PAUSE
    with context.waits or nullcontext():
        while not callable(taken):
            await pause(min(max(taken, shortest), _LONGEST_PAUSE))
            shortest = min(shortest * 2, _LONGEST_PAUSE)
            taken = limiter.take(tool, again=again)
    return taken


logging.getLogger("toolkit").addHandler(logging.NullHandler())

_METRICS_LOGGER = logging.getLogger("toolkit.metrics")
_LOGGED_LENGTH = 200
_ENDED = ToolResult(error="the call was cancelled", error_code="signal")


class _Ended(NamedTuple):
    """The outcome of a call, as in records and events."""

    outcome: Outcome = "signal"
    output: str = _ENDED.output
    error: str | None = _ENDED.error
    error_code: str | int | None = _ENDED.error_code
    seconds: float = 0.0


class _Ending:
    """Receives the outcome of a call, for the event that reports it."""

    ended = _Ended()


async def call_reported(
    tool: Callee, arguments: str | Mapping[str, Any], context: ToolContext, demand: Demand | None
) -> ToolResult:
    """Call a tool, and report the start and the finish to the listener of the context."""
    context = with_redactor(tool, arguments, context)
    ending = _Ending()
    with context.reporting(
        lambda call: ToolStarted(call, tool.name, _for_records(tool, arguments)),
        lambda call, _: ToolFinished(call, tool.name, *ending.ended),
    ):
        return await call_tool(tool, arguments, context, demand, ending)


async def call_tool(
    tool: Callee,
    arguments: str | Mapping[str, Any],
    context: ToolContext,
    demand: Demand | None,
    ending: _Ending | None = None,
) -> ToolResult:
    """Call a tool without events; return a result whatever happens, unless a signal is raised."""
    spec, hidden = tool.spec, tool.hidden_parameters
    if hidden and ending is None:
        context = with_redactor(tool, arguments, context)
    inner = context.within(tool, arguments) if tool.uses_context or context.limiter is not None else context
    started = perf_counter()
    result = _ENDED
    outcome: Outcome = "signal"
    replaced: str | None = None
    is_admitted = False
    try:
        parsed = tool.parse(arguments)
        if hidden:
            learn_parsed(context, parsed)
        tool.check(parsed, inner)
        demand = tool.demand(parsed, inner) if demand is None and tool.demands else demand
        if (context.gate is not None or demand is not None or spec.requires_approval) and (
            verdict := verdict_on(tool, parsed, context, demand)
        ) is not NO_QUESTION:
            inner = inner if inner is not context else context.within(tool, arguments)
            parsed, replaced, shown_state = await admit(
                tool, arguments, parsed=parsed, context=inner, demand=demand, verdict=verdict
            )
            if verdict.action == "ask":
                arguments = arguments if replaced is None else replaced
                inner = inner.approved(arguments, shown_state, parsed)
        is_admitted = True
        work = tool.perform(parsed, inner) if context.limiter is None else perform_in_turn(tool, parsed, inner)
        result = tool.result_of(await work)
        outcome = "success" if result.error is None else "failure"
    except BaseException as error:  # noqa: BLE001 - an exception of a tool is a failed result, whatever its class
        result = result_of_ending(error, result)
        result, outcome = ended_by(tool, error, context)
    finally:
        if is_admitted and context.gate is not None:
            context.gate.history.add(tool.described.risk)
        seconds = perf_counter() - started - (inner.waits.seconds if inner is not context and inner.waits else 0.0)
        if context.metrics is not NO_METRICS:
            count_call(spec.name, context, outcome, seconds)
        if ending is not None or context.run is not None:
            ended = _Ended(outcome, result.output, result.error, result.error_code, seconds)
            _keep(tool, arguments, context, ended, ending)
    if outcome != "success" or tool.call_logger.isEnabledFor(logging.INFO):
        log_call(tool, arguments, context, result, seconds)
    return result if replaced is None else _with_replacement(tool, replaced, context, result)


async def call_as_meant(
    tool: Callee, arguments: str | Mapping[str, Any], context: ToolContext, demand: Demand | None
) -> ToolResult:
    """Call a tool with a model's arguments after correcting obvious mistakes; only the corrected ones are used."""
    from toolkit.tools.argument_repairs import as_meant  # only for calls of a model

    arguments, remark = as_meant(tool, arguments)
    call = call_tool if context.listener is None else call_reported
    result = await call(tool, arguments, context, demand)
    return result.remarked(remark) if remark and result.succeeded else result


def _for_records(tool: Callee, arguments: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """Return a copy of arguments for records: secrets are masked, and later changes by the caller have no effect."""
    shown = mask_secrets(arguments, tool.hidden_parameters)
    if isinstance(shown, str):
        return shown
    try:
        return freeze_mapping(shown)
    except Exception:  # noqa: BLE001 - arguments can be arbitrary objects, which may raise or contain themselves
        return _text(shown)


def count_call(tool: str, context: ToolContext, outcome: Outcome, seconds: float) -> None:
    """Count the call; errors of the metrics object are logged and otherwise ignored."""
    if outcome == "signal":
        return
    metrics, agent = context.metrics, context.agent
    try:
        getattr(metrics, outcome)(tool, agent)
    except Exception as error:  # noqa: BLE001 - metrics are the user's code, and the call has already done its work
        _log_uncounted(tool, error)
    try:
        metrics.duration(tool, agent, seconds)
    except Exception as error:  # noqa: BLE001 - as above
        _log_uncounted(tool, error)


def _log_uncounted(tool: str, error: Exception) -> None:
    _METRICS_LOGGER.warning("%s was not counted: %s: %s", tool, type(error).__name__, error, exc_info=error)


def _keep(
    tool: Callee,
    arguments: str | Mapping[str, Any],
    context: ToolContext,
    ended: _Ended,
    ending: _Ending | None,
) -> None:
    """Store the outcome of a call in the history of its run, and in `ending`."""
    if ending is not None:
        ending.ended = ended
    if (run := context.run) is not None:
        from toolkit.runs.records import CallRecord  # only runs record calls

        sent, chosen_by = _for_records(tool, arguments), context.chosen_by
        run.record_call(CallRecord(run.id, tool.name, sent, *ended, chosen_by=chosen_by, loop_id=context.loop_id))


def ended_by(tool: Callee, error: BaseException, context: ToolContext) -> tuple[ToolResult, Outcome]:
    """Return the result and the outcome of a call that raised; signals and interruptions are raised again."""
    if isinstance(error, Signal):
        if isinstance(error, ConfigurationError):
            tool.call_logger.error("%s: %s", tool.spec.name, redactor_of(context).text(str(error)))
        raise error
    if isinstance(error, AnsweredEarly):
        return error.result, "success" if error.result.error is None else "failure"
    result = _failure_of(tool, error, context)
    return result, "failure" if isinstance(error, ToolArgumentsError | CallDenied) else "error"


def _failure_of(tool: Callee, error: BaseException, context: ToolContext) -> ToolResult:
    """Return the result of a call that raised; an exception that ends the task or the program is raised again."""
    if ends_more_than_a_call(error):
        raise error
    error = as_raised(error)

    if tool.call_logger.isEnabledFor(logging.DEBUG):
        _log_raised(tool, error, redactor_of(context))
    words = _ending_words(error) or message_of(error)
    result = ToolResult.failure(words, error_code_of(error))
    return result if isinstance(error, ToolkitError) else replace(result, raised=raised_by(error, words))


def _ending_words(error: BaseException) -> str | None:
    """Return the message for a `SystemExit` or a cancellation, which here ends only the call."""
    if isinstance(error, SystemExit):
        return f"the tool called sys.exit({'' if error.code is None else short_repr(error.code)})"
    return (
        "the tool waited for something that was cancelled"
        if type(error).__name__ == "CancelledError" and not error.args
        else None
    )


def error_code_of(error: BaseException) -> str | int:
    """Return the error code of an exception: its own code, `timeout`, `network` or `error`."""
    if isinstance(error, ToolArgumentsError | ToolExecutionError | CallDenied):
        return "error" if error.code is None else error.code
    if isinstance(error, TimeoutError):
        return "timeout"
    return "network" if isinstance(error, ConnectionError) else "error"


def _with_replacement(tool: Callee, replaced: str, context: ToolContext, result: ToolResult) -> ToolResult:
    """Return a result with a note for the model that a reviewer has changed the arguments."""
    if context.chosen_by != "model":
        return result
    shown = mask_secrets(replaced, tool.hidden_parameters)
    return result.remarked(f"A reviewer has changed the arguments of this call, which ran with: {shown}")


def _log_raised(tool: Callee, error: BaseException, redactor: Redactor) -> None:
    """Log an exception; if its traceback contains a secret, log it as redacted text instead."""
    shown_trace = (type(error), error, trace_from_tool(error))
    text = "".join(format_exception(*shown_trace))
    redacted = redactor.text(text)
    if redacted == text:
        tool.call_logger.debug("%s raised", tool.name, exc_info=shown_trace)
    else:
        tool.call_logger.debug("%s raised\n%s", tool.name, redacted, extra={"has_traceback": True})


def log_call(
    tool: Callee, arguments: str | Mapping[str, Any], context: ToolContext, result: ToolResult, seconds: float
) -> None:
    """Log the arguments and the result of a call in one line, and in full at level DEBUG."""

    def whole() -> str:
        sent = _text(mask_secrets(arguments, tool.hidden_parameters))
        return redactor_of(context).text(f"{tool.name}({sent}) -> {result.text}")

    def short() -> str:
        redactor = redactor_of(context)
        sent = redactor.text(_text(mask_secrets(arguments, tool.hidden_parameters)))
        return f"{tool.name}({_short(sent)}) -> {_short(redactor.text(result.text))}"

    level = logging.INFO if result.succeeded else logging.WARNING
    tool.call_logger.log(level, "%s [%.0f ms, %s]", _Line(short), seconds * 1000, about_tokens(result.text))
    tool.call_logger.debug("%s", _Line(whole))


class _Line:
    """A log message that is formatted and redacted only if it is written."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()

    __repr__ = __str__


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - `__str__` of an argument may raise, or it may be nested too deeply
        return f"<{type(value).__name__}>"


def _short(text: str) -> str:
    return text if len(text) <= _LOGGED_LENGTH else f"{text[:_LOGGED_LENGTH]}..."


def is_short(tool: Callee, context: ToolContext) -> bool:
    """Return whether the fast path can be used for a call in a thread without a running event loop."""
    if not tool.takes_short_way or context.listener is not None or context.run is not None:
        return False
    gate = context.gate
    is_unasked = gate is None or (gate.asks_by_risk_alone and tool.needs_no_question)
    return is_unasked and context.chosen_by == "person" and context.limiter is None


ShortCall = Callable[[str | Mapping[str, Any], ToolContext], Any]
"""Calls a tool with arguments and a context; returns the result, or only its value."""


def short_call(tool: Callee, *, gives_values: bool = False) -> ShortCall:
    """Return a function that calls a tool; use it only for calls for which `is_short` is true.

    Args:
        tool: The tool.
        gives_values: Whether to return a string or an integer as it is, if the result would contain nothing else.
    """
    parse, work, steps, result_of = tool.parse, tool.work_at_once, tool.steps_at_once, tool.result_of
    name, is_logged = tool.spec.name, tool.call_logger.isEnabledFor
    is_usual = type(tool).result_of is Callee.result_of

    def call(arguments: str | Mapping[str, Any], context: ToolContext) -> Any:
        started = perf_counter()
        gate, metrics = context.gate, context.metrics
        outcome: Outcome = "signal"
        result: Any = None
        is_admitted = False
        try:
            parsed = parse(arguments)
            is_admitted = True
            value: Any = steps(parsed, context) if work is None else work(parsed)  # type: ignore[misc]  # it has one
            kind = type(value)
            if is_usual and kind is str:
                result, outcome = value if gives_values else result_of_text(value), "success"
            elif is_usual and gives_values and kind is int and -LARGEST_PLAIN < value < LARGEST_PLAIN:
                result, outcome = value, "success"
            else:
                result = result_of(run_in_loop(value) if kind is CoroutineType else value)
                outcome = "success" if result.error is None else "failure"
        except BaseException as error:  # noqa: BLE001 - as for every call
            result, outcome = ended_by(tool, error, context)
        finally:
            if is_admitted and gate is not None:
                gate.history.add(tool.described.risk)
            if metrics is not NO_METRICS:
                count_call(name, context, outcome, perf_counter() - started)
        if outcome != "success" or is_logged(INFO):
            log_call(tool, arguments, context, as_result(result), perf_counter() - started)
        return result

    return call
