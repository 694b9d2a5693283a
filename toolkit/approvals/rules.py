"""Rules: what a policy file says of some calls, and whether a call is one of them."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from toolkit.approvals.fits import Fit, all_fit, any_fits, fit_of
from toolkit.approvals.matchers import Matcher
from toolkit.approvals.policies import DescribedCall, Ground
from toolkit.approvals.risks import Chooser, Risk
from toolkit.documents.tables import Owner
from toolkit.problems import Location

Action = Literal["deny", "ask", "allow"]
Default = Literal["by_risk", "ask", "deny", "allow"]
Mark = Literal["destructive", "requires_approval", "open_world", "read_only", "unmarked"]
GroupFit = Callable[[Risk], Fit]
"""Says whether a tool belongs to a group of the configuration."""

_REMOTE = "mcp://"


class Choice(NamedTuple):
    """Which tools a rule is about; what is empty leaves out none.

    Attributes:
        tools: Patterns of names.
        sources: Patterns of where they come from.
        groups: Groups of the configuration, by name.
        marks: Marks, of which a tool has at least one.
    """

    tools: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    groups: Mapping[str, GroupFit] = {}
    marks: frozenset[Mark] = frozenset()

    def fit(self, risk: Risk, folder: str) -> Fit:
        """Return whether a tool is one of those; relative paths among the sources start from a folder."""
        return all_fit(
            [
                fit_of(not self.tools or any(names_tool(pattern, risk) for pattern in self.tools)),
                fit_of(not self.sources or any(_is_from(pattern, risk.source, folder) for pattern in self.sources)),
                any_fits(fit(risk) for fit in self.groups.values()) if self.groups else "yes",
                fit_of(not self.marks or not self.marks.isdisjoint(marks_of(risk))),
            ]
        )


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a policy file.

    Attributes:
        action: What happens to the calls that it is about.
        choice: Which tools it is about.
        place: Where it is written.
        chosen_by: Who has chosen the calls; None for whoever it was.
        where: What their arguments are, by name; a dot leads to a member.
        because: Why, in its author's words.
        expires: The last day on which it holds.
        ci: Whether it holds only in CI, or only elsewhere; None for everywhere.
        owner: Whose file it stands in.
        folder: What its relative paths start from.
        written: The rule as it is written.
    """

    action: Action
    choice: Choice
    place: Location
    chosen_by: Chooser | None = None
    where: Mapping[str, Matcher] = field(default_factory=dict)
    because: str = ""
    expires: date | None = None
    ci: bool | None = None
    owner: Owner = "project"
    folder: str = ""
    written: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ground(self) -> Ground:
        """What is said of it where it decides."""
        return Ground(f"{self.action} rule", self.place, self.because)

    @property
    def holds_now(self) -> bool:
        """Whether it has not expired, and is for where this runs."""
        if self.expires is not None and date.today() > self.expires:  # noqa: DTZ011 - the day of whoever wrote it
            return False
        return self.ci is None or self.ci == is_ci()

    def fit(self, call: DescribedCall) -> Fit:
        """Return whether a call is one of those that the rule is about."""
        if not self.holds_now or self.chosen_by not in {None, call.chosen_by}:
            return "no"
        return all_fit([self.choice.fit(call.risk, self.folder), self.fit_of_arguments(call)])

    def fit_of_arguments(self, call: DescribedCall) -> Fit:
        """Return whether the arguments of a call are what the rule says."""
        return all_fit(_fit_of_argument(name, matcher, call) for name, matcher in self.where.items())

    def applies(self, fit: Fit) -> bool:
        """Return whether the rule decides; where nobody can tell, only one that does not allow does."""
        return fit == "yes" or (fit == "doubt" and self.action != "allow")


def is_ci() -> bool:
    """Return whether this runs in CI, as its variable says."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no"}


def marks_of(risk: Risk) -> set[Mark]:
    """Return the marks of a tool that a rule can name."""
    said: dict[Mark, bool | None] = {
        "destructive": risk.destructive,
        "requires_approval": risk.requires_approval,
        "open_world": risk.open_world,
        "read_only": risk.read_only,
        "unmarked": risk.read_only is None and risk.destructive is None,
    }
    return {mark for mark, is_so in said.items() if is_so}


def names_tool(pattern: str, risk: Risk) -> bool:
    """Return whether a pattern is for a tool: for its name, or for `server.tool`."""
    return any(fnmatchcase(name, pattern) for name in names_of(risk))


def names_of(risk: Risk) -> list[str]:
    """Return what a rule may call a tool: its name, and the address of one of a server."""
    source = risk.source or ""
    if not source.startswith(_REMOTE):
        return [risk.tool]
    server = source.removeprefix(_REMOTE).partition("/")[0]
    return [risk.tool, f"{server}.{risk.tool.removeprefix(f'{server}_')}"]


def _is_from(pattern: str, source: str | None, folder: str) -> bool:
    if source is None:
        return False
    beneath = os.path.join(folder, "")  # noqa: PTH118 - the separator at its end is wanted
    return any(fnmatchcase(text, pattern) for text in (source, source.removeprefix(beneath)))


def _fit_of_argument(name: str, matcher: Matcher, call: DescribedCall) -> Fit:
    found: Any = call.whole_arguments
    keys = [name] if name in found else name.split(".")
    if call.is_later(keys[0]):
        return "later"
    for key in keys:
        if not isinstance(found, Mapping) or key not in found:
            return "no"
        found = found[key]
    return matcher(found, call.base)
