"""Policies: who must be asked before a call runs, judged by its risk and by who chose it."""

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from toolkit.approvals.flows import has_read_both, readings_in_words
from toolkit.approvals.risks import Chooser, Risk
from toolkit.problems import Location


class DescribedCall(NamedTuple):
    """A call as a policy sees it.

    Attributes:
        risk: The tool and its marks.
        chosen_by: Who chose the call.
        demanded_by: Who demands a question whatever the marks say, such as `step 'publish'`.
        arguments: The arguments as plain data, or `None` where they are not known yet.
        defaults: The values of the arguments that the call omits, as far as they are known.
        unknown: The names of the arguments that are computed later, or `None` if any may be.
        base: The folder that the tool takes relative paths from; `None` for the working directory.
        earlier: The tools that the run has called before.
        coming: The tools that it may call before as well.
        kind: Whether a tool would be called, or a setting of a project would take effect; no rule is for a setting.
    """

    risk: Risk
    chosen_by: Chooser = "person"
    demanded_by: str | None = None
    arguments: Mapping[str, Any] | None = None
    defaults: Mapping[str, Any] = {}
    unknown: Collection[str] | None = ()
    base: str | None = None
    earlier: Collection[Risk] = ()
    coming: Collection[Risk] = ()
    kind: Literal["call", "setting"] = "call"

    def is_later(self, name: str) -> bool:
        """Return whether the value of an argument is not known yet."""
        if self.arguments is None:
            return True
        return name not in self.arguments and (self.unknown is None or name in self.unknown)

    @property
    def whole_arguments(self) -> Mapping[str, Any]:
        """What the tool would work with, as far as it is known."""
        return {**self.defaults, **(self.arguments or {})}


class Ground(NamedTuple):
    """The rule or the default of a policy file that decided.

    Attributes:
        what: What it is: `deny rule`, or `default`.
        place: Where it is written.
        reason: Why it is there, in its author's words.
    """

    what: str
    place: Location
    reason: str = ""

    def __str__(self) -> str:
        """Return it in one line: `deny rule, toolkit.policy.yaml:7: Writes stay inside the project.`."""
        where = ":".join(str(part) for part in self.place[:2] if part is not None)
        return f"{self.what}, {where}" + (f": {self.reason}" if self.reason else "")


class Verdict(NamedTuple):
    """A policy's verdict, and the mark, flag or rule behind it.

    Attributes:
        action: Whether the call may run, must be asked about, or must not run.
        because: The mark, flag or rule in words; empty if no reason needs to be shown.
        ground: The rule or default of a policy file that decided, if one did.
        may_be_allowed: Whether a rule may turn out to allow the call once all of its arguments are known.
        exact: Whether only approval of this very call counts, and none of the tool by its name.
    """

    action: Literal["allow", "ask", "deny"]
    because: str = ""
    ground: Ground | None = None
    may_be_allowed: bool = False
    exact: bool = False


class Policy(Protocol):
    """Judges calls. `needs_arguments` is whether it looks at the arguments; if not, they are not prepared for it."""

    needs_arguments: bool

    def judge(self, call: DescribedCall) -> Verdict:
        """Return whether the call may run, must be asked about, or must not run."""


_REMOTE = "mcp://"
"""What the source of a tool of a server begins with."""

NO_QUESTION = Verdict("allow")
"""The verdict on a call that nobody needs to be asked about; always this very object."""


class ByRisk:
    """Asks where the risk is: the default policy.

    What a person chose runs without a question unless the tool is destructive or requires approval, or the step
    demands one; what a model chose is asked about unless the tool is marked as read-only.
    """

    needs_arguments = False

    def judge(self, call: DescribedCall) -> Verdict:
        """Judge by the marks of the tool, the demand of the step and the chooser."""
        risk = call.risk
        is_persons = call.chosen_by == "person"
        if not is_persons and (question := flow_question(call)) is not None:
            return question
        if call.demanded_by is not None:
            return Verdict("ask", call.demanded_by)
        if risk.requires_approval:
            is_remote = risk.source is not None and risk.source.startswith(_REMOTE)
            return Verdict("ask", "its server is not trusted" if is_remote else "the tool requires approval")
        if risk.destructive:
            return Verdict("ask", "the tool is destructive")
        if not is_persons and not risk.read_only:
            return Verdict("ask", "a model chose it")
        return NO_QUESTION


def after_what_comes(call: DescribedCall) -> DescribedCall:
    """Return a call as it is once everything that may be called before it has been called."""
    return call._replace(earlier=(*call.earlier, *call.coming), coming=())


def flow_question(call: DescribedCall) -> Verdict | None:
    """Return the question for a model's call that could send out what the run has read; None for other calls."""
    if call.chosen_by == "person" or "sends" not in call.risk.flow or not has_read_both(call.earlier):
        return None
    return Verdict(
        "ask", f"the run has read {readings_in_words(call.earlier)}, which this call could send out", exact=True
    )


class AllowAll:
    """Answers every question with yes in advance, and never overrides a refusal."""

    def __init__(self, because: str, otherwise: Policy | None = None) -> None:
        """Keep who gave approval, such as `--yes`, and the policy whose questions it answers."""
        self._because = because
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow what the other policy would ask about, and name who approved it."""
        verdict = self._otherwise.judge(call)
        return Verdict("allow", self._because) if verdict.action == "ask" else verdict
