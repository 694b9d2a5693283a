"""Rules of policy files: whether they match a call, and which cannot work; and the data flows of tools."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from toolkit.approvals.matchers import Matcher
from toolkit.approvals.policies import (
    After,
    Chooser,
    DescribedCall,
    Fit,
    Flow,
    Ground,
    Risk,
    all_fit,
    any_fits,
    each_fits,
    fit_of,
    fit_of_readings,
    server_of,
)
from toolkit.approvals.text_fits import folded
from toolkit.approvals.value_fits import is_from, leads_to
from toolkit.codes import UNMATCHED_POLICY_RULE
from toolkit.documents.keys import Owner
from toolkit.problems import Location, Problem, did_you_mean

Action = Literal["deny", "ask", "allow"]
Default = Literal["by_risk", "ask", "deny", "allow"]
Mark = Literal["destructive", "requires_approval", "open_world", "read_only", "unmarked"]
GroupFit = Callable[[Risk], Fit]
"""Returns whether a tool belongs to a group of the configuration."""


class Choice(NamedTuple):
    """Selects the tools of a rule; an empty field matches all tools.

    Attributes:
        tools: Patterns for the tools' names.
        sources: Patterns for the tools' sources.
        groups: Groups of the configuration, by name.
        marks: Marks, of which a tool must have at least one.
        frameworks: The frameworks of the tools.
        flows: Data flows, of which a tool must have at least one.
    """

    tools: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    groups: Mapping[str, GroupFit] = {}
    marks: frozenset[Mark] = frozenset()
    frameworks: tuple[str, ...] = ()
    flows: frozenset[Flow] = frozenset()

    def fit(self, risk: Risk, folder: str, *, allows: bool = False) -> Fit:
        """Return whether a tool is selected.

        Args:
            risk: The tool and its marks.
            folder: The folder that relative paths among the sources start from.
            allows: Whether the rule allows calls; then only names and sources count that a project cannot set.
        """
        names = (risk.allowed_as or names_of(risk)) if allows else _all_names_of(risk)
        return all_fit(
            [
                fit_of(not self.tools or any(fnmatchcase(name, one) for one in self.tools for name in names)),
                fit_of(not self.sources or any(_comes_from(one, risk, folder, allows=allows) for one in self.sources)),
                fit_of(not self.frameworks or risk.framework in self.frameworks),
                any_fits(fit(risk) for fit in self.groups.values()) if self.groups else "yes",
                fit_of(not self.marks or not self.marks.isdisjoint(marks_of(risk))),
                fit_of(not self.flows or not self.flows.isdisjoint(risk.flow)),
            ]
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a policy file.

    Attributes:
        action: What happens to the calls that the rule matches.
        choice: The tools that the rule applies to.
        place: The location of the rule in its file.
        chosen_by: Who chose the calls; `None` for either.
        after: What the run has read before, at least one of these; empty if it does not matter.
        where: Conditions on arguments, by name; a dot leads to a member.
        because: The reason that the rule gives.
        expires: The last day on which the rule applies.
        ci: Whether the rule applies only in CI (`True`), only elsewhere (`False`), or everywhere (`None`).
        owner: Whether the rule's file belongs to the user or to a project.
        folder: The folder that relative paths in the rule start from.
        written: The rule as it is written.
        digest: The digest of the tool's definition; `None` for any.
        is_for_all_projects: Whether the rule applies in every project; then relative paths do not identify a tool's
            source.
    """

    action: Action
    choice: Choice
    place: Location
    chosen_by: Chooser | None = None
    after: frozenset[After] = frozenset()
    where: Mapping[str, Matcher] = field(default_factory=dict)
    because: str = ""
    expires: date | None = None
    ci: bool | None = None
    owner: Owner = "project"
    folder: str = ""
    written: Mapping[str, Any] = field(default_factory=dict)
    digest: str | None = None
    is_for_all_projects: bool = False

    @property
    def ground(self) -> Ground:
        """The reason to show when the rule decides."""
        return Ground(f"{self.action} rule", self.place, self.because)

    @property
    def holds_now(self) -> bool:
        """Whether the rule has not expired, and applies in the current environment (in CI or elsewhere)."""
        if self.expires is not None and date.today() > self.expires:  # noqa: DTZ011 - the local day counts
            return False
        return self.ci is None or self.ci == is_ci()

    def fit(self, call: DescribedCall) -> Fit:
        """Return whether the rule matches a call."""
        return self._fit(call, allows=self.action == "allow")

    def excepts(self, call: DescribedCall) -> Fit:
        """Return whether the rule matches a call and may make its verdict less strict; see `reaches`."""
        return self._fit(call, allows=True) if self.reaches(call.risk) else "no"

    def _fit(self, call: DescribedCall, *, allows: bool) -> Fit:
        if not self.holds_now or self.chosen_by not in {None, call.chosen_by}:
            return "no"
        if self.digest is not None and call.risk.digest != self.digest:
            return "no"
        tool = self.choice.fit(call.risk, self.folder, allows=allows)
        readings = fit_of_readings(self.after, call.earlier, call.coming)
        return all_fit([tool, readings, self.fit_of_arguments(call)])

    def reaches(self, risk: Risk) -> bool:
        """Return whether the rule may make verdicts on a tool less strict.

        For a tool that a project provides, the rule has to name the project's file as the source.
        """
        if risk.brought_by is None:
            return True
        folder = None if self.is_for_all_projects else self.folder
        if folder is None and not risk.brought_by.startswith(os.sep):  # any project can have a module with this name
            return "*" in self.choice.sources
        return any(is_from(pattern, risk.brought_by, folder) for pattern in self.choice.sources)

    def fit_of_arguments(self, call: DescribedCall) -> Fit:
        """Return whether the arguments of a call match the rule."""
        return all_fit(_fit_of_argument(name, matcher, call) for name, matcher in self.where.items())

    def applies(self, fit: Fit) -> bool:
        """Return whether a rule with this fit decides; in doubt, allow rules do not, and all others do."""
        return fit == "yes" or (fit == "doubt" and self.action != "allow")


def is_ci() -> bool:
    """Return whether this process runs in CI, according to the environment variable `CI`."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no"}


def marks_of(risk: Risk) -> set[Mark]:
    """Return those marks of a tool that rules can use."""
    marks: dict[Mark, bool | None] = {
        "destructive": risk.destructive,
        "requires_approval": risk.requires_approval,
        "open_world": risk.open_world,
        "read_only": risk.read_only,
        "unmarked": risk.read_only is None and risk.destructive is None,
    }
    return {mark for mark, is_so in marks.items() if is_so}


def names_tool(pattern: str, risk: Risk) -> bool:
    """Return whether a pattern matches one of a tool's names, including `server.tool`."""
    return any(fnmatchcase(name, pattern) for name in _all_names_of(risk))


def _all_names_of(risk: Risk) -> list[str]:
    return [*names_of(risk), *risk.dotted_names]


def names_of(risk: Risk) -> list[str]:
    """Return the names that a rule can use for a tool: its names, and `server.tool` for a tool of a server."""
    names = [risk.tool, *risk.names]
    if (server := server_of(risk.source)) is not None:
        names.append(f"{server}.{names[-1].removeprefix(f'{server}.').removeprefix(f'{server}_')}")
    return list(dict.fromkeys(names))


def _comes_from(pattern: str, risk: Risk, folder: str, *, allows: bool) -> bool:
    """Return whether a pattern matches a tool's source; for rules that allow, only sources that no project chooses."""
    if allows:
        return any(is_from(pattern, one, folder) for one in (risk.source, risk.brought_by) if one is not None)
    sources = {risk.source, risk.brought_by, risk.origin, *risk.files} - {None}
    return any(one is not None and leads_to(pattern, one, folder) for one in sources)


def _fit_of_argument(name: str, matcher: Matcher, call: DescribedCall) -> Fit:
    found: Mapping[str, Any] = call.whole_arguments
    if call.is_later(name if name in found else name.partition(".")[0]):
        return "later"
    return each_fits(_fits_of_members(found, name.split("."), matcher, call.base))


def _fits_of_members(data: Any, keys: Sequence[str], matcher: Matcher, base: str | None) -> Iterator[Fit]:
    """Yield the fits of all members of data to which a name with dots leads, or `no` if there is none.

    The items of a list are seen as one member. In a text there could be members, if the tool reads them from it.
    """
    if not keys:
        yield matcher(data, base)
    elif isinstance(data, list | tuple):
        yield each_fits(each_fits(_fits_of_members(item, keys, matcher, base)) for item in data)
    elif isinstance(data, Mapping):
        for end in range(len(keys), 0, -1):
            wanted = ".".join(keys[:end])
            for key, member in data.items():
                if key == wanted:
                    yield from _fits_of_members(member, keys[end:], matcher, base)
                elif isinstance(key, str) and folded(key) == folded(wanted):  # it may be the same, as a header is
                    found = each_fits(_fits_of_members(member, keys[end:], matcher, base))
                    yield "doubt" if found == "yes" else found
    elif isinstance(data, str) and data:
        yield "doubt"


class DeclaredFlow(NamedTuple):
    """The data flow that a policy file declares for some tools.

    Attributes:
        choice: The tools of the declaration.
        flow: What these tools do with data.
        owner: Whether the policy file belongs to the user or to a project.
        folder: The folder that relative paths among the sources start from.
    """

    choice: Choice
    flow: frozenset[Flow]
    owner: Owner
    folder: str

    def is_about(self, risk: Risk) -> bool:
        """Return whether the declaration applies to a tool."""
        return self.choice.fit(risk, self.folder) == "yes"

    def replaces(self, risk: Risk) -> bool:
        """Return whether this replaces the tool's own declaration, rather than adding to it.

        For that, the user must have declared it. Names and sources that a project gave the tool do not count.
        """
        is_reached = risk.brought_by is None or bool(self.choice.sources)
        return self.owner == "user" and is_reached and self.choice.fit(risk, self.folder, allows=True) == "yes"


def with_declared_flows(call: DescribedCall, declared: Sequence[DeclaredFlow]) -> DescribedCall:
    """Return the call with the declared flows for its tool and for the tools called before it."""
    if not declared:
        return call

    def all_of(tools: Iterable[Risk]) -> tuple[Risk, ...]:
        return tuple(_with_flow(tool, declared) for tool in tools)

    return call._replace(risk=_with_flow(call.risk, declared), earlier=all_of(call.earlier), coming=all_of(call.coming))


def _with_flow(risk: Risk, declared: Sequence[DeclaredFlow]) -> Risk:
    """Return a tool with the first flow that the user declares for it, and the flows that other entries add."""
    about = [one for one in declared if one.is_about(risk)]
    own = next((one.flow for one in about if one.replaces(risk)), risk.flow)
    return replace(risk, flow=own.union(*(one.flow for one in about if not one.replaces(risk))))


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
