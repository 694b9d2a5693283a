"""What policies judge by: what a call of a tool could do, according to its marks, and what data a run has read before.

Whether something matches a rule can be in doubt.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from toolkit.json_texts import digest_of

Chooser = Literal["person", "model"]
"""Who chose the call: a person (on the command line, as a written step, in code) or a model."""


Flow = Literal["reads_untrusted", "reads_private", "writes", "sends"]
"""What a tool does with data: it reads untrusted content, reads private data, changes something, or sends data out."""

FLOWS: Final[tuple[Flow, ...]] = get_args(Flow)

_REMOTE: Final = "mcp://"


def server_of(source: str | None) -> str | None:
    """Return the name of the MCP server that a tool's source names, or `None` for a tool of this process."""
    return source.removeprefix(_REMOTE).partition("/")[0] if source and source.startswith(_REMOTE) else None


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
        has_changed: Whether the definition differs from the one that was locked.
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
    has_changed: bool = False

    def __hash__(self) -> int:
        """Hash only the name, which is fast, since a gate records every call that it allows."""
        return hash(self.tool)

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
