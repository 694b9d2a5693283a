"""Determines before a run which calls it may make and which need approval, and checks the rules of `--approve`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import DescribedCall, Verdict
from toolkit.approvals.risks import Chooser, Risk
from toolkit.problems import Location, Problem, did_you_mean, errors_among
from toolkit.tools.base import Tool
from toolkit.tools.questions import with_arguments
from toolkit_cli.failures import ExitCode, Failure, refuse, report
from toolkit_cli.rendering.tool_kinds import is_agent, is_facade, pipeline_in

if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance
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
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return
    from toolkit_cli.running.step_arguments import computed_names, known_arguments  # only pipelines have steps

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


# ----------------------------------------------------------------------------------------------- rules of `--approve`


def check_rules(rules: "Sequence[Allowance]", tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> None:
    """Warn about rules that match no call of a run.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    check_rules_on(rules, calls_of(tool, arguments, gate) if rules else [])


def check_rules_on(rules: "Sequence[Allowance]", calls: Sequence[ForeseenCall]) -> None:
    """Warn about rules that match none of these calls.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    if any(_reveals_others(each.tool) for each in calls):
        return  # the calls of an agent or a facade are not known in advance
    found = [problem for rule in rules if (problem := _problem_of(rule, calls)) is not None]
    if errors_among(found):
        raise Failure(ExitCode.USAGE, problems=found)
    report(found)


def check_names(rules: "Sequence[Allowance]", tools: Iterable[Tool]) -> None:
    """Check that each rule names a tool that an agent may call; skipped if there are tools that reveal others.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    known = list(tools)
    if not rules or any(_reveals_others(tool) for tool in known):
        return
    names = [tool.name for tool in known]
    found = [_unknown_tool(rule, names) for rule in rules if not any(map(rule.names, names))]
    refuse(found)


def _reveals_others(tool: Tool | None) -> bool:
    return tool is not None and (is_facade(tool) or is_agent(tool))


def _problem_of(rule: "Allowance", calls: Sequence[ForeseenCall]) -> Problem | None:
    meant = [each for each in calls if rule.names(each.call.risk.tool)]
    if not meant:
        return _unknown_tool(rule, [each.call.risk.tool for each in calls])
    if any(rule.may_cover(each.call) for each in meant):
        return None
    message = f"--approve {rule.written!r} matches no call of this run"
    return Problem("", message, severity="warning", hint=_argument_hint(rule, meant))


def _unknown_tool(rule: "Allowance", names: Sequence[str]) -> Problem:
    known = f"this run calls {', '.join(dict.fromkeys(names))}" if names else None
    message = f"--approve {rule.written!r} names a tool that this run does not call"
    return Problem("", message, hint=did_you_mean(rule.tool, names, otherwise=known))


def _argument_hint(rule: "Allowance", meant: Sequence[ForeseenCall]) -> str:
    tool = meant[0]
    taken = list(tool.tool.spec.properties) if tool.tool is not None else []
    for name, _ in rule.arguments:
        if name not in taken:
            nearest = did_you_mean(name, taken, otherwise=f"it takes {', '.join(taken)}" if taken else "it takes none")
            return f"'{tool.call.risk.tool}' has no argument '{name}'; {nearest}"
    return "its arguments are already known and differ; `--dry-run` shows them"
