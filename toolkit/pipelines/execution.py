"""Runs a plan step by step. Every step passes through the same stages.

A step checks its condition (`when`), runs once or for each item of a list (`for_each`), asks for approval (`approve`),
is retried and timed (`retry`, `timeout`), and reshapes its result (`adapt`). If it failed, `on_error` decides what
follows. Keys that a step does not have cost nothing. After a pipeline has failed or was interrupted, its `on_failure`
steps run.
"""

import logging
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from toolkit.amounts import format_duration
from toolkit.errors import ApprovalPending, ExitEarlyError, Signal
from toolkit.events import StepFinished, StepStarted
from toolkit.pipelines.item_steps import do_for_items, items_of
from toolkit.pipelines.pipeline_states import (
    SKIPPED,
    Flow,
    GateRefused,
    Outcome,
    error_record,
    failure_of,
    outcome_of,
    outcome_of_value,
    outcome_of_written,
    recalled,
    record,
    refused_by_gate,
)
from toolkit.pipelines.plans import PlannedStep
from toolkit.pipelines.short_chains import direct_call, short_step, within_step
from toolkit.pipelines.step_actions import CURRENT_PATH, Action, Turn, context_within, make_action, roots_with
from toolkit.pipelines.step_definitions import AdapterFunction, Fallback
from toolkit.running import gather, loop_is_running
from toolkit.tools.calling import is_short
from toolkit.tools.calls.metrics import Counting
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_of_ending

Ready = Outcome | Sequence[Any] | None
"""The decision before a step runs: an outcome if it does not run, the items to run it for, or `None` to run it once."""


class Step:
    """One step of a plan, ready to run any number of times, also concurrently."""

    __slots__ = ("_action", "_definition", "_is_simple", "_name", "direct", "planned", "short")

    def __init__(self, planned: PlannedStep) -> None:
        definition = planned.definition
        self.planned = planned
        self._definition = definition
        self._name = definition.id.text if definition.id is not None else None
        self._action: Action = Fork(planned) if planned.branches else make_action(planned)
        self._is_simple = definition.when is None and definition.each is None
        self.short = short_step(planned)
        self.direct = direct_call(planned)

    async def run(self, flow: Flow) -> Outcome:
        """Run the step and return its outcome, without changing the flow.

        Raises:
            Signal: If more than this step has to end.
        """
        context = flow.context
        if context.listener is not None:
            return await self._run_reported(flow, Counting(context.listener))
        if context.gate is not None or context.run is not None:
            context = context_within(context, self.planned, flow)
        started = perf_counter()
        ready = None if self._is_simple else self._ready(flow)
        outcome = await self._do(flow, Turn(context), ready)
        return self._settle(flow, outcome, _worked_since(started, context))

    async def _run_reported(self, flow: Flow, listener: Counting) -> Outcome:
        """Run the step and report its start and, however it ends, its finish to the listener."""
        context = flow.context
        inner = context_within(context, self.planned, flow).replace(listener=listener)
        path = flow.run.prefix + self.planned.path
        ready = None if self._is_simple else self._ready(flow)
        outcome, settled = _ENDED, _ENDED

        def finished(call: int, _: float) -> StepFinished:
            seconds = _worked_since(started, inner)
            return self._finished(
                Turn(inner, call, path), ready, outcome=outcome, settled=settled, asked=listener.asked, seconds=seconds
            )

        with context.reporting(lambda call: self._started(Turn(inner, call, path), ready), finished) as call:
            started = perf_counter()
            outer_path = CURRENT_PATH.set(f"{path}/")
            try:
                outcome = await self._do(flow, Turn(inner, call, path), ready)
                settled = self._settle(flow, outcome, _worked_since(started, inner))
            except Signal as ending:
                outcome = settled = _ENDED._replace(result=result_of_ending(ending, _ENDED.result))
                raise
            finally:
                CURRENT_PATH.reset(outer_path)
        return settled

    def _started(self, turn: Turn, ready: Ready) -> "StepStarted":
        step = self.planned
        tool = step.tool.name if step.tool is not None else None
        return StepStarted(turn.call, turn.path, position=step.position, of=step.of, tool=tool, items=_count_of(ready))

    def _finished(
        self, turn: Turn, ready: Ready, *, outcome: Outcome, settled: Outcome, asked: int, seconds: float
    ) -> "StepFinished":
        step = self.planned
        result, items = outcome.result, _count_of(ready)
        return StepFinished(
            call=turn.call,
            path=turn.path,
            position=step.position,
            of=step.of,
            tool=step.tool.name if step.tool is not None else None,
            status=outcome.status,
            output=settled.result.output,
            error=result.error,
            error_code=result.error_code,
            attempts=outcome.attempts,
            asked=asked,
            continued=outcome.failed and settled.goes_on,
            items=items,
            skipped=[item.as_record() for one in outcome.skips if not one.step for item in one.items],
            seconds=seconds,
        )

    # --------------------------------------------------------------------------------------------------- the stages

    def _ready(self, flow: Flow) -> Ready:
        """Decide whether the step runs, and for which items."""
        definition = self._definition
        try:
            if definition.when is not None and not definition.when.render(flow.roots()):
                return SKIPPED
            return None if definition.each is None else items_of(definition.each, flow)
        except Signal:
            raise
        except Exception as error:  # noqa: BLE001 - any error of an expression is a failure of the step
            return failure_of(error, attempts=0)

    async def _do(self, flow: Flow, turn: Turn, ready: Ready) -> Outcome:
        if isinstance(ready, Outcome):
            return ready
        each = self._definition.each
        if each is None or ready is None:
            return await self._once(flow, turn)
        return await self._unless_recorded(
            turn, partial(do_for_items, self._once, each, items=ready, flow=flow, turn=turn)
        )

    async def _once(self, flow: Flow, turn: Turn) -> Outcome:
        if turn.context.journal is None:
            return await self._act(flow, turn)
        return await self._unless_recorded(turn, partial(self._act, flow, turn))

    async def _unless_recorded(self, turn: Turn, work: Callable[[], Awaitable[Outcome]]) -> Outcome:
        """Do work of the step unless the journal has its outcome. Approval steps always ask again."""
        if turn.context.journal is None or self.planned.kind == "approve":
            return await work()
        outcome = recalled(self.planned, turn.context)
        if outcome is not None:
            _note_earlier_call(self.planned, turn.context)
            return outcome
        outcome = await work()
        record(outcome, turn.context)
        return outcome

    async def _act(self, flow: Flow, turn: Turn) -> Outcome:
        """Run the step's action once and adapt its result."""
        try:
            outcome = await self._action.act(flow, turn)
            return self._adapt(flow, outcome) if outcome.status == "ok" and self.planned.adapts else outcome
        except GateRefused as refused:
            return refused_by_gate(str(refused))
        except Signal:
            raise
        except Exception as error:  # noqa: BLE001 - an error of an expression or adapter is a failure of the step
            return failure_of(error)

    def _adapt(self, flow: Flow, outcome: Outcome) -> Outcome:
        match self._definition.adapter:
            case None:
                return outcome
            case AdapterFunction(function):
                adapted = function(outcome.result)
                made = outcome_of_value("" if adapted is None else adapted, outcome.attempts)
            case value:
                made = outcome_of_written(value, roots_with(flow, outcome), outcome.attempts)
        return made._replace(skips=outcome.skips)

    def _settle(self, flow: Flow, outcome: Outcome, seconds: float) -> Outcome:
        """Apply the error strategy to a failure and store what later steps can read."""
        settled = outcome
        if outcome.failed:
            settled = self._after_failure(flow, outcome)
        run = flow.run
        if outcome.skips:
            run.note_skips(self.planned.path, outcome.skips)
        if self._name is not None:
            run.record(self._name, outcome, settled, seconds)
        if outcome.status == "ok":
            run.outputs[self.planned.path] = outcome.output
        return settled

    def _after_failure(self, flow: Flow, outcome: Outcome) -> Outcome:
        if outcome.ends_run:
            return outcome
        match self.planned.on_error:
            case "fail":
                return outcome
            case "continue":
                return outcome._replace(goes_on=True)
            case Fallback(value):
                error = error_record(outcome.result, self.planned.label)
                try:
                    made = outcome_of_written(value, flow.roots() | {"error": error})
                except Signal:
                    raise
                except Exception as failure:  # noqa: BLE001 - an error of the fallback is a failure of the step
                    return failure_of(failure)
                return outcome._replace(result=made.result, output=made.output, goes_on=True)


def _worked_since(started: float, context: ToolContext) -> float:
    """Return the seconds since `started`, not counting the time spent waiting for a person."""
    return perf_counter() - started if context.waits is None else context.waits.worked_since(started)


def _count_of(ready: Ready) -> int | None:
    """Return the number of items that a step runs for, or `None` if it has no list."""
    return None if ready is None or isinstance(ready, Outcome) else len(ready)


_ENDED = Outcome("ended", ToolResult(error="the step was cancelled", error_code="signal"), None, 0, False)


class Fork:
    """Runs several chains of steps in parallel and joins their outputs."""

    def __init__(self, planned: PlannedStep) -> None:
        self._timeout = planned.definition.timeout
        self._branches = {name: make_steps(steps) for name, steps in planned.branches.items()}

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        """Run all branches and return a mapping of their outputs, or the first failure."""
        if self._timeout is None:
            return await self._join(flow, turn)
        from toolkit.wrappers.timing import OutOfTime, within  # a clock needs the event loop

        try:
            return await within(
                self._timeout, lambda inner: self._join(flow, turn._replace(context=inner)), turn.context
            )
        except OutOfTime:
            return outcome_of(ToolResult.failure(f"timed out after {format_duration(self._timeout)}", "timeout"))

    async def _join(self, flow: Flow, turn: Turn) -> Outcome:
        outputs: dict[str, Any] = dict.fromkeys(self._branches)
        failures: list[Outcome] = []
        pending: list[ApprovalPending] = []

        async def follow(name: str, steps: Sequence[Step]) -> bool:
            branch = flow.fork(_within_branch(turn.context, name))
            try:
                failed = await run_chain(steps, branch)
            except ApprovalPending as signal:  # the other branches continue
                pending.append(signal)
                return True
            if failed is not None:
                failures.append(failed)
            elif branch.result is not flow.result:
                outputs[name] = branch.output
            return failed is None

        await gather([partial(follow, name, steps) for name, steps in self._branches.items()])
        if pending:
            raise ApprovalPending.all_of(pending)
        if not failures:
            return outcome_of_value(outputs, attempts=0)
        return max(failures, key=lambda failed: failed.ends_run)._replace(goes_on=False)


def _within_branch(context: ToolContext, name: str) -> ToolContext:
    return context if context.path is None else context.replace(path=f"{context.path}/{name}")


def _note_earlier_call(step: PlannedStep, context: ToolContext) -> None:
    """Add the calls of a recalled step to the gate's history, since their results are used without a new call."""
    if context.gate is not None:
        for each in step.walk():
            if each.tool is not None:
                context.gate.history.add(each.tool.reach)


def make_steps(planned: Sequence[PlannedStep]) -> tuple[Step, ...]:
    """Return the steps of a plan, ready to run."""
    return tuple(Step(step) for step in planned)


async def run_chain(steps: Sequence[Step], flow: Flow) -> Outcome | None:
    """Run steps in order, each with the output of the one before.

    Returns:
        The failure that ended the chain, or `None` if all steps ran.
    """
    context = flow.context
    gate, is_watched = context.gate, context.listener is not None or context.run is not None
    is_plain = not loop_is_running()
    for step in steps:
        short, direct = step.short, step.direct
        try:
            if short is not None and is_plain and is_short(short.tool, context):
                failed = short.run(flow)
                if failed is None:
                    continue
                outcome = failed
            elif direct is not None and not is_watched and (gate is None or direct.is_quiet(gate)):
                result = await direct.call({direct.parameter: flow.text}, context)
                if result.error is None:
                    flow.pass_on(result, direct.path)
                    continue
                outcome = outcome_of(result)
            else:
                outcome = await step.run(flow)
        except ExitEarlyError as error:
            if step.planned.tool is not None:
                within_step(error, step.planned.path)
            raise
        if not outcome.goes_on:
            flow.run.failed_step = flow.run.failed_step or step.planned.label
            return outcome
        flow.take(outcome)
    return None


INTERRUPTED = "interrupted"


def is_interruption(error: BaseException) -> bool:
    """Return whether an exception is an interruption from outside: Ctrl-C or a cancellation."""
    asyncio = sys.modules.get("asyncio")
    return isinstance(error, KeyboardInterrupt) or (asyncio is not None and isinstance(error, asyncio.CancelledError))


async def clean_up(steps: Sequence[Step], flow: Flow, error: Mapping[str, Any]) -> None:
    """Run the `on_failure` steps, whose expressions can read the error. If one of them fails, the next still runs."""
    if not steps:
        return
    message = str(error["message"])
    flow.run.error = error
    # Each failure needs its own cleanup, so the outcomes of these steps are not journaled.
    after = Flow(flow.run, flow.context.replace(path=None, journal=None), message, message, ToolResult(error=message))
    for step in steps:
        try:
            outcome = await step.run(after)
        except Signal as signal:
            _log(step, str(signal))
            return
        if outcome.failed:
            _log(step, outcome.result.error or "")
        if outcome.ends_run:
            return
        if outcome.goes_on:
            after.take(outcome)


async def clean_up_undisturbed(steps: Sequence[Step], flow: Flow, error: Mapping[str, Any]) -> None:
    """Run the `on_failure` steps shielded from the cancellation that ended the run. A second Ctrl-C still ends them."""
    if not steps:
        return
    if not loop_is_running():
        await clean_up(steps, flow, error)
        return
    from anyio import CancelScope

    with CancelScope(shield=True):
        await clean_up(steps, flow, error)


def _log(step: Step, message: str) -> None:
    logging.getLogger("toolkit.pipelines").warning("on_failure step %r failed: %s", step.planned.label, message)
