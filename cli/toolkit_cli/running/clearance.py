"""Determines before a run which calls need approval, which flag would allow each, and what a dry run shows."""

import sys
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.risks import Chooser, Risk
from toolkit.errors import ToolExecutionError
from toolkit.pipelines.plans import Plan, PlannedStep
from toolkit.pipelines.step_definitions import Use
from toolkit.pipelines.templated_data import ConstantValue, Value, expressions_in
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import MASK
from toolkit.tools.base import Tool
from toolkit.tools.questions import with_arguments
from toolkit_cli.rendering.tools import pipeline_in


class ForeseenCall(NamedTuple):
    """A call that a run may make.

    Attributes:
        call: The call, with its known arguments, and the names of arguments that are computed later.
        verdict: The gate's verdict, based on what is known.
        tool: The tool; `None` for a step that only asks for approval.
        step: The step that makes the call, or `None` for the call itself.
        location: The location of the step in its file.
    """

    call: DescribedCall
    verdict: Verdict
    tool: Tool | None
    step: str | None = None
    location: Location | None = None


def questions_of(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> list[ForeseenCall]:
    """Return the calls that need approval or are denied.

    Questions that a tool asks itself are not known in advance.
    """
    return [foreseen for foreseen in calls_of(tool, arguments, gate) if foreseen.verdict.action != "allow"]


def calls_of(tool: Tool, arguments: Mapping[str, Any], gate: Gate, chosen_by: Chooser = "person") -> list[ForeseenCall]:
    """Return every call that a run may make: that of the tool, and those of the steps of a pipeline.

    Steps are included even if their condition may be false. The steps count as chosen by a person, the pipeline's
    author, whoever chose the call.
    """
    described = tool.described._replace(chosen_by=chosen_by, earlier=gate.history.tools)
    call = with_arguments(described, tool, tool.parse(arguments))
    return [ForeseenCall(call, gate.verdict_on(call), tool), *_calls_within(tool, call.arguments or {}, gate, {})]


def calls_of_items(tool: Tool, gate: Gate) -> list[ForeseenCall]:
    """Return every call that a batch may make for an item, with unknown arguments."""
    call = tool.described._replace(arguments={}, unknown=None)
    return [ForeseenCall(call, gate.verdict_on(call), tool), *_calls_within(tool, {}, gate, {})]


def _calls_within(
    tool: Tool, arguments: Mapping[str, Any], gate: Gate, earlier: dict[Risk, None]
) -> Iterator[ForeseenCall]:
    """Yield the calls of a pipeline's steps, and add their tools to those that may have been called earlier."""
    if "toolkit.pipelines.pipeline" not in sys.modules:  # without this import, no pipeline exists
        return

    pipeline = pipeline_in(tool)
    if pipeline is None:
        return
    for step in pipeline.plan.walk():
        known = known_arguments(step, pipeline.plan, arguments)
        call = _call_of(step, known, computed_names(step, known))
        if call is None:
            continue
        if step.branches or step.definition.each is not None:  # its calls can happen in any order
            earlier.update(dict.fromkeys(_tools_in(step)))
        call = call._replace(earlier=gate.history.tools, coming=tuple(earlier))
        yield ForeseenCall(call, gate.verdict_on(call), step.tool, step.path, step.definition.location)
        if step.tool is not None:
            for inner in _calls_within(step.tool, call.arguments or {}, gate, earlier):
                yield inner._replace(step=f"{step.path}/{inner.step}")
            earlier[call.risk] = None


def _tools_in(step: "PlannedStep") -> Iterator[Risk]:
    return (each.tool.described.risk for each in step.walk() if each.tool is not None)


def _call_of(step: "PlannedStep", known: Mapping[str, Any], unknown: Collection[str] | None) -> DescribedCall | None:
    """Return the call of a step, or its question without a call; `None` if it has neither."""
    asks = step.definition.approval is not None
    if step.tool is None and not asks:
        return None
    risk = step.tool.described.risk if step.tool is not None else Risk(step.label, requires_approval=True)
    call = DescribedCall(risk, "person", f"step '{step.label}'" if asks else None, known, unknown=unknown)
    if step.tool is None:
        return call
    return call._replace(base=step.tool.uses.get("base"), defaults=_defaults_of(step.tool, known, unknown))


def _defaults_of(tool: Tool, known: Mapping[str, Any], unknown: Collection[str] | None) -> Mapping[str, Any]:
    """Return the defaults of the arguments that a step certainly omits."""
    if unknown is None:
        return {}
    return {name: value for name, value in tool.defaults(known).items() if name not in unknown}


def problem_of(question: ForeseenCall, because: str) -> Problem:
    """Return the Problem for a call that is denied, or whose question cannot be asked, with a hint how to allow it."""
    tool = question.call.risk.tool
    asker = f"step '{question.step}'" if question.step else f"'{tool}'"
    what = f"{asker} needs approval" + (f" to run '{tool}'" if question.step not in {None, tool} else "")
    if question.verdict.action == "deny":
        return Problem("", f"{asker} is denied by {question.verdict.because}", question.location)
    because_of = question.verdict.because
    reason = f" ({because_of})" if because_of and because_of != asker else ""
    from toolkit_cli.running.approval_flags import flag_for  # only problems need it

    flag = flag_for(question.call)
    if flag is not None and question.tool is None:
        flag = flag._replace(open="")  # the flag names this step, which makes no call
    hint = flag.advice("allow it with") if flag is not None else "allow it with a rule in a policy file"
    if question.verdict.exact and (flag is None or flag.open):
        hint = "only a person who sees the whole call can approve it; run it in a terminal"
    return Problem("", f"{what}{reason}, and {because}", question.location, hint=hint)


_KNOWN_ROOTS = {"input", "inputs", "env"}


def known_arguments(step: PlannedStep, plan: Plan, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a step's call that depend only on the pipeline's inputs, with secrets masked.

    Args:
        step: The step.
        plan: The plan of the pipeline.
        inputs: The known inputs.
    """
    action = step.definition.action
    if not isinstance(action, Use) or action.arguments is None:
        return {}
    roots: dict[str, Any] = {"inputs": inputs, "env": plan.environment}
    if len(inputs) == 1:
        roots["input"] = next(iter(inputs.values()))
    secrets = step.tool.hidden_parameters if step.tool is not None else frozenset()
    known: dict[str, Any] = {}
    for name, value in action.arguments.entries.items():
        if _is_known(value, inputs):
            try:
                known[name] = MASK if name in secrets else value.render(roots)
            except ToolExecutionError:  # the run will report it
                continue
    return known


def _is_known(value: Value, inputs: Mapping[str, Any]) -> bool:
    if isinstance(value, ConstantValue):
        return True
    references = [reference for located in expressions_in(value) for reference in located.expression.references]
    return all(
        reference.root in _KNOWN_ROOTS and (reference.root != "inputs" or _first(reference.path) in inputs)
        for reference in references
    )


def _first(path: tuple[str | int, ...]) -> str | int | None:
    return path[0] if path else None


def computed_names(step: PlannedStep, known: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the names of arguments that are computed when the step runs; `None` if that may be any argument."""
    if step.feed is not None and step.feed.parameter is None:
        return None
    return tuple(unknown_names(step, known))


def unknown_names(step: PlannedStep, known: Mapping[str, Any]) -> list[str]:
    """Return the names of arguments whose values are known only when the step runs, the piped one last."""
    action = step.definition.action
    written = action.arguments.entries if isinstance(action, Use) and action.arguments is not None else {}
    piped = [step.feed.parameter or "all arguments"] if step.feed is not None else []
    return [*(name for name in written if name not in known), *piped]


def rehearsal_record(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> dict[str, Any]:
    """Return what a run would do as plain data: the call, the steps of a pipeline, and the approval questions."""
    questions = questions_of(tool, arguments, gate)
    return {
        "tool": tool.name,
        "arguments": tool.describe(tool.parse(arguments)),
        "steps": list(_steps(tool, tool.describe(tool.parse(arguments)), "")),
        "questions": [
            {"step": question.step, "tool": question.call.risk.tool, "because": question.verdict.because}
            for question in questions
        ],
    }


def _steps(tool: Tool, arguments: Mapping[str, Any], prefix: str) -> Iterator[dict[str, Any]]:
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return

    for step in pipeline.plan.walk():
        known = known_arguments(step, pipeline.plan, arguments)
        path = f"{prefix}{step.path}"
        yield {
            "path": path,
            "position": step.position,
            "of": step.of,
            "kind": step.kind,
            "tool": step.tool.name if step.tool is not None else None,
            "arguments": known,
            "unknown": unknown_names(step, known),
            "conditional": step.definition.when is not None,
            "for_each": step.definition.each is not None,
        }
        if step.tool is not None:
            yield from _steps(step.tool, known, f"{path}/")
