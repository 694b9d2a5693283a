"""Finds rules of a project whose tool or argument names do not exist in the project."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from toolkit.approvals.risks import Risk
from toolkit.approvals.rules import Rule, names_of, names_tool
from toolkit.codes import UNMATCHED_POLICY_RULE
from toolkit.problems import Problem, did_you_mean


class KnownTool(NamedTuple):
    """A tool to which rules can apply.

    Attributes:
        risk: The tool and its marks.
        parameters: The names of its parameters.
    """

    risk: Risk
    parameters: Collection[str]


def unmatched_rules(rules: Sequence[Rule], known: Sequence[KnownTool]) -> list[Problem]:
    """Return a problem for each tool name and each argument name in a project's rules that does not exist."""
    return [problem for rule in rules if rule.owner == "project" for problem in _problems_of(rule, known)]


def _problems_of(rule: Rule, known: Sequence[KnownTool]) -> Iterator[Problem]:
    names = [name for tool in known for name in names_of(tool.risk)]
    for pattern in rule.choice.tools:
        if not any(names_tool(pattern, tool.risk) for tool in known):
            message = f"this {rule.action} rule names '{pattern}', but the project has no tool of that name"
            hint = did_you_mean(pattern, names, otherwise=f"the tools are {', '.join(names)}" if names else None)
            yield Problem(UNMATCHED_POLICY_RULE, message, rule.place, hint=hint)
    meant = [tool for tool in known if rule.choice.fit(tool.risk, rule.folder) != "no"]
    parameters = sorted({name for tool in meant for name in tool.parameters})
    for name in rule.where if meant else ():
        if name not in parameters and name.partition(".")[0] not in parameters:
            message = f"this {rule.action} rule names the argument '{name}', which none of its tools has"
            hint = did_you_mean(name, parameters, otherwise=f"their arguments are {', '.join(parameters) or 'none'}")
            yield Problem(UNMATCHED_POLICY_RULE, message, rule.place, hint=hint)
