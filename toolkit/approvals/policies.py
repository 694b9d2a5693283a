"""Policies: who must be asked before a call runs, judged by its risk and by who chose it."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple, Protocol

from toolkit.approvals.risks import Chooser, Risk
from toolkit.json_texts import json_text


class DescribedCall(NamedTuple):
    """A call as a policy sees it.

    Attributes:
        risk: The tool and its marks.
        chosen_by: Who chose the call.
        demanded_by: Who demands a question whatever the marks say, such as `step 'publish'`.
        arguments: The arguments as plain data, or `None` where they are not known yet.
    """

    risk: Risk
    chosen_by: Chooser = "person"
    demanded_by: str | None = None
    arguments: Mapping[str, Any] | None = None


class Verdict(NamedTuple):
    """What a policy says, and which mark, flag or rule made it say so."""

    action: Literal["allow", "ask", "deny"]
    because: str = ""


class Policy(Protocol):
    """Judges calls. `needs_arguments` says whether it looks at them; if not, they are not prepared for it."""

    needs_arguments: bool

    def judge(self, call: DescribedCall) -> Verdict:
        """Return whether the call may run, must be asked about, or must not run."""


_REMOTE = "mcp://"
"""What the source of a tool of a server begins with."""

NO_QUESTION = Verdict("allow")
"""The verdict on a call that nobody needs to be asked about; always this very object."""


class ByRisk:
    """Asks where the risk is: the policy that holds unless somebody says otherwise.

    What a person chose runs without a question unless the tool is destructive or requires approval, or the step
    demands one; what a model chose is asked about unless the tool is marked as read-only.
    """

    needs_arguments = False

    def judge(self, call: DescribedCall) -> Verdict:
        """Judge by the marks of the tool, the demand of the step and the chooser."""
        risk = call.risk
        if call.demanded_by is not None:
            return Verdict("ask", call.demanded_by)
        if risk.requires_approval:
            is_remote = risk.source is not None and risk.source.startswith(_REMOTE)
            return Verdict("ask", "its server is not trusted" if is_remote else "the tool requires approval")
        if risk.destructive:
            return Verdict("ask", "the tool is destructive")
        if call.chosen_by != "person" and not risk.read_only:
            return Verdict("ask", "a model chose it")
        return NO_QUESTION


class AllowAll:
    """Turns every question into a yes, given beforehand, and never a refusal into one."""

    def __init__(self, because: str, otherwise: Policy | None = None) -> None:
        """Keep who gave leave, such as `--yes`, and the policy whose questions it answers."""
        self._because = because
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow what the other policy would ask about, and say by whose leave."""
        verdict = self._otherwise.judge(call)
        return Verdict("allow", self._because) if verdict.action == "ask" else verdict


@dataclass(frozen=True, slots=True)
class Allowance:
    """Leave given beforehand for some calls: a pattern for the tool's name and one for each argument named.

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
            message = f"{text!r} is not a rule: write 'tool' or 'tool(argument=glob)'"
            raise ValueError(message)
        pairs = []
        for part in _split_arguments(match[2] or ""):
            name, equals, glob = part.partition("=")
            if not equals or not name.strip().isidentifier():
                message = f"{part.strip()!r} is not an argument rule: write 'argument=glob'"
                raise ValueError(message)
            pairs.append((name.strip(), glob.strip()))
        return cls(match[1], tuple(pairs), text)

    def covers(self, call: DescribedCall) -> bool:
        """Return whether the call is one of those; with unknown arguments only a rule without any can tell."""
        if not fnmatchcase(call.risk.tool, self.tool):
            return False
        if not self.arguments:
            return True
        given = call.arguments
        return given is not None and all(
            name in given and _matches(_as_text(given[name]), glob) for name, glob in self.arguments
        )

    def names(self, tool: str) -> bool:
        """Return whether the rule is about a tool of this name."""
        return fnmatchcase(tool, self.tool)

    def may_cover(self, call: DescribedCall, unknown: Collection[str] | None) -> bool:
        """Return whether a call may turn out to be covered once all of its arguments are known.

        Args:
            call: The call, with the arguments that are known already.
            unknown: The names of the arguments that are computed later; `None` if any may be.
        """
        known = call.arguments or {}
        return fnmatchcase(call.risk.tool, self.tool) and all(
            _matches(_as_text(known[name]), glob) if name in known else unknown is None or name in unknown
            for name, glob in self.arguments
        )


_MOST_ENCODINGS = 4
_CLIMB = re.compile(r"(?<![\w.])\.\.(?![\w.])")
_PLACE = re.compile(r"[^/?#\\]*://[^/?#\\]*")


def _split_arguments(text: str) -> list[str]:
    return [part for part in re.split(r",(?=\s*\w+\s*=)", text) if part.strip()]


def _matches(text: str, glob: str) -> bool:
    if glob == "*":
        return True
    return fnmatchcase(text, glob) and _climbs(text) <= _climbs(glob) and _is_at_the_place(text, glob)


def _climbs(text: str) -> float:
    """Return how often a text says `..` as a name of its own; what is encoded over and over counts as for ever."""
    if "%" in text:
        from urllib.parse import unquote  # noqa: PLC0415 - few arguments are encoded

        for _ in range(_MOST_ENCODINGS):
            text, before = unquote(text), text
            if text == before:
                break
        else:
            return math.inf
    return len(_CLIMB.findall(text))


def _is_at_the_place(text: str, glob: str) -> bool:
    """Return whether scheme and host of a URL match those of a pattern that has any."""
    scheme, is_url, rest = glob.partition("://")
    if not is_url:
        return True
    place = _PLACE.match(text)
    return place is not None and fnmatchcase(place[0], f"{scheme}://{rest.partition('/')[0]}")


def _as_text(value: object) -> str:
    if isinstance(value, str):
        return value

    return json_text(value, separators=(",", ":"))


class Allowances:
    """Allows the calls that one of its rules covers, and leaves the others to another policy."""

    def __init__(self, rules: Sequence[Allowance], otherwise: Policy | None = None) -> None:
        """Keep the rules, and the policy for what they do not cover (`ByRisk` unless one is given)."""
        self._rules = tuple(rules)
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = any(rule.arguments for rule in rules) or self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow a call that would be asked about, if a rule covers it; never what is denied."""
        verdict = self._otherwise.judge(call)
        if verdict.action == "ask":
            for rule in self._rules:
                if rule.covers(call):
                    return Verdict("allow", f"--approve {rule.written!r}")
        return verdict
