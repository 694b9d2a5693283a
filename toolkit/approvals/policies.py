"""Policies decide which calls need approval, by the risk of a call and by who chose it."""

from collections.abc import Collection, Mapping
from typing import Any, Literal, NamedTuple, Protocol

from toolkit.approvals.risks import Chooser, Risk, describe_readings, has_read_both, server_of
from toolkit.problems import Location


class DescribedCall(NamedTuple):
    """A call as a policy sees it.

    Attributes:
        risk: The tool and its marks.
        chosen_by: Who chose the call.
        demanded_by: What requires a question regardless of the marks, such as `step 'publish'`.
        arguments: The arguments as plain data, or `None` if they are not known yet.
        defaults: The values of the arguments that the call omits, as far as they are known.
        unknown: The names of the arguments that are computed later, or `None` if any could be.
        base: The folder that relative paths start from for the tool; `None` for the working directory.
        earlier: The tools that the run has called before.
        coming: The tools that the run could also call before.
        kind: Whether a tool would be called, or a setting of a project would take effect. Rules do not apply to
            settings.
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
        """The arguments with the default values of omitted ones, as far as they are known."""
        return {**self.defaults, **(self.arguments or {})}


class Ground(NamedTuple):
    """The rule or the default of a policy file that decided.

    Attributes:
        what: The kind, such as `deny rule` or `default`.
        place: The location in the policy file.
        reason: The reason that the rule gives.
    """

    what: str
    place: Location
    reason: str = ""

    def __str__(self) -> str:
        """Return one line, such as `deny rule, toolkit.policy.yaml:7: Writes stay inside the project.`."""
        where = ":".join(str(part) for part in self.place[:2] if part is not None)
        return f"{self.what}, {where}" + (f": {self.reason}" if self.reason else "")


class Verdict(NamedTuple):
    """A policy's verdict, with the mark, flag or rule that is the reason.

    Attributes:
        action: Whether the call may run, needs approval or is denied.
        because: The mark, flag or rule in words; empty if no reason needs to be shown.
        ground: The rule or default of a policy file that decided, if one did.
        may_be_allowed: Whether a rule could allow the call once all its arguments are known.
        exact: Whether only approval of exactly this call counts, rather than of the tool by its name.
    """

    action: Literal["allow", "ask", "deny"]
    because: str = ""
    ground: Ground | None = None
    may_be_allowed: bool = False
    exact: bool = False


class Policy(Protocol):
    """Judges calls.

    Attributes:
        needs_arguments: Whether verdicts can depend on the arguments. If not, calls can be judged without them.
    """

    needs_arguments: bool

    def judge(self, call: DescribedCall) -> Verdict:
        """Return whether the call may run, needs approval or is denied."""


NO_QUESTION = Verdict("allow")
"""The verdict on a call that needs no approval; compared by identity."""


class ByRisk:
    """The default policy, which requires approval of risky calls.

    A call that a person chose needs approval only if the tool is destructive or requires approval, or if the step
    requires it. A call that a model chose also needs approval unless the tool is marked as read-only, and if it could
    send out private data that the run has read. If the run has also read untrusted content, only approval of exactly
    this call counts.
    """

    needs_arguments = False

    def judge(self, call: DescribedCall) -> Verdict:
        """Judge by the tool's marks, what the step requires, and who chose the call."""
        risk = call.risk
        is_persons = call.chosen_by == "person"
        if not is_persons and (question := flow_question(call)) is not None:
            return question
        if call.demanded_by is not None:
            return Verdict("ask", call.demanded_by)
        if risk.requires_approval:
            is_remote = server_of(risk.source) is not None
            return Verdict("ask", "its server is not trusted" if is_remote else "the tool requires approval")
        if risk.destructive:
            return Verdict("ask", "the tool is destructive")
        if not is_persons and not risk.read_only:
            return Verdict("ask", "a model chose it")
        return leak_question(call) or NO_QUESTION


def after_coming_calls(call: DescribedCall) -> DescribedCall:
    """Return the call as it would be after all calls that could come before it."""
    return call._replace(earlier=(*call.earlier, *call.coming), coming=())


def flow_question(call: DescribedCall) -> Verdict | None:
    """Return the verdict to ask about a model's call that could send out what the run has read, or `None`."""
    if call.chosen_by == "person" or "sends" not in call.risk.flow or not has_read_both(call.earlier):
        return None
    return Verdict(
        "ask", f"the run has read {describe_readings(call.earlier)}, which this call could send out", exact=True
    )


def leak_question(call: DescribedCall) -> Verdict | None:
    """Return the verdict to ask about a model's call that could send out private data that was read, or `None`.

    A GET request changes nothing. But what the model has read can be part of its URL.
    """
    if call.chosen_by == "person" or "sends" not in call.risk.flow:
        return None
    reader = next((tool.tool for tool in call.earlier if "reads_private" in tool.flow), None)
    return None if reader is None else Verdict("ask", f"it could leak what {reader!r} has read")


class AllowAll:
    """Approves in advance everything that would need approval; what another policy denies stays denied."""

    def __init__(self, because: str, otherwise: Policy | None = None) -> None:
        """Create the policy.

        Args:
            because: What gave the approval, such as `--yes`.
            otherwise: The policy that judges calls first; by default, `ByRisk`.
        """
        self._because = because
        self._otherwise = otherwise or ByRisk()
        self.needs_arguments = self._otherwise.needs_arguments

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow a call that would need approval by the other policy, and give the reason for the approval."""
        verdict = self._otherwise.judge(call)
        return Verdict("allow", self._because) if verdict.action == "ask" else verdict
