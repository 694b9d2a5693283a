"""Checks the policy of a project against its tools and pipelines.

The user's own policy file is ignored, so that the findings are the same on every machine, unless it is named.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolkit.approvals.file_policies import FilePolicy
from toolkit.approvals.policies import DescribedCall, Risk
from toolkit.approvals.rules import KnownTool, Rule, names_tool, unmatched_rules
from toolkit.builtin.catalog import ALL_READY
from toolkit.codes import DENIED_STEP, UNCOVERED_DESTRUCTIVE_TOOL, WIDE_ALLOW_RULE
from toolkit.lint.definitions.pipeline_files import PipelineStep
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.engine.reports import Report
from toolkit.lint.engine.requests import means_all
from toolkit.lint.engine.toolsets import unique_tools
from toolkit.problems import Problem, errors_among
from toolkit.settings.configuration import Configuration
from toolkit.sources.opening import open_targets
from toolkit.sources.project_policies import Provenance, configured_policy
from toolkit.tools.definition.spec import ToolSpec, risk_of


def policy_findings(
    targets: Sequence[str], configuration: Configuration, reports: Sequence[Report], *, is_static: bool
) -> list[Problem]:
    """Return the problems of a project's policy files, and their effects on its tools and pipelines.

    Args:
        targets: The targets of the check; empty means the whole project.
        configuration: The settings of the project.
        reports: The report of each file.
        is_static: Whether no code was run; then only the policy files themselves are checked.
    """
    configuration = configuration._replace(own_policy=None)
    if not configuration.has_policy:
        return []
    policy, problems = configured_policy(configuration, targets)
    if is_static or errors_among(problems):
        return problems
    tools = [tool for tool in unique_tools(reports) if tool.origin != "json" and not tool.is_written]
    identified = Provenance(configuration, targets).identified
    problems += _uncovered(tools, policy)
    problems += _wide([(tool, identified(risk_of(tool.spec))) for tool in tools if tool.spec], policy)
    problems += [problem for report in reports for problem in _denied(report.steps, policy)]
    if means_all(targets, configuration.directory) and not any(errors_among(report.problems) for report in reports):
        problems += _unmatched([tool.spec for tool in tools if tool.spec], policy, configuration)
    return problems


def _uncovered(tools: Iterable[ToolDefinition], policy: FilePolicy) -> Iterator[Problem]:
    """Yield an info for each destructive tool that no rule covers, unless a default other than `by_risk` does."""
    if any(default != "by_risk" for file in policy.files for default in file.defaults.values()):
        return
    for tool in tools:
        if tool.spec and tool.spec.destructive and not any(_covers(rule, tool.spec) for rule in policy.rules):
            yield Problem(
                UNCOVERED_DESTRUCTIVE_TOOL,
                f"no policy rule covers the destructive tool '{tool.name}'",
                tool.location,
                "info",
                f"add a rule for it, or a default, to '{policy.files[0].name}'",
            )


def _covers(rule: Rule, spec: ToolSpec) -> bool:
    """Return whether a rule may decide about a tool: it matches the tool, and the tool has the rule's arguments."""
    has_arguments = all(name in spec.properties or name.partition(".")[0] in spec.properties for name in rule.where)
    return has_arguments and rule.choice.fit(risk_of(spec), rule.folder) != "no"


def _wide(tools: Sequence[tuple[ToolDefinition, Risk]], policy: FilePolicy) -> Iterator[Problem]:
    """Yield a warning for each rule that allows any call of a destructive tool that it does not name."""
    for rule in policy.rules:
        if rule.action != "allow" or rule.where or rule.digest or "destructive" in rule.choice.marks:
            continue
        meant = [tool for tool, risk in tools if risk.destructive and _is_swept_in(rule, risk)]
        if meant:
            names = ", ".join(f"'{tool.name}'" for tool in meant)
            yield Problem(
                WIDE_ALLOW_RULE,
                f"this allow rule covers destructive tools that it does not name: {names}",
                rule.place,
                "warning",
                "name the tools that it is meant for, or restrict their arguments with 'where'",
                related=tuple((tool.location, "is destructive") for tool in meant if tool.location),
            )


def _is_swept_in(rule: Rule, risk: Risk) -> bool:
    """Return whether an allow rule only covers a tool because a pattern matches, or because it names no tool."""
    exact = [name for name in rule.choice.tools if not any(sign in name for sign in "*?[")]
    if any(names_tool(name, risk) for name in exact) or not rule.holds_now:
        return False
    is_effective = rule.owner == "project" or rule.reaches(risk)
    return is_effective and rule.choice.fit(risk, rule.folder, allows=True) == "yes"


def _denied(steps: Sequence[PipelineStep], policy: FilePolicy) -> Iterator[Problem]:
    """Yield an error for each step whose call is denied, whatever its computed arguments will be."""
    coming = [_risk_of_step(step, step.tool) for step in steps if step.tool]
    for step in steps:
        if step.tool is None or step.call is None:
            continue
        call = DescribedCall(
            _risk_of_step(step, step.tool),
            arguments=step.call.arguments,
            defaults=_defaults_of(step.tool),
            unknown=step.call.unknown,
            base=step.call.base,
            coming=coming,
        )
        verdicts = policy.outlook(call)
        if all(verdict.action == "deny" for verdict in verdicts):
            yield Problem(
                DENIED_STEP,
                f"step '{step.path}' can never run: '{step.tool.name}' is denied by {verdicts[0].because}",
                step.location,
                hint="change the rule, or remove the step",
            )


def _defaults_of(tool: ToolSpec) -> dict[str, Any]:
    properties = tool.properties.items()
    return {name: part["default"] for name, part in properties if isinstance(part, Mapping) and "default" in part}


def _risk_of_step(step: PipelineStep, tool: ToolSpec) -> Risk:
    return replace(tool.risk, flow=frozenset(step.call.flow if step.call else ()))


def _unmatched(specs: Sequence[ToolSpec], policy: FilePolicy, configuration: Configuration) -> list[Problem]:
    """Return a warning for each rule that matches no tool; the tools of the project's servers are unknown here."""
    if any(getattr(server, "owner", "project") == "project" for server in configuration.mcp.values()):
        return []
    known = [KnownTool(risk_of(spec), spec.properties) for spec in specs]
    if not unmatched_rules(policy.rules, known):
        return []

    ready = [tool.spec for tool in open_targets([ALL_READY], configuration, looks=True).tools.values()]
    known += [KnownTool(risk_of(spec), spec.properties) for spec in ready]
    return [replace(problem, severity="warning") for problem in unmatched_rules(policy.rules, known)]
