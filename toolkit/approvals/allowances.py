"""Allowances: approval given in advance on the command line, for calls whose name and arguments fit a pattern."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolkit.approvals.policies import ByRisk, DescribedCall, Policy, Verdict
from toolkit.approvals.text_globs import as_text, fits_glob


@dataclass(frozen=True, slots=True)
class Allowance:
    """Approval given in advance for some calls: a pattern for the tool's name and one for each argument named.

    Patterns are shell globs and match the whole text, case and all; an argument that is not text is matched as JSON.
    A text that climbs with `..`, percent-encoded or not, is covered only by a pattern that climbs as often, or by `*`
    alone: `out/*` stays in `out`. In a URL what is before the path is matched for itself too: no `*` reaches past it.
    """

    tool: str
    arguments: tuple[tuple[str, str], ...]
    written: str

    @classmethod
    def parse(cls, text: str) -> "Allowance":
        """Read `tool`, or `tool(argument=glob, other=glob)`.

        Raises:
            ValueError: If the text is neither.
        """
        match = re.fullmatch(r"\s*([\w.*?\[\]!-]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
        if match is None or (match[2] is not None and not match[2].strip()):
            raise ValueError(f"{text!r} is not a rule: write 'tool' or 'tool(argument=glob)'")
        pairs = []
        for part in _split_arguments(match[2] or ""):
            name, equals, glob = part.partition("=")
            if not equals or not name.strip().isidentifier():
                raise ValueError(f"{part.strip()!r} is not an argument rule: write 'argument=glob'")
            pairs.append((name.strip(), glob.strip()))
        return cls(match[1], tuple(pairs), text)

    def covers(self, call: DescribedCall) -> bool:
        """Return whether the rule covers the call; with unknown arguments, only a rule without arguments can."""
        if not fnmatchcase(call.risk.tool, self.tool):
            return False
        if not self.arguments:
            return True
        given = call.arguments
        return given is not None and all(
            name in given and fits_glob(as_text(given[name]), glob) for name, glob in self.arguments
        )

    def names(self, tool: str) -> bool:
        """Return whether the rule is about a tool of this name."""
        return fnmatchcase(tool, self.tool)

    def names_all(self, call: DescribedCall) -> bool:
        """Return whether the rule names every argument of a call."""
        return call.arguments is not None and call.arguments.keys() <= {name for name, _ in self.arguments}

    def may_cover(self, call: DescribedCall) -> bool:
        """Return whether a call may turn out to be covered once all of its arguments are known."""
        known = call.arguments or {}
        return self.names(call.risk.tool) and all(
            fits_glob(as_text(known[name]), glob) if name in known else call.is_later(name)
            for name, glob in self.arguments
        )


def _split_arguments(text: str) -> list[str]:
    return [part for part in re.split(r",(?=\s*\w+\s*=)", text) if part.strip()]


class Allowances:
    """Allows the calls that one of its rules covers, and leaves the others to another policy."""

    def __init__(self, rules: Sequence[Allowance], otherwise: Policy | None = None) -> None:
        """Keep the rules, and the policy for what they do not cover (`ByRisk` unless one is given)."""
        self._rules = tuple(rules)
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = bool(rules) or self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow a call that would be asked about, if a rule covers it; never what is denied."""
        verdict = self._otherwise.judge(call)
        if verdict.action != "ask":
            return verdict
        for rule in self._rules:
            if rule.covers(call) and (not verdict.exact or rule.names_all(call)):
                return Verdict("allow", f"--approve {rule.written!r}")
        may_cover = any(rule.may_cover(call) for rule in self._rules)
        return verdict._replace(may_be_allowed=True) if may_cover else verdict
