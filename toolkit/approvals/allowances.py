"""Allowances approve calls in advance, on the command line, by patterns for their names and arguments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from toolkit.approvals.policies import ByRisk, DescribedCall, Policy, Verdict
from toolkit.approvals.text_fits import fits_glob
from toolkit.json_texts import text_of


@dataclass(frozen=True, slots=True)
class Allowance:
    """Advance approval of some calls, by a pattern for the tool's name and patterns for arguments.

    Patterns are case-sensitive shell globs that match the whole text. An argument that is not a string is matched as
    JSON. All spellings that programs take for the same path or URL must match too (see `fits_glob`), so that `out/*`
    stays in `out`.
    """

    tool: str
    arguments: tuple[tuple[str, str], ...]
    written: str

    @classmethod
    def parse(cls, text: str) -> "Allowance":
        """Parse `tool` or `tool(argument=glob, other=glob)`.

        Raises:
            ValueError: If the text has neither form.
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
            name in given and fits_glob(text_of(given[name]), glob, call.base) == "yes" for name, glob in self.arguments
        )

    def names(self, tool: str) -> bool:
        """Return whether the rule applies to a tool with this name."""
        return fnmatchcase(tool, self.tool)

    def names_all(self, call: DescribedCall) -> bool:
        """Return whether the rule names every argument of a call."""
        return call.arguments is not None and call.arguments.keys() <= {name for name, _ in self.arguments}

    def may_cover(self, call: DescribedCall) -> bool:
        """Return whether the rule could cover a call once all its arguments are known."""
        known = call.arguments or {}
        return self.names(call.risk.tool) and all(
            fits_glob(text_of(known[name]), glob, call.base) == "yes" if name in known else call.is_later(name)
            for name, glob in self.arguments
        )


def _split_arguments(text: str) -> list[str]:
    return [part for part in re.split(r",(?=\s*\w+\s*=)", text) if part.strip()]


class Allowances:
    """Allows the calls that one of its rules covers, and lets another policy judge all others."""

    def __init__(self, rules: Sequence[Allowance], otherwise: Policy | None = None) -> None:
        """Create the policy.

        Args:
            rules: The advance approvals.
            otherwise: Judges the calls that no rule covers; by default, `ByRisk`.
        """
        self._rules = tuple(rules)
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = bool(rules) or self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow a call that would need approval if a rule covers it; a denied call stays denied."""
        verdict = self._otherwise.judge(call)
        if verdict.action != "ask":
            return verdict
        for rule in self._rules:
            if rule.covers(call) and (not verdict.exact or rule.names_all(call)):
                return Verdict("allow", f"--approve {rule.written!r}")
        may_cover = any(rule.may_cover(call) for rule in self._rules)
        return verdict._replace(may_be_allowed=True) if may_cover else verdict
