"""Flows: what moves while a pipeline runs: what a step gave, what it hands on, and what expressions can read."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from toolkit.errors import ToolExecutionError
from toolkit.events import StepStatus
from toolkit.json_texts import json_text
from toolkit.pipelines.plans import Plan
from toolkit.pipelines.templated_data import ListValue, MappingValue, Value
from toolkit.tools.context import ToolContext
from toolkit.tools.raised_errors import message_of, raised_by
from toolkit.tools.results import ToolResult
from toolkit.tools.skipped_items import Skips

NOT_RUN: Mapping[str, Any] = {
    "output": None,
    "text": "",
    "status": "skipped",
    "error": None,
    "attempts": 0,
    "seconds": 0.0,
}
"""What `steps.name` is for a step that has not run."""


class Outcome(NamedTuple):
    """What one step gave.

    Attributes:
        status: How it ended.
        result: The result of its tool, or one made for it.
        output: What expressions see: the plain data if there is any, else the text.
        attempts: How often the tool was called.
        goes_on: Whether the next step follows: after a failure only if the step, or the pipeline, sets that.
        ends_run: Whether a gate was refused; then nothing follows, whatever the step or the pipeline sets.
        skips: The items that were left out because they failed, here and in the pipelines that were called; the path
            of the step itself is empty.
    """

    status: StepStatus
    result: ToolResult
    output: Any
    attempts: int = 1
    goes_on: bool = True
    ends_run: bool = False
    skips: tuple[Skips, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the step did not do its work."""
        return self.status not in ("ok", "skipped")


SKIPPED = Outcome("skipped", ToolResult(), None, 0)
PASSED = Outcome("ok", ToolResult(), None, 0)
"""What a gate gives after a yes: nothing to hand on."""

_STATUS_OF_CODE: dict[object, StepStatus] = {"rejected": "rejected", "timeout": "timed_out"}


def outcome_of(result: ToolResult, attempts: int = 1) -> Outcome:
    """Return the outcome of a step whose tool gave this result."""
    if result.error is None:
        structured = result.structured
        return Outcome("ok", result, result.output if structured is None else structured, attempts, skips=result.skips)
    status = _STATUS_OF_CODE.get(result.error_code, "failed")
    return Outcome(status, result, None, attempts, goes_on=False, skips=result.skips)


def refused_by_gate(message: str) -> Outcome:
    """Return the outcome of a step whose gate was refused; it ends the run, whatever the error strategy."""
    return outcome_of(ToolResult.failure(message, "rejected"))._replace(ends_run=True)


def outcome_of_value(value: Any, attempts: int = 1) -> Outcome:
    """Return the outcome of a step that made this value: text as it is, everything else as data."""
    if isinstance(value, str):
        return Outcome("ok", ToolResult(value), value, attempts)
    return Outcome("ok", ToolResult(text_of(value), structured=value), value, attempts)


def outcome_of_written(value: Value, roots: Mapping[str, Any], attempts: int = 1) -> Outcome:
    """Return the outcome of a step that made what is written in the file.

    Raises:
        ToolExecutionError: If an expression fails, or what is made of several is too large.
    """
    made = value.render(roots)
    if isinstance(value, ListValue | MappingValue):
        from toolkit.pipelines.expressions.failures import Unfit  # noqa: PLC0415 - plain chains need none
        from toolkit.pipelines.expressions.json_values import size_of  # noqa: PLC0415

        try:
            size_of(made)
        except Unfit as error:
            raise ToolExecutionError(f"{error} at {value.node.location}", code="expression") from error
    return outcome_of_value(made, attempts)


def failure_of(error: Exception, attempts: int = 1) -> Outcome:
    """Return the outcome of a step in which something was raised outside its tool."""
    code = error.code if isinstance(error, ToolExecutionError) else None
    words = message_of(error)
    result, raised = ToolResult.failure(words, code or "error"), raised_by(error, words)
    return outcome_of(result.with_raised(raised) if raised is not None and raised.place else result, attempts)


def text_of(value: Any) -> str:
    """Return a value as text: text as it is, everything else as compact JSON."""
    if isinstance(value, str):
        return value

    return json_text(value, separators=(",", ":"))


class Run:
    """One run of a plan: what holds for all its steps.

    Attributes:
        plan: What is run.
        inputs: What it was given, by name.
        prefix: The path of the step that this pipeline is, of an outer one, with a slash after it.
        steps: What expressions can read of each step that has an id.
        outputs: What each step that ended well gave, by its path.
        failed_step: The label of the step that ended the run.
        error: What expressions can read of that failure.
        skips: The items that steps have left out because they failed.
    """

    __slots__ = ("error", "failed_step", "inputs", "outputs", "plan", "prefix", "skips", "steps")

    def __init__(self, plan: Plan, ids: Iterable[str], inputs: Mapping[str, Any], prefix: str = "") -> None:
        """Begin a run; none of the steps with these ids has run."""
        self.plan = plan
        self.inputs = inputs
        self.prefix = prefix
        self.steps: dict[str, Mapping[str, Any]] = dict.fromkeys(ids, NOT_RUN)
        self.outputs: dict[str, Any] = {}
        self.failed_step: str | None = None
        self.error: Mapping[str, Any] | None = None
        self.skips: tuple[Skips, ...] = ()

    def note_skips(self, path: str, skips: tuple[Skips, ...]) -> None:
        """Keep what a step, or the pipeline that it calls, has left out."""
        self.skips += tuple(one.within(path) for one in skips)

    def record(self, name: str, outcome: Outcome, settled: Outcome, seconds: float) -> None:
        """Keep what expressions can read of a step: how it ended, and what it hands on."""
        self.steps[name] = {
            "output": settled.output,
            "text": settled.result.output,
            "status": outcome.status,
            "error": error_record(outcome.result, name) if outcome.failed else None,
            "attempts": outcome.attempts,
            "seconds": seconds,
        }


def error_record(result: ToolResult, step: str | None) -> Mapping[str, Any]:
    """Return what expressions can read of a failure."""
    return {"message": result.error, "code": result.error_code, "step": step}


class Flow:
    """One chain of steps on its way: what the last of them handed on.

    Attributes:
        run: The run that it belongs to.
        context: What its steps hand on to their calls.
        output: What expressions see as `prev`.
        text: The same as text, which is what is piped.
        result: The whole result behind it.
    """

    __slots__ = ("context", "output", "result", "run", "text")

    def __init__(self, run: Run, context: ToolContext, output: Any, text: str, result: ToolResult) -> None:
        """Begin a chain of steps."""
        self.run = run
        self.context = context
        self.output = output
        self.text = text
        self.result = result

    def take(self, outcome: Outcome) -> None:
        """Hand on what a step gave: after a failure its message, and nothing new from a step that gave nothing."""
        if outcome is SKIPPED or outcome is PASSED:
            return
        result = outcome.result
        self.result = result
        if result.error is None:
            self.output = outcome.output
            self.text = result.output
        else:
            self.output = self.text = result.error

    def hand_on(self, result: ToolResult, path: str) -> None:
        """Hand on what the tool of a step gave that has done its work."""
        structured = result.structured
        self.result = result
        self.text = result.output
        self.run.outputs[path] = self.output = result.output if structured is None else structured
        if result.skips:
            self.run.note_skips(path, result.skips)

    def hand_on_value(self, value: str | int, path: str) -> None:
        """Hand on a text or a whole number that is all of what the tool of a step gave."""
        self.hand_on(outcome_of_value(value).result, path)

    def fork(self, context: ToolContext) -> "Flow":
        """Return another chain that begins where this one is, with a context of its own."""
        return Flow(self.run, context, self.output, self.text, self.result)

    def roots(self) -> dict[str, Any]:
        """Return what expressions can read here."""
        run = self.run
        roots = {"prev": self.output, "inputs": run.inputs, "steps": run.steps, "env": run.plan.environment}
        if len(run.inputs) == 1:
            roots["input"] = next(iter(run.inputs.values()))
        if run.error is not None:
            roots["error"] = run.error
        return roots


class InputFlow(Flow):
    """The way of data that a pipeline was given: what it is as text is made when it is wanted, for it may be long."""

    __slots__ = ("_result", "_text")

    def __init__(self, run: Run, context: ToolContext, value: Any) -> None:
        self.run = run
        self.context = context
        self.output = value
        self._result: ToolResult | None = None
        self._text: str | None = None

    def hand_on(self, result: ToolResult, path: str) -> None:
        """Hand on what the tool of a step gave that has done its work; its text is taken when it is wanted."""
        structured = result.structured
        self._result = result
        self._text = None
        self.run.outputs[path] = self.output = result.output if structured is None else structured
        if result.skips:
            self.run.note_skips(path, result.skips)

    def hand_on_value(self, value: str | int, path: str) -> None:
        """Hand on a text or a whole number that is all of what the tool of a step gave."""
        self._result = self._text = None
        self.run.outputs[path] = self.output = value

    @property
    def result(self) -> ToolResult:
        """What was given, as a result; then what the last step gave."""
        if self._result is None:
            self._result = outcome_of_value(self.output).result
        return self._result

    @result.setter
    def result(self, result: ToolResult) -> None:
        self._result = result

    @property
    def text(self) -> str:
        """What was given, as text; then what the last step gave."""
        if self._text is None:
            output = self.output
            self._text = output if type(output) is str and self._result is None else self.result.output
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text


class ItemFlow(Flow):
    """The way of one item of a list through a step: the pipe carries the item."""

    __slots__ = ("index", "outer")

    def __init__(self, outer: Flow, item: Any, index: int) -> None:
        """Begin with an item; its text is made when it is wanted."""
        self.run = outer.run
        self.context = outer.context
        self.output = item
        self.result = outer.result
        self.outer = outer
        self.index = index

    @property
    def text(self) -> str:  # type: ignore[override]  # read only: an item goes no further than its step
        return text_of(self.output)

    def roots(self) -> dict[str, Any]:
        """Return what expressions can read: all that the step can, and the item and its index."""
        return self.outer.roots() | {"item": self.output, "index": self.index}
