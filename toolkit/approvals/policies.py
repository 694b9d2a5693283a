"""Policies decide which calls need approval: by the risk of a call, who chose it, and what the run has read before.

A `Risk` says what a call of a tool could do, according to its marks. Whether something matches a rule can be in doubt,
which a `Fit` says.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol, get_args

from toolkit.json_texts import digest_of
from toolkit.problems import Location

Chooser = Literal["person", "model"]
"""Who chose the call: a person (on the command line, as a written step, in code) or a model."""


Flow = Literal["reads_untrusted", "reads_private", "writes", "sends"]
"""What a tool does with data: it reads untrusted content, reads private data, changes something, or sends data out."""

FLOWS: Final[tuple[Flow, ...]] = get_args(Flow)

_REMOTE: Final = "mcp://"


def server_of(source: str | None) -> str | None:
    """Return the name of the MCP server that a tool's source names, or `None` for a tool of this process."""
    return source.removeprefix(_REMOTE).partition("/")[0] if source and source.startswith(_REMOTE) else None


_ENDPOINT: Final = r"[A-Z][A-Z0-9-]* /.*"


def endpoint_of(names: Sequence[str]) -> str | None:
    """Return the method and the path among the names of a tool, if it is an operation of an OpenAPI document."""
    return next((name for name in names if re.fullmatch(_ENDPOINT, name)), None)


@dataclass(frozen=True, slots=True)
class Risk:
    """The marks of a tool that decide whether its calls need approval; `None` means not set.

    Attributes:
        tool: The name under which the tool is called.
        source: Where the tool comes from, such as `builtin` or a file, if known.
        requires_approval: Whether the tool's author requires approval of every call.
        read_only: Whether the tool changes nothing.
        destructive: Whether the tool can destroy or overwrite something.
        open_world: Whether the tool accesses things outside this machine.
        framework: The framework of the tool; `None` for a tool of this library.
        names: The tool's other names if it was renamed, with the original name first.
        origin: The tool's original source if a project's file or module gives it another one.
        brought_by: The file of the project that provides the tool; `None` if the user chose the source.
        allowed_as: The names by which a rule can allow the tool, if these are not all its names.
        definition: The definition that models receive, if known.
        flow: What the tool does with data.
        files: All files and modules that define the tool or pass it on, as their sources name them; for rules that deny
            or ask.
        dotted_names: Names such as `box.drop`, after the class, the object or a facade to which the tool belongs; for
            rules that deny or ask.
        changes: How the definition differs from the one that was locked, in words.
    """

    tool: str
    source: str | None = None
    requires_approval: bool = False
    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None
    framework: str | None = None
    names: tuple[str, ...] = ()
    origin: str | None = None
    brought_by: str | None = None
    allowed_as: tuple[str, ...] = ()
    definition: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    flow: frozenset[Flow] = frozenset()
    files: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    dotted_names: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    changes: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """Hash only the name, which is fast, since a gate records every call that it allows."""
        return hash(self.tool)

    @property
    def has_changed(self) -> bool:
        """Whether the definition differs from the one that was locked."""
        return bool(self.changes)

    @property
    def labels(self) -> tuple[str, ...]:
        """The marks in words, the most serious ones first."""
        words = (
            ("DESTRUCTIVE", self.destructive),
            ("requires approval", self.requires_approval),
            ("open world", self.open_world),
            ("read-only", self.read_only),
        )
        return tuple(word for word, applies in words if applies)

    @property
    def digest(self) -> str:
        """The SHA-256 of the definition and the marks, which changes with the definition."""
        return digest_of(json.dumps([self.definition, self.labels], sort_keys=True, default=dict))


Fit = Literal["yes", "no", "doubt", "later"]
"""Whether something matches. `doubt`: this cannot be decided, so an allow rule does not apply and any other rule does.
`later`: the value is not known before a pipeline runs."""

_OPPOSITES: Final[dict[Fit, Fit]] = {"yes": "no", "no": "yes", "doubt": "doubt", "later": "later"}


def fit_of(is_so: bool) -> Fit:  # noqa: FBT001 - it is the only argument
    """Return `yes` or `no`."""
    return "yes" if is_so else "no"


def opposite(fit: Fit) -> Fit:
    """Return the fit of the negated condition."""
    return _OPPOSITES[fit]


def all_fit(fits: Iterable[Fit]) -> Fit:
    """Combine fits that must all be `yes`."""
    found = set(fits)
    return next((fit for fit in ("no", "later", "doubt") if fit in found), "yes")


def any_fits(fits: Iterable[Fit]) -> Fit:
    """Combine fits of which at least one must be `yes`."""
    found = set(fits)
    return next((fit for fit in ("yes", "later", "doubt") if fit in found), "no")


def each_fits(fits: Iterable[Fit]) -> Fit:
    """Combine the fits of the items of a list; if they differ, the result is `doubt`, and for no items `no`."""
    found = set(fits)
    return found.pop() if len(found) == 1 else "doubt" if found else "no"


After = Literal["untrusted", "private", "both"]
"""What a run must have read for a rule to apply: untrusted content, private data, or both."""

AFTER_WORDS: Final[tuple[After, ...]] = get_args(After)

READINGS_OF: Final[dict[After, frozenset[Flow]]] = {
    "untrusted": frozenset({"reads_untrusted"}),
    "private": frozenset({"reads_private"}),
    "both": frozenset({"reads_untrusted", "reads_private"}),
}
"""The flows that the called tools must have for each of these words."""

_CONTENTS: Final[dict[Flow, str]] = {"reads_untrusted": "untrusted content", "reads_private": "private data"}


class CallHistory:
    """The tools that a run has called, since any later call can contain what they have read.

    Everything between which a model or a pipeline can pass results shares one history: a run with its subagents, a
    chat, or a session of an MCP client. Histories are thread-safe.
    """

    def __init__(self) -> None:
        self._tools: dict[Risk, None] = {}
        self._last: Risk | None = None

    def add(self, risk: Risk) -> None:
        """Record that a tool was called."""
        if risk is not self._last:  # hashing it again would take longer
            self._tools[risk] = None
            self._last = risk

    @property
    def tools(self) -> tuple[Risk, ...]:
        """The called tools, without duplicates."""
        return tuple(self._tools)


def fit_of_readings(after: Collection[After], earlier: Iterable[Risk], coming: Iterable[Risk]) -> Fit:
    """Return whether a run has read what a rule requires before a call.

    Args:
        after: What the rule requires, at least one of these; an empty collection requires nothing.
        earlier: The tools that were called before.
        coming: The tools that could also be called before.
    """
    if not after:
        return "yes"
    read = flows_of(earlier)
    if any(READINGS_OF[word] <= read for word in after):
        return "yes"
    read |= flows_of(coming)
    return "later" if any(READINGS_OF[word] <= read for word in after) else "no"


def has_read_both(earlier: Iterable[Risk]) -> bool:
    """Return whether both untrusted content and private data were read."""
    return flows_of(earlier) >= READINGS_OF["both"]


def flows_of(tools: Iterable[Risk]) -> frozenset[Flow]:
    """Return the data flows of all these tools together."""
    return frozenset().union(*(tool.flow for tool in tools))


def describe_readings(earlier: Iterable[Risk]) -> str:
    """Describe what was read by which tool, as in `private data ('file_read')`."""
    tools = tuple(earlier)
    found = ((what, next((tool.tool for tool in tools if flow in tool.flow), None)) for flow, what in _CONTENTS.items())
    return " and ".join(f"{what} ({tool!r})" for what, tool in found if tool is not None)


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


def possible_verdicts(policy: Policy, call: DescribedCall) -> tuple[Verdict, ...]:
    """Return every possible verdict on a call whose arguments are not all known; empty if they are not known either."""
    if (outlook := getattr(policy, "outlook", None)) is not None:
        verdicts: tuple[Verdict, ...] = outlook(call)
        return verdicts
    return () if policy.needs_arguments else (policy.judge(call),)


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

    def outlook(self, call: DescribedCall) -> tuple[Verdict, ...]:
        """Return the possible verdicts of the other policy, of which none requires approval any more."""
        return tuple(
            Verdict("allow", self._because) if one.action == "ask" else one
            for one in possible_verdicts(self._otherwise, call)
        )

    def judge(self, call: DescribedCall) -> Verdict:
        """Allow a call that would need approval by the other policy, and give the reason for the approval."""
        verdict = self._otherwise.judge(call)
        return Verdict("allow", self._because) if verdict.action == "ask" else verdict
