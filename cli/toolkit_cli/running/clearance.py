"""Determines before a run which calls need approval, and which flag would allow each."""

import sys
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.risks import Chooser, Risk
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool
from toolkit.tools.questions import with_arguments

if TYPE_CHECKING:
    from toolkit.pipelines.plans import PlannedStep


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
    from toolkit_cli.rendering.tools import pipeline_in  # noqa: PLC0415
    from toolkit_cli.running.foresight import computed_names, known_arguments  # noqa: PLC0415 - a plain tool needs none

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
    from toolkit_cli.running.approval_flags import flag_for  # noqa: PLC0415 - only problems need it

    flag = flag_for(question.call)
    if flag is not None and question.tool is None:
        flag = flag._replace(open="")  # the flag names this step, which makes no call
    hint = flag.advice("allow it with") if flag is not None else "allow it with a rule in a policy file"
    if question.verdict.exact and (flag is None or flag.open):
        hint = "only a person who sees the whole call can approve it; run it in a terminal"
    return Problem("", f"{what}{reason}, and {because}", question.location, hint=hint)
