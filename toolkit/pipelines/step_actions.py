"""The actions of steps (calling a tool, computing a value, asking a person), and the context of each execution."""

from collections.abc import Mapping
from contextlib import nullcontext
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from toolkit.approvals.decisions import DEFAULT_TIMEOUT, Granted, Refused, ReviewRequest, fingerprint
from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import DescribedCall, Risk
from toolkit.errors import ConfigurationError
from toolkit.events import StepRetried
from toolkit.json_texts import text_of
from toolkit.pipelines.pipeline_states import PASSED, Flow, Outcome, outcome_of, outcome_of_written, refused_by_gate
from toolkit.pipelines.plans import ON_FAILURE, Feed, PlannedStep
from toolkit.pipelines.retrying import RetriedTool
from toolkit.pipelines.step_definitions import Approval, Compute, Use
from toolkit.pipelines.templated_data import MappingValue
from toolkit.running import loop_is_running
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.calling import is_short
from toolkit.tools.calls.metrics import Waiting
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.questions import binding_of, decide

CURRENT_PATH: ContextVar[str] = ContextVar("toolkit_pipeline_path", default="")
"""The path of the step that is running, with a slash after it. It is set only if there is a listener."""


class Turn(NamedTuple):
    """One execution of a step.

    Attributes:
        context: The context for the step's calls.
        call: The number that the step's events share; 0 if there is no listener.
        path: The step's whole path, starting at the outermost pipeline.
    """

    context: ToolContext
    call: int = 0
    path: str = ""


def context_within(context: ToolContext, step: PlannedStep, flow: Flow) -> ToolContext:
    """Return the context for one step's calls, with the step's position and a clock for time spent waiting."""
    within = f"{flow.run.plan.name}/{step.path}"
    step_name = within if context.step is None else f"{context.step}/{within}"
    path = f"{context.path}/{step.label}" if context.path else None if context.path is None else step.label
    return context.replace(place=_place_of(step, flow), step=step_name, path=path, waits=Waiting(context.waits))


def _place_of(step: PlannedStep, flow: Flow) -> str:
    """Describe the position of a step in the run, for the reviewer."""
    around = flow.context.place
    here = f"step {step.position}/{step.of}"
    parent = step.path.rpartition("/")[0]
    if parent == ON_FAILURE:
        here = f"{here} of {ON_FAILURE}"
    elif parent:
        return f"{here} of branch {parent.rpartition('/')[2]!r} · {around}"
    here = f"{here} · pipeline {flow.run.plan.name}"
    return f"{here} · {around}" if around else here


def roots_with(flow: Flow, outcome: Outcome) -> Mapping[str, object]:
    """Return the values that an adapter can read: those of the step, plus `result`."""
    return flow.roots() | {"result": outcome.output}


class Action(Protocol):
    """What a step does."""

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        """Run the action once on the flow's current output and return the outcome."""


def make_action(step: PlannedStep) -> Action:
    """Return the action of a step without branches."""
    definition = step.definition
    match definition.action:
        case Use(_, arguments) if step.tool is not None:
            if definition.approval is None and definition.retry is None and definition.timeout is None:
                return CallTool(step.tool, step.feed, arguments)
            return CallCarefully(step, step.tool, arguments)
        case Compute() as compute:
            return ComputeValue(compute)
        case _ if definition.approval is not None:
            return AskPerson(step.label, definition.approval)
    raise ValueError(f"step {step.path!r} has nothing to do")


class CallTool:
    """Calls a tool without approval, retries or a timeout."""

    __slots__ = ("_arguments", "_feed", "_journaled", "_parameter", "_tool")

    def __init__(self, tool: Tool, feed: Feed | None, arguments: MappingValue | None) -> None:
        self._tool = tool
        self._feed = feed
        self._arguments = arguments
        self._journaled: Tool | None = None
        self._parameter = feed.parameter if feed is not None and feed.as_text and arguments is None else None

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        tool = self._tool
        if turn.context.journal is not None:
            tool = self._journaled = self._journaled or _journaled(tool)
        if self._parameter is not None:
            return outcome_of(await _called(tool, {self._parameter: flow.text}, turn.context))
        return outcome_of(await _called(tool, arguments_of(self._feed, self._arguments, flow), turn.context))


async def _called(tool: Tool, arguments: Arguments, context: ToolContext, demand: Demand | None = None) -> ToolResult:
    """Call a tool, unless the call belongs to a run that has to end."""
    if demand is None and is_short(tool, context) and not loop_is_running():
        return tool.run(arguments, context)
    with context.run.calling() if context.run is not None else nullcontext():
        return await tool.call(arguments, context, demand=demand)


def _journaled(tool: Tool) -> Tool:
    from toolkit.wrappers.journaling import journaled  # few runs keep a journal

    return journaled(tool)


def arguments_of(feed: Feed | None, written: MappingValue | None, flow: Flow) -> Arguments:
    """Return the arguments of a call: those under `with` and the piped output.

    Raises:
        ToolExecutionError: If an expression fails.
    """
    if feed is not None and feed.parameter is None:
        return flow.text
    arguments = {} if written is None else written.render(flow.roots())
    if feed is not None and feed.parameter is not None:
        arguments[feed.parameter] = flow.text if feed.as_text else flow.output
    return arguments


class CallCarefully:
    """Calls a tool with approval, retries or a timeout: approval is asked once, the timeout applies to each attempt."""

    def __init__(self, step: PlannedStep, tool: Tool, arguments: MappingValue | None) -> None:
        self._step = step
        self._tool = tool
        self._arguments = arguments

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        """Ask for approval if the step requires it, then call the tool and retry it as configured."""
        definition = self._step.definition
        arguments = arguments_of(self._step.feed, self._arguments, flow)
        demand = None if definition.approval is None else demand_of(definition.approval, self._step.label, flow)
        refusals: list[Refused] = []
        if demand is not None:
            demand = demand._replace(on_refusal=refusals.append)
        outcome = await self._call(arguments, demand, turn)
        return outcome._replace(ends_run=bool(refusals))

    async def _call(self, arguments: Arguments, demand: Demand | None, turn: Turn) -> Outcome:
        definition, tool = self._step.definition, self._tool
        if definition.timeout is not None:
            from toolkit.wrappers.timing import TimedTool  # a clock needs the event loop

            tool = TimedTool(tool, definition.timeout)
        if definition.retry is None:
            tool = tool if turn.context.journal is None else _journaled(tool)
            return outcome_of(await _called(tool, arguments, turn.context, demand))

        def on_retry(attempt: int, error: str, delay: float) -> None:
            if turn.call:
                turn.context.emit(
                    StepRetried(turn.call, turn.path, attempt=attempt, error=error, delay=delay, item=turn.context.item)
                )

        retried = RetriedTool(tool, definition.retry, on_retry)
        whole = retried if turn.context.journal is None else _journaled(retried)
        result = await _called(whole, arguments, turn.context, demand)
        return outcome_of(result, retried.attempts)


def demand_of(approval: Approval, label: str, flow: Flow) -> Demand | None:
    """Return the approval that a step demands, or `None` if its condition is false."""
    roots = flow.roots()
    if approval.when is not None and not approval.when.render(roots):
        return None
    return Demand(
        asked_by=f"step {label!r}",
        message=None if approval.message is None else text_of(approval.message.render(roots)),
        show=None if approval.show is None else approval.show.render(roots),
        editable=approval.editable,
    )


class ComputeValue:
    """Computes a value without a tool."""

    def __init__(self, compute: Compute) -> None:
        self._value = compute.value

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        return outcome_of_written(self._value, flow.roots(), attempts=0)


class AskPerson:
    """Asks a reviewer whether to continue, without calling a tool."""

    def __init__(self, label: str, approval: Approval) -> None:
        self._label = label
        self._approval = approval

    async def act(self, flow: Flow, turn: Turn) -> Outcome:
        """Ask the reviewer.

        Raises:
            ConfigurationError: If there is no reviewer.
            ExitEarlyError: If the reviewer ends the run.
        """
        demand = demand_of(self._approval, self._label, flow)
        if demand is None:
            return PASSED
        if turn.context.gate is None:
            message = f"step {self._label!r} asks for approval, but there is no reviewer"
            raise ConfigurationError(f"{message}; give the context one: ToolContext(reviewer=…)")
        shown = _show(demand.show, flow)
        call = DescribedCall(Risk(self._label, requires_approval=True), "person", demand.asked_by, shown)
        decision = await decide(turn.context, call, lambda _: _request(call, demand, flow, turn.context))
        return PASSED if isinstance(decision, Granted) else refused_by_gate(decision.message)


def _request(call: DescribedCall, demand: Demand, flow: Flow, context: ToolContext) -> ReviewRequest:
    """Return the review request of an `approve` step.

    The request is bound to the pipeline's call and to the previous output, even where that output is not shown.
    """
    gate = context.gate
    handed_on = fingerprint(demand.asked_by, {"prev": flow.output})
    request = ReviewRequest(
        demand.message or "Go on?",
        call.risk,
        call.arguments or {},
        asked_by=demand.asked_by,
        place=context.place,
        timeout=gate.timeout if gate is not None else DEFAULT_TIMEOUT,
        on_timeout=gate.on_timeout if gate is not None else "reject",
        editable=False,
        objection=lambda _: "there is nothing to edit here",
    )
    request = replace(request, binding=binding_of(handed_on, request, context))
    return request if context.call is None else replace(request, digest=context.call.digest(context, handed_on))


def _show(show: Any, flow: Flow) -> Mapping[str, Any]:
    """Return the data shown with the question: the step's `show`, or else the previous output."""
    if show is None:
        return {"prev": flow.output}
    return show if isinstance(show, Mapping) else {"show": show}
