"""Flows: what tools read and what they do with it, and what a run has read before a call.

A text that strangers have written can make a model call other tools: data leaks where a run reads private data and such
a text, and then sends something. So a rule may hold only after a run has read one of the two, or both.
"""

from collections.abc import Collection, Iterable
from typing import Final, Literal, get_args

from toolkit.approvals.fits import Fit
from toolkit.approvals.risks import Flow, Risk

After = Literal["untrusted", "private", "both"]
"""What a run must have read for a rule to hold: content that others wrote, private data, or both."""

AFTER_WORDS: Final[tuple[After, ...]] = get_args(After)

READINGS_OF: Final[dict[After, frozenset[Flow]]] = {
    "untrusted": frozenset({"reads_untrusted"}),
    "private": frozenset({"reads_private"}),
    "both": frozenset({"reads_untrusted", "reads_private"}),
}
"""What tools must have read for each of these words."""

_CONTENTS: Final[dict[Flow, str]] = {"reads_untrusted": "untrusted content", "reads_private": "private data"}


class CallHistory:
    """The tools that a run has called: what they have read may be in the arguments of every later call.

    One history belongs to everything that a model or a pipeline can carry results between: a run with its subagents, a
    chat, a session of an MCP client. Several threads may add to it.
    """

    def __init__(self) -> None:
        self._tools: dict[Risk, None] = {}

    def add(self, risk: Risk) -> None:
        """Take note of a tool that was called."""
        self._tools[risk] = None

    @property
    def tools(self) -> tuple[Risk, ...]:
        """The tools, each once."""
        return tuple(self._tools)


def fit_of_readings(after: Collection[After], earlier: Iterable[Risk], coming: Iterable[Risk]) -> Fit:
    """Return whether a run has read what a rule names, before a call.

    Args:
        after: What the rule names; one of them is enough, and a rule without any is for every call.
        earlier: The tools that were called before.
        coming: The tools that may be called before as well.
    """
    if not after:
        return "yes"
    read = flows_of(earlier)
    if any(READINGS_OF[word] <= read for word in after):
        return "yes"
    read |= flows_of(coming)
    return "later" if any(READINGS_OF[word] <= read for word in after) else "no"


def has_read_both(earlier: Iterable[Risk]) -> bool:
    """Return whether untrusted content and private data were read."""
    return flows_of(earlier) >= READINGS_OF["both"]


def flows_of(tools: Iterable[Risk]) -> frozenset[Flow]:
    """Return everything that some tools read and do."""
    return frozenset().union(*(tool.flow for tool in tools))


def readings_in_words(earlier: Iterable[Risk]) -> str:
    """Return what was read by which tool: `private data ('file_read')`."""
    tools = tuple(earlier)
    found = ((what, next((tool.tool for tool in tools if flow in tool.flow), None)) for flow, what in _CONTENTS.items())
    return " and ".join(f"{what} ({tool!r})" for what, tool in found if tool is not None)
