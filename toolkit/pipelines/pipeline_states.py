"""The state of a running pipeline: outcomes of steps, the data passed between them, and what expressions can read.

With a journal, outcomes of steps are recorded in it, and recalled when a run is resumed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from toolkit.errors import Signal, ToolExecutionError
from toolkit.events import StepStatus
from toolkit.json_texts import text_of
from toolkit.pipelines.expressions.json_values import Unfit, size_of
from toolkit.pipelines.plans import Plan, PlannedStep
from toolkit.pipelines.templated_data import ListValue, MappingValue, Value
from toolkit.tools.calls.results import Skips, ToolResult, message_of, raised_by
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_in, result_text

NOT_RUN: Mapping[str, Any] = {
    "output": None,
    "text": "",
    "status": "skipped",
    "error": None,
    "attempts": 0,
    "seconds": 0.0,
}
"""The value of `steps.name` for a step that has not run."""


class Outcome(NamedTuple):
    """The outcome of one step.

    Attributes:
        status: How the step ended.
        result: The tool's result, or an equivalent one if the step called no tool.
        output: The output that expressions read: structured data if there is any, else the text.
        attempts: How often the tool was called.
        goes_on: Whether the next step runs. After a failure, it runs only if the step or the pipeline says so.
        ends_run: Whether approval was refused. The run then ends, whatever the step or the pipeline says.
        skips: The items that were skipped because they failed, in this step and in the pipelines that it called; the
            path of the step itself is empty.
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
        """Whether the step ran and did not succeed."""
        return self.status not in ("ok", "skipped")


SKIPPED = Outcome("skipped", ToolResult(), None, 0)
PASSED = Outcome("ok", ToolResult(), None, 0)
"""The outcome of an approved `approve` step: it passes on no output of its own."""

_STATUS_OF_CODE: dict[object, StepStatus] = {"rejected": "rejected", "timeout": "timed_out"}


def outcome_of(result: ToolResult, attempts: int = 1) -> Outcome:
    """Return the outcome of a step whose tool returned this result."""
    if result.error is None:
        structured = result.structured
        return Outcome("ok", result, result.output if structured is None else structured, attempts, skips=result.skips)
    status = _STATUS_OF_CODE.get(result.error_code, "failed")
    return Outcome(status, result, None, attempts, goes_on=False, skips=result.skips)


def refused_by_gate(message: str) -> Outcome:
    """Return the outcome of a step whose approval was refused. It ends the run, whatever the error strategy."""
    return outcome_of(ToolResult.failure(message, "rejected"))._replace(ends_run=True)


def outcome_of_value(value: Any, attempts: int = 1) -> Outcome:
    """Return the outcome of a step that produced a value. A string is text; anything else is structured data."""
    if isinstance(value, str):
        return Outcome("ok", ToolResult(value), value, attempts)
    return Outcome("ok", ToolResult(text_of(value), structured=value), value, attempts)


def outcome_of_written(value: Value, roots: Mapping[str, Any], attempts: int = 1) -> Outcome:
    """Render a value of the file and return the outcome of the step that produced it.

    Raises:
        ToolExecutionError: If an expression fails, or the rendered list or mapping is too large.
    """
    made = value.render(roots)
    if isinstance(value, ListValue | MappingValue):
        try:
            size_of(made)
        except Unfit as error:
            raise ToolExecutionError(f"{error} at {value.node.location}", code="expression") from error
    return outcome_of_value(made, attempts)


def failure_of(error: Exception, attempts: int = 1) -> Outcome:
    """Return the outcome of a step in which an exception was raised outside its tool."""
    code = error.code if isinstance(error, ToolExecutionError) else None
    words = message_of(error)
    result, raised = ToolResult.failure(words, code or "error"), raised_by(error, words)
    return outcome_of(replace(result, raised=raised) if raised is not None and raised.place else result, attempts)


class Run:
    """The state of one run of a plan, shared by all its steps.

    Attributes:
        plan: The plan that is run.
        inputs: The inputs by name.
        prefix: If this pipeline is a step of another one, the path of that step with a slash after it.
        steps: For each step with an id, the record that expressions can read.
        outputs: The outputs of successful steps by path.
        failed_step: The label of the step that ended the run.
        error: The record of that failure that expressions can read.
        skips: The items that were skipped because they failed.
    """

    __slots__ = ("error", "failed_step", "inputs", "outputs", "plan", "prefix", "skips", "steps")

    def __init__(self, plan: Plan, ids: Iterable[str], inputs: Mapping[str, Any], prefix: str = "") -> None:
        self.plan = plan
        self.inputs = inputs
        self.prefix = prefix
        self.steps: dict[str, Mapping[str, Any]] = dict.fromkeys(ids, NOT_RUN)
        self.outputs: dict[str, Any] = {}
        self.failed_step: str | None = None
        self.error: Mapping[str, Any] | None = None
        self.skips: tuple[Skips, ...] = ()

    def note_skips(self, path: str, skips: tuple[Skips, ...]) -> None:
        """Record the items that were skipped by a step or by the pipeline that it calls."""
        self.skips += tuple(one.within(path) for one in skips)

    def record(self, name: str, outcome: Outcome, settled: Outcome, seconds: float) -> None:
        """Record how a step ended and what it passes on, for expressions to read."""
        self.steps[name] = {
            "output": settled.output,
            "text": settled.result.output,
            "status": outcome.status,
            "error": error_record(outcome.result, name) if outcome.failed else None,
            "attempts": outcome.attempts,
            "seconds": seconds,
        }


def error_record(result: ToolResult, step: str | None) -> Mapping[str, Any]:
    """Return the record of a failure that expressions can read."""
    return {"message": result.error, "code": result.error_code, "step": step}


class Flow:
    """The data that moves along one chain of steps: the output of the step that ran last.

    Attributes:
        run: The run that the chain belongs to.
        context: The context that steps pass to their calls.
        output: The output, which expressions read as `prev`.
        text: The output as text, which is piped into the next tool.
        result: The whole result of the step.
    """

    __slots__ = ("context", "output", "result", "run", "text")

    def __init__(self, run: Run, context: ToolContext, output: Any, text: str, result: ToolResult) -> None:
        self.run = run
        self.context = context
        self.output = output
        self.text = text
        self.result = result

    def take(self, outcome: Outcome) -> None:
        """Pass on the output of a step: after a failure its message; a step without output changes nothing."""
        if outcome is SKIPPED or outcome is PASSED:
            return
        result = outcome.result
        self.result = result
        if result.error is None:
            self.output = outcome.output
            self.text = result.output
        else:
            self.output = self.text = result.error

    def pass_on(self, result: ToolResult, path: str) -> None:
        """Pass on the result of a tool that succeeded, and record it under the step's path."""
        structured = result.structured
        self.result = result
        self.text = result.output
        self.run.outputs[path] = self.output = result.output if structured is None else structured
        if result.skips:
            self.run.note_skips(path, result.skips)

    def pass_on_value(self, value: str | int, path: str) -> None:
        """Pass on a string or integer that is a tool's whole result, and record it under the step's path."""
        self.pass_on(outcome_of_value(value).result, path)

    def fork(self, context: ToolContext) -> "Flow":
        """Return a new flow that starts with the output of this one and has another context."""
        return Flow(self.run, context, self.output, self.text, self.result)

    def roots(self) -> dict[str, Any]:
        """Return the values that expressions can read, by root name."""
        run = self.run
        roots = {"prev": self.output, "inputs": run.inputs, "steps": run.steps, "env": run.plan.environment}
        if len(run.inputs) == 1:
            roots["input"] = next(iter(run.inputs.values()))
        if run.error is not None:
            roots["error"] = run.error
        return roots


class InputFlow(Flow):
    """A flow that starts with the pipeline's input. Text is made only on demand, since the data may be large."""

    __slots__ = ("_result", "_text")

    def __init__(self, run: Run, context: ToolContext, value: Any) -> None:
        self.run = run
        self.context = context
        self.output = value
        self._result: ToolResult | None = None
        self._text: str | None = None

    def pass_on(self, result: ToolResult, path: str) -> None:
        """Pass on the result of a tool that succeeded, without making its text yet."""
        structured = result.structured
        self._result = result
        self._text = None
        self.run.outputs[path] = self.output = result.output if structured is None else structured
        if result.skips:
            self.run.note_skips(path, result.skips)

    def pass_on_value(self, value: str | int, path: str) -> None:
        """Pass on a string or integer that is a tool's whole result, without making a result yet."""
        self._result = None
        self._text = value if type(value) is str else None
        self.run.outputs[path] = self.output = value

    @property
    def result(self) -> ToolResult:
        """The result of the last step, or the input as a result if no step has run."""
        if self._result is None:
            self._result = outcome_of_value(self.output).result
        return self._result

    @result.setter
    def result(self, result: ToolResult) -> None:
        self._result = result

    @property
    def text(self) -> str:
        """The text of the last step, or the input as text if no step has run."""
        if self._text is None:
            output = self.output
            self._text = output if type(output) is str and self._result is None else self.result.output
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text


class ItemFlow(Flow):
    """The flow of one item of a list through a step: the item is piped in place of the previous output."""

    __slots__ = ("index", "outer")

    def __init__(self, outer: Flow, item: Any, index: int) -> None:
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
        """Return the values that expressions can read: those of the step, plus `item` and `index`."""
        return self.outer.roots() | {"item": self.output, "index": self.index}


class GateRefused(Signal):
    """Approval was refused in a pipeline inside another one, so the whole run has to end.

    The signal passes through everything between the two pipelines, such as an agent. The outer pipeline then ends as if
    one of its own approvals had been refused.
    """


_KEPT_ENDS = ("ok", "failed", "timed_out", "rejected")


def recalled(step: PlannedStep, context: ToolContext) -> Outcome | None:
    """Return the journaled outcome of a step, or `None` if the step has to run.

    A failure is recalled only if the pipeline continues after it.
    """
    record = context.journal.recall(context.path) if context.journal is not None and context.path else None
    if record is None or (record.status != "ok" and not _goes_on(step)) or not record.is_whole:
        return None
    result, output = result_in(record.result)
    return Outcome(record.status, result, output, 0, goes_on=record.status == "ok", skips=result.skips)  # type: ignore[arg-type]  # what `record` has written


def record(outcome: Outcome, context: ToolContext) -> None:
    """Write the outcome of a step to the journal, before the next step begins.

    Raises:
        JournalError: If the journal cannot be written.
    """
    if context.journal is None or not context.path or outcome.status not in _KEPT_ENDS:
        return
    result = replace(outcome.result, skips=outcome.skips) if outcome.skips else outcome.result
    text, is_whole = result_text(result, outcome.output, context)
    context.journal.end(context.path, outcome.status, text, is_whole=is_whole)


def _goes_on(step: PlannedStep) -> bool:
    each = step.definition.each
    return step.on_error != "fail" or (each is not None and each.skips_failed)
