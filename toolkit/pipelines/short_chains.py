"""The fast path for steps that only call a tool and pass its result on."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from time import perf_counter
from typing import Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.errors import ExitEarlyError, Signal
from toolkit.pipelines.pipeline_states import Flow, Outcome, failure_of, outcome_of
from toolkit.pipelines.plans import Feed, Plan, PlannedStep
from toolkit.pipelines.step_actions import arguments_of
from toolkit.pipelines.step_definitions import Use
from toolkit.pipelines.templated_data import MappingValue, TemplateValue, Value, expressions_in
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.calling import ShortCall, short_call
from toolkit.tools.calls.results import ToolResult


class ShortStep(NamedTuple):
    """A step that is just a call.

    Attributes:
        tool: The tool to call.
        arguments: Makes the arguments of the call.
        call: Makes the call. It returns a result, or a string or integer that is the whole result.
        path: The step's path, under which its output is stored.
        name: The step's id, if an expression may read the step's record.
    """

    tool: Tool
    arguments: Callable[[Flow], Arguments]
    call: ShortCall
    path: str
    name: str | None

    def run(self, flow: Flow) -> Outcome | None:
        """Run the step as `Step.run` does, and pass on its output; return the outcome of a failure.

        Raises:
            Signal: If more than this step has to end.
        """
        _, arguments, call, path, name = self
        started = 0.0 if name is None else perf_counter()
        try:
            returned = call(arguments(flow), flow.context)
        except Signal:
            raise
        except Exception as error:  # noqa: BLE001 - an error of an expression is the step's failure; calls never raise
            failed = failure_of(error)
        else:
            kind = type(returned)
            if kind is str or kind is int:
                flow.pass_on_value(returned, path)
                return None
            result: ToolResult = returned
            if result.error is None:
                flow.pass_on(result, path)
                if name is not None:
                    outcome = outcome_of(result)
                    flow.run.record(name, outcome, outcome, perf_counter() - started)
                return None
            failed = outcome_of(result)
        if failed.skips:
            flow.run.note_skips(path, failed.skips)
        if name is not None:
            flow.run.record(name, failed, failed, perf_counter() - started)
        return failed


def short_chain(plan: Plan) -> tuple[ShortStep, ...] | None:
    """Return the steps of a plan for `run_short_chain`, or `None` if a step needs more than a short call."""
    if plan.on_failure:
        return None
    reads_steps = _reads_steps(plan)
    steps = [short_step(step, is_read=reads_steps, is_alone=False) for step in plan.steps]
    short = tuple(step for step in steps if step is not None)
    return short if len(short) == len(steps) else None


def run_short_chain(steps: Sequence[ShortStep], flow: Flow) -> ToolResult | None:
    """Run steps in order; each receives the output of the one before.

    Returns:
        The failure that ended the chain, or `None` if all steps ran.
    """
    for step in steps:
        try:
            failed = step.run(flow)
        except ExitEarlyError as error:
            within_step(error, step.path)
            raise
        if failed is not None:
            return failed.result
    return None


def within_step(ending: ExitEarlyError, path: str) -> None:
    """Put the path of a step before the outputs of a pipeline that the step calls."""
    ending.outputs = {f"{path}/{inner}": output for inner, output in ending.outputs.items()}


def _reads_steps(plan: Plan) -> bool:
    """Return whether an expression reads the record of a step."""
    written = [step.definition.action.arguments for step in plan.steps if isinstance(step.definition.action, Use)]
    found = (expression for value in (*written, plan.output) for expression in expressions_in(value))
    return any(reference.root == "steps" for one in found for reference in one.expression.references)


def short_step(step: PlannedStep, *, is_read: bool = True, is_alone: bool = True) -> ShortStep | None:
    """Return a step as a short one, or `None` if it needs more than a short call.

    Args:
        step: The planned step.
        is_read: Whether an expression may read its record.
        is_alone: Whether it may have neighbours that are not short, after which its result can be that of the pipeline.
    """
    definition, action, tool = step.definition, step.definition.action, step.tool
    if not isinstance(action, Use) or tool is None or not tool.takes_short_way or step.on_error != "fail":
        return None
    stages = (definition.when, definition.each, definition.approval, definition.retry, definition.timeout)
    if any(stage is not None for stage in stages) or (definition.adapter is not None and step.adapts):
        return None
    name = definition.id.text if is_read and definition.id is not None else None
    gives_values = name is None and not is_alone and step.position < step.of
    call = short_call(tool, gives_values=gives_values)
    return ShortStep(tool, _maker(step.feed, action.arguments), call, step.path, name)


def _maker(feed: Feed | None, written: MappingValue | None) -> Callable[[Flow], Arguments]:
    """Return a function that makes the arguments of a call as `arguments_of` does."""
    if feed is not None or written is None:
        parameter = feed.parameter if feed is not None and feed.as_text and written is None else None
        if parameter is not None:  # the most common case
            return lambda flow: {parameter: flow.text}
        return partial(arguments_of, feed, written)
    readers = [(name, _reader(value)) for name, value in written.entries.items()]
    if len(readers) == 1:  # nearly as common
        [(only, read_only)] = readers
        return lambda flow: {only: read_only(flow)}
    return lambda flow: {name: read(flow) for name, read in readers}


def _reader(value: Value) -> Callable[[Flow], Any]:
    """Return a function that renders a value. `prev` and `inputs.name` are read without evaluating an expression."""
    match value.template.path if isinstance(value, TemplateValue) else None:
        case ("prev",):
            return attrgetter("output")
        case ("inputs", str(name)):
            return partial(_input, name, value)
        case _:
            return lambda flow: value.render(flow.roots())


def _input(name: str, value: Value, flow: Flow) -> Any:
    inputs = flow.run.inputs
    return inputs[name] if name in inputs else value.render(flow.roots())


class DirectCall:
    """An awaited step that is just a call, without the stages of `Step.run`; the call itself is an ordinary one.

    Attributes:
        tool: The tool to call.
        call: The tool's `call` method.
        parameter: The parameter that receives the text.
        path: The step's path, under which its output is stored.
    """

    __slots__ = ("_quiet_gate", "call", "parameter", "path", "tool")

    def __init__(self, tool: Tool, parameter: str, path: str) -> None:
        self.call = tool.call
        self.parameter = parameter
        self.path = path
        self.tool = tool
        self._quiet_gate: Gate | None = None

    def is_quiet(self, gate: Gate) -> bool:
        """Return whether no question is expected, so that the call does not need to report its position.

        The call itself is still checked when it is made: if the policy has changed by then, the reviewer is asked.
        """
        if gate is self._quiet_gate:
            return True
        if self.tool.uses_context or gate.needs_arguments:
            return False  # the tool itself may ask, or the policy may ask because of the arguments
        if gate.verdict_on(self.tool.described).action != "allow":
            return False
        self._quiet_gate = gate
        return True


def direct_call(step: PlannedStep) -> DirectCall | None:
    """Return a step as a direct call, or `None` if the step has a key that needs `Step.run`."""
    tool, feed = step.tool, step.feed
    if tool is None or feed is None or feed.parameter is None or not feed.as_text or not _says_nothing_else(step):
        return None
    return DirectCall(tool, feed.parameter, step.path)


def _says_nothing_else(step: PlannedStep) -> bool:
    definition, action = step.definition, step.definition.action
    adapts = definition.adapter is not None and step.adapts
    return (
        isinstance(action, Use)
        and action.arguments is None
        and step.on_error == "fail"
        and not adapts
        and all(
            value is None
            for value in (
                definition.id,
                definition.when,
                definition.each,
                definition.approval,
                definition.retry,
                definition.timeout,
            )
        )
    )
