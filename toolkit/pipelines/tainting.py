"""Taint analysis: finds the arguments of a plan's calls that contain text from outside, and the steps it came from.

Text from outside is the output of a tool that reads from beyond this machine and is not destructive. Only data that the
pipeline itself passes on is followed: the output of any other tool counts as that tool's own text.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolkit.pipelines.plans import Plan, PlannedStep
from toolkit.pipelines.step_definitions import AdapterFunction, Ask, Branches, Fallback, Use
from toolkit.pipelines.traces import NOTHING, Trace, Tracer, merged
from toolkit.problems import Location
from toolkit.tools.base import innermost
from toolkit.tools.calls.foreign_values import call_safely
from toolkit.tools.definition.spec import is_from_outside


class Taint(NamedTuple):
    """An argument that contains text from outside.

    Attributes:
        parameter: The parameter; `None` if the text is all arguments as JSON.
        location: The location of the argument, or of the tool that it is piped into.
        origins: The paths of the steps that the text came from.
        is_seen: Whether an `approve` step runs after all of these steps and before this call.
    """

    parameter: str | None
    location: Location
    origins: tuple[str, ...]
    is_seen: bool = False


def taints_of(plan: Plan) -> Mapping[str, tuple[Taint, ...]]:
    """Return the tainted arguments of each step, by the step's path."""
    follower = _Follower({})
    follower.follow(plan)
    return follower.taints


def leaking_reader(plan: Plan) -> str | None:
    """Return the name of a tool that reads private data which a later step could send out, or `None`.

    What is sent where is up to the author of the plan. But if a model calls the pipeline, it chooses what is read.
    """
    reader: str | None = None
    for step in plan.walk():
        if step.branches:  # their calls can happen in any order
            reader = reader or next(filter(None, map(_reader_in, step.walk())), None)
        if step.tool is None:
            continue
        if reader is not None and "sends" in step.tool.flows:
            return reader
        inner = getattr(innermost(step.tool), "plan", None)
        if isinstance(inner, Plan) and (found := leaking_reader(inner)) is not None:
            return found
        reader = reader or _reader_in(step)
    return None


def _reader_in(step: PlannedStep) -> str | None:
    """Return the name of the tool that a step calls if it reads private data."""
    return step.tool.name if step.tool is not None and "reads_private" in step.tool.flows else None


class _State(NamedTuple):
    """The traces after a step: of the previous output, and of the outputs of steps with an id."""

    previous: Trace = NOTHING
    steps: Mapping[str, Trace] = {}


class _Follower:
    """Follows one plan from its first step to its last.

    Args:
        known: Whether plans inside return text from outside, by the identity of the plan.
    """

    def __init__(self, known: dict[int, bool]) -> None:
        self.taints: dict[str, tuple[Taint, ...]] = {}
        self._known = known
        self._seen: set[str] = set()

    def follow(self, plan: Plan) -> Trace:
        """Follow every step, and return the trace of the plan's result."""
        after = self._chain(plan.steps, _State())
        self._chain(plan.on_failure, after._replace(previous=NOTHING))
        return after.previous if plan.output is None else _tracer(after).value(plan.output)

    def _chain(self, steps: Iterable[PlannedStep], state: _State) -> _State:
        for step in steps:
            state = self._step(step, state)
        return state

    def _step(self, step: PlannedStep, state: _State) -> _State:
        definition = step.definition
        tracer = _tracer(state).knowing(definition.when)
        if definition.each is not None:
            tracer = tracer.naming(item=tracer.value(definition.each.items).at(0))
        steps = dict(state.steps)
        match definition.action:
            case Use() as use:
                trace = self._call(step, use, tracer)
            case Branches():
                ends = {name: self._chain(inner, state) for name, inner in step.branches.items()}
                trace = Trace.of_parts({name: end.previous for name, end in ends.items()})
                steps.update((id, inner) for end in ends.values() for id, inner in end.steps.items())
            case Ask():
                if definition.when is None:
                    self._seen.update(*(one.origins for one in (state.previous, *state.steps.values())))
                return state
            case other:
                trace = merged([tracer.value(value) for value in other.values.values()])
        trace = _finished(step, trace, tracer)
        if definition.id is not None:
            steps[definition.id.text] = trace
        return _State(trace if definition.when is None else merged([trace, state.previous]), steps)

    def _call(self, step: PlannedStep, use: Use, tracer: Tracer) -> Trace:
        taints = tuple(self._taints(step, use, tracer))
        if taints:
            self.taints[step.path] = taints
        if step.tool is None or not is_from_outside(step.tool.spec):
            return NOTHING
        inner = call_safely(lambda: getattr(step.tool, "plan", None), None)
        if isinstance(inner, Plan) and not self._gives_words(inner):
            return NOTHING
        return Trace(frozenset({step.path}), step.tool.spec.output_schema)

    def _taints(self, step: PlannedStep, use: Use, tracer: Tracer) -> Iterator[Taint]:
        given = [] if use.arguments is None else list(use.arguments.entries.items())
        found: list[tuple[str | None, Location, Trace]]
        found = [(name, value.node.location, tracer.value(value)) for name, value in given]
        if step.feed is not None:
            place = (use.pipe or use.tool).location
            piped = tracer.named("prev" if step.definition.each is None else "item")
            parts = {} if step.feed.parameter is not None else piped.parts or {}
            found += [(name, place, part) for name, part in parts.items()]
            if not parts:
                found.append((step.feed.parameter, place, piped))
        for name, place, trace in found:
            if trace.words:
                yield Taint(name, place, tuple(sorted(trace.words)), trace.words <= self._seen)

    def _gives_words(self, plan: Plan) -> bool:
        """Return whether the result of a nested plan contains text from outside."""
        if id(plan) not in self._known:
            self._known[id(plan)] = False
            self._known[id(plan)] = bool(_Follower(self._known).follow(plan).words)
        return self._known[id(plan)]


def _tracer(state: _State) -> Tracer:
    records = {
        name: Trace.of_parts({"output": trace, "text": Trace(trace.words)}) for name, trace in state.steps.items()
    }
    return Tracer({"prev": state.previous, "steps": Trace.of_parts(records)})


def _finished(step: PlannedStep, trace: Trace, tracer: Tracer) -> Trace:
    """Return the trace of a step's final output, after `adapt`, `for_each` and the value of `on_error`."""
    definition = step.definition
    match definition.adapter:
        case AdapterFunction():
            trace = NOTHING
        case adapter if adapter is not None and step.adapts:
            trace = tracer.naming(result=trace).value(adapter)
    if definition.each is not None:
        trace = Trace.of_items(trace)
    if isinstance(step.on_error, Fallback):
        return merged([trace, tracer.value(step.on_error.value)])
    return trace
