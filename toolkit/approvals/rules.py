"""Rules: a policy file's verdicts on some calls, and whether a call matches one."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from toolkit.approvals.fits import Fit, all_fit, any_fits, fit_of
from toolkit.approvals.flows import After, fit_of_readings
from toolkit.approvals.matchers import Matcher
from toolkit.approvals.policies import DescribedCall, Ground
from toolkit.approvals.risks import Chooser, Flow, Risk
from toolkit.documents.tables import Owner
from toolkit.problems import Location

Action = Literal["deny", "ask", "allow"]
Default = Literal["by_risk", "ask", "deny", "allow"]
Mark = Literal["destructive", "requires_approval", "open_world", "read_only", "unmarked"]
GroupFit = Callable[[Risk], Fit]
"""Returns whether a tool belongs to a group of the configuration."""

_REMOTE = "mcp://"
_FILES = (".py", ".yaml", ".yml", ".toml")


class Choice(NamedTuple):
    """Which tools a rule is about; an empty field matches all.

    Attributes:
        tools: Patterns of names.
        sources: Patterns of where they come from.
        groups: Groups of the configuration, by name.
        marks: Marks, of which a tool has at least one.
        frameworks: Frameworks that they were written for.
        flows: What a tool does with data, at least one of these.
    """

    tools: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    groups: Mapping[str, GroupFit] = {}
    marks: frozenset[Mark] = frozenset()
    frameworks: tuple[str, ...] = ()
    flows: frozenset[Flow] = frozenset()

    def fit(self, risk: Risk, folder: str, *, allows: bool = False) -> Fit:
        """Return whether a tool is one of those.

        Args:
            risk: The tool.
            folder: What relative paths among the sources start from.
            allows: Whether it is to be allowed: then only those names and sources count that no project can give it.
        """
        names = (risk.allowed_as if allows else ()) or names_of(risk)
        known = (risk.source, risk.brought_by) if allows else (risk.source, risk.brought_by, risk.origin)
        sources = [one for one in known if one is not None]
        return all_fit(
            [
                fit_of(not self.tools or any(fnmatchcase(name, one) for one in self.tools for name in names)),
                fit_of(not self.sources or any(_is_from(one, of, folder) for one in self.sources for of in sources)),
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
        action: What happens to the calls that it is about.
        choice: Which tools it is about.
        place: Where it is written.
        chosen_by: Who has chosen the calls; None for anybody.
        after: What the run has read before them, one of these; empty for whatever it has read.
        where: What their arguments are, by name; a dot leads to a member.
        because: Why, in its author's words.
        expires: The last day on which it holds.
        ci: Whether it holds only in CI, or only elsewhere; None for everywhere.
        owner: Whose file it stands in.
        folder: What its relative paths start from.
        written: The rule as it is written.
        digest: The digest of the definition that it is about; None for any.
        is_for_all_projects: Whether it holds in every folder: then relative paths do not identify a tool's source.
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
        """The reason that is shown where it decides."""
        return Ground(f"{self.action} rule", self.place, self.because)

    @property
    def holds_now(self) -> bool:
        """Whether it has not expired, and is for where this runs."""
        if self.expires is not None and date.today() > self.expires:  # noqa: DTZ011 - the day where the rule is used
            return False
        return self.ci is None or self.ci == is_ci()

    def fit(self, call: DescribedCall) -> Fit:
        """Return whether a call is one of those that the rule is about."""
        return self._fit(call, allows=self.action == "allow")

    def excepts(self, call: DescribedCall) -> Fit:
        """Return whether the rule may loosen what holds for a call: it is about the tool that its author knows."""
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
        """Return whether a rule may loosen what holds for a tool: of one that a project brings it states the file."""
        if risk.brought_by is None:
            return True
        folder = None if self.is_for_all_projects else self.folder
        if folder is None and not risk.brought_by.startswith(os.sep):  # any project may have a module of that name
            return "*" in self.choice.sources
        return any(_is_from(pattern, risk.brought_by, folder) for pattern in self.choice.sources)

    def fit_of_arguments(self, call: DescribedCall) -> Fit:
        """Return whether the arguments of a call match the rule."""
        return all_fit(_fit_of_argument(name, matcher, call) for name, matcher in self.where.items())

    def applies(self, fit: Fit) -> bool:
        """Return whether the rule decides; in doubt, only a rule that does not allow does."""
        return fit == "yes" or (fit == "doubt" and self.action != "allow")


def is_ci() -> bool:
    """Return whether this runs in CI, according to its variable."""
    return os.environ.get("CI", "").strip().lower() not in {"", "0", "false", "no"}


def marks_of(risk: Risk) -> set[Mark]:
    """Return the marks of a tool that a rule can name."""
    marks: dict[Mark, bool | None] = {
        "destructive": risk.destructive,
        "requires_approval": risk.requires_approval,
        "open_world": risk.open_world,
        "read_only": risk.read_only,
        "unmarked": risk.read_only is None and risk.destructive is None,
    }
    return {mark for mark, is_so in marks.items() if is_so}


def names_tool(pattern: str, risk: Risk) -> bool:
    """Return whether a pattern is for a tool: for its name, or for `server.tool`."""
    return any(fnmatchcase(name, pattern) for name in names_of(risk))


def names_of(risk: Risk) -> list[str]:
    """Return what a rule may call a tool: its name, others that it goes by, and the address of one of a server."""
    source, names = risk.source or "", [risk.tool, *risk.names]
    if source.startswith(_REMOTE):
        server = source.removeprefix(_REMOTE).partition("/")[0]
        names.append(f"{server}.{names[-1].removeprefix(f'{server}.').removeprefix(f'{server}_')}")
    return list(dict.fromkeys(names))


def _is_from(pattern: str, source: str, folder: str | None) -> bool:
    """Return whether a source fits a pattern; one that is a path beneath a folder may be written relative to it."""
    beneath = None if folder is None else os.path.join(folder, "")  # noqa: PTH118 - the separator at its end is wanted
    texts = (source,) if beneath is None else (source, source.removeprefix(beneath))
    wanted = os.path.expanduser(pattern)  # noqa: PTH111 - text
    if wanted.startswith(os.sep) and source.endswith(_FILES):  # one that is named from the working directory
        texts = (*texts, os.path.realpath(source))
    return any(fnmatchcase(text, wanted) for text in texts)


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
