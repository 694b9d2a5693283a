"""Allowances approve calls in advance, on the command line, by patterns for their names and arguments."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from toolkit.approvals.policies import ByRisk, DescribedCall, Policy, Verdict, possible_verdicts
from toolkit.approvals.text_fits import fits_glob
from toolkit.json_texts import json_text, text_of
from toolkit.redactors.redactor import MASK
from toolkit.schemas.validation import same_data


class Exactly(NamedTuple):
    """Matches one value of an argument, compared as JSON."""

    value: Any

    def fits(self, value: Any, base: str | None) -> bool:
        """Return whether a value is this one; a value that is hidden never is."""
        return same_data(value, self.value) and MASK not in json_text(value, default=str)


class Glob(str):
    """A shell pattern for the text of an argument."""

    __slots__ = ()

    def fits(self, value: Any, base: str | None) -> bool:
        """Return whether the pattern matches a value, given the folder that relative paths start from."""
        return fits_glob(text_of(value), self, base) == "yes"


@dataclass(frozen=True, slots=True)
class Allowance:
    """Advance approval of some calls, by a pattern for the tool's name and patterns for arguments.

    The arguments include defaults. `argument:=JSON` matches exactly this value, and `argument=glob` the text of a
    value; of a value that is not a string, that is its JSON. Patterns are case-sensitive shell globs that match the
    whole text. All spellings that programs take for the same path or URL must match too (see `fits_glob`), so that
    `out/*` stays in `out`.
    """

    tool: str
    arguments: tuple[tuple[str, Glob | Exactly], ...]
    written: str

    @classmethod
    def parse(cls, text: str) -> "Allowance":
        """Parse `tool` or `tool(argument=glob, other:=JSON)`.

        Raises:
            ValueError: If the text has neither form.
        """
        match = re.fullmatch(r"\s*([\w.*?\[\]!-]+)\s*(?:\((.*)\))?\s*", text, re.DOTALL)
        if match is None or (match[2] is not None and not match[2].strip()):
            raise ValueError(f"{text!r} is not a rule: write 'tool' or 'tool(argument=glob)'")
        return cls(match[1], tuple(_read_arguments(match[2] or "")), text)

    def covers(self, call: DescribedCall) -> bool:
        """Return whether the rule covers the call; with unknown arguments, only a rule without arguments can."""
        if not fnmatchcase(call.risk.tool, self.tool):
            return False
        if not self.arguments:
            return True
        given = call.whole_arguments
        return call.arguments is not None and all(
            name in given and one.fits(given[name], call.base) for name, one in self.arguments
        )

    def names(self, tool: str) -> bool:
        """Return whether the rule applies to a tool with this name."""
        return fnmatchcase(tool, self.tool)

    def names_all(self, call: DescribedCall) -> bool:
        """Return whether the rule names every argument of a call."""
        return call.arguments is not None and call.arguments.keys() <= {name for name, _ in self.arguments}

    def may_cover(self, call: DescribedCall) -> bool:
        """Return whether the rule could cover a call once all its arguments are known."""
        known = call.whole_arguments
        return self.names(call.risk.tool) and all(
            call.is_later(name) or (name in known and one.fits(known[name], call.base)) for name, one in self.arguments
        )


def _read_arguments(text: str) -> Iterator[tuple[str, Glob | Exactly]]:
    """Yield the names and the patterns of arguments.

    Raises:
        ValueError: If a part is neither `argument=glob` nor `argument:=JSON`.
    """
    position = 0
    while position < len(text):
        if exact := _EXACT.match(text, position):
            value, position = _read_json(text, exact.end())
            yield exact[1], Exactly(value)
            continue
        end = following.start() if (following := _NEXT.search(text, position)) else len(text)
        part, position = text[position:end], end + 1
        if not part.strip():
            continue
        name, equals, glob = part.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ValueError(f"{part.strip()!r} is not an argument rule: write 'argument=glob'")
        yield name.strip(), Glob(glob.strip())


def _read_json(text: str, start: int) -> tuple[Any, int]:
    """Return a value in JSON, and the position after the comma that follows it."""
    try:
        value, end = _JSON.raw_decode(text, start)
    except (ValueError, RecursionError):
        value, end = None, start
    following = _NEXT_OR_END.match(text, end)
    if end == start or following is None:
        raise ValueError(f"{text[start:].strip()!r} is not one JSON value: write 'argument:=JSON'")
    return value, following.end()


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_EXACT = re.compile(r"\s*([^\W\d]\w*)\s*:=\s*")
_NEXT = re.compile(r",(?=\s*\w+\s*:?=)")
_NEXT_OR_END = re.compile(r"\s*(?:,(?=\s*\w+\s*:?=)|\Z)")
_JSON = json.JSONDecoder(parse_constant=_refuse_constant)


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

    def outlook(self, call: DescribedCall) -> tuple[Verdict, ...]:
        """Return the possible verdicts of the other policy; a rule never allows what that denies."""
        return possible_verdicts(self._otherwise, call)

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
