"""Finds rules that cannot work: those that an earlier rule hides, and those for names that a project does not have."""

from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from toolkit.approvals.policies import Risk
from toolkit.approvals.rules import Choice, Rule, names_of, names_tool
from toolkit.codes import UNMATCHED_POLICY_RULE
from toolkit.problems import Problem, did_you_mean


def covered_by(rule: Rule, earlier: Rule) -> bool:
    """Return whether an earlier rule certainly decides every call that a later rule matches."""
    if earlier.expires is not None or earlier.ci not in {None, rule.ci}:
        return False
    if earlier.chosen_by not in {None, rule.chosen_by}:
        return False
    if earlier.after and not (rule.after and rule.after <= earlier.after):
        return False
    if earlier.where and earlier.written.get("where") != rule.written.get("where"):
        return False
    if earlier.digest not in {None, rule.digest}:
        return False
    return _is_within(rule.choice, earlier.choice)


def _is_within(one: Choice, other: Choice) -> bool:
    return (
        _are_within(one.tools, other.tools)
        and (not other.sources or set(one.sources) == set(other.sources))
        and (not other.frameworks or (bool(one.frameworks) and set(one.frameworks) <= set(other.frameworks)))
        and (not other.groups or one.groups.keys() == other.groups.keys())
        and (not other.marks or (bool(one.marks) and one.marks <= other.marks))
        and (not other.flows or (bool(one.flows) and one.flows <= other.flows))
    )


def _are_within(names: tuple[str, ...], patterns: tuple[str, ...]) -> bool:
    """Return whether every name that `names` can match is certainly matched by one of `patterns`."""
    if not patterns or "*" in patterns:
        return True
    return bool(names) and all(
        any(name == pattern or (not _is_pattern(name) and fnmatchcase(name, pattern)) for pattern in patterns)
        for name in names
    )


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")


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
