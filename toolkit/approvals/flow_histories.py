"""Whether something matches a rule, which can be in doubt, and which kinds of data a run has read before a call."""

from collections.abc import Collection, Iterable
from typing import Final, Literal, get_args

from toolkit.approvals.risks import Flow, Risk

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

    def add(self, risk: Risk) -> None:
        """Record that a tool was called."""
        self._tools[risk] = None

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
