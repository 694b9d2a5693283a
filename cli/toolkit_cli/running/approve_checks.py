"""Reports `--approve` rules that match nothing in a run before it starts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.approvals.gates import Gate
from toolkit.problems import Problem, did_you_mean, errors_among
from toolkit.tools.base import Tool, innermost
from toolkit_cli.failures import ExitCode, Failure, refuse, report
from toolkit_cli.rendering.tools import is_facade
from toolkit_cli.running.clearance import ForeseenCall, calls_of

if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance


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

    return tool is not None and (is_facade(tool) or getattr(innermost(tool), "is_agent", False))


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
