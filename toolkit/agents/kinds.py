"""Kinds: which of an agent's tools may be called, as it follows from what has happened so far.

A kind knows nothing by itself: it is asked anew before each request, with the past of that very loop, so that one kind
serves many loops at once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from toolkit.disclosure.trees import leaves_of
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.refusals import AnsweredEarly
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec
from toolkit.wrappers.artifacts import artifacts_of

CLOSED = "closed"
"""The error code of a call of a tool that is not available at the time."""


class FinishedCall(NamedTuple):
    """One call that a loop has made of a tool that was open.

    Attributes:
        tool: The tool, as it was offered; None for calls of a conversation that was read from a record.
        name: What it was called by.
        result: What came of it.
    """

    tool: Tool | None
    name: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class LoopHistory:
    """What has happened in a loop so far.

    Attributes:
        run: The run of the loop, with its blackboard.
        turns: How many requests to the model there were.
        calls: The calls that were made, failed ones too, the oldest first; calls of closed tools are none.
        origins: For each tool that another one has revealed the name of the agent's own tool that led to it.
    """

    run: Run
    turns: int = 0
    calls: tuple[FinishedCall, ...] = ()
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def used(self) -> frozenset[str]:
        """The names of the tools that have done their work at least once."""
        return frozenset(call.name for call in self.calls if call.result.succeeded)

    @property
    def artifacts(self) -> tuple[Any, ...]:
        """The objects that tools have made, those of a collection one by one, the oldest first."""
        return tuple(artifact for call in self.calls for artifact in artifacts_of(call.result))

    def with_call(self, call: FinishedCall) -> "LoopHistory":
        """Return it with one more call."""
        return replace(self, calls=(*self.calls, call))


class AgentKind:
    """The simple kind: all tools are open at all times. Others say what is different."""

    one_by_one: ClassVar[bool] = False
    """Whether the calls of one turn run one after the other, since each may change what the next one may do."""

    def problems(
        self,
        tools: Mapping[str, Tool],  # noqa: ARG002 - for those that override it
        later: Collection[str] = (),  # noqa: ARG002
    ) -> Sequence[Problem]:
        """Return what is wrong with the kind for an agent with these tools, and others by these names later on."""
        return ()

    def preface(self, past: LoopHistory) -> str:  # noqa: ARG002 - for those that override it
        """Return the description of the kind that the model receives before the task."""
        return ""

    def state(self, past: LoopHistory) -> Any:  # noqa: ARG002 - for those that override it
        """Return the state that the past has led to, for kinds that have states."""
        return None

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:  # noqa: ARG002 - for those that override it
        """Return the tools as they are offered now, those that may not be called as closed ones."""
        return dict(tools)


class ClosedTool(WrappedTool):
    """A visible tool that may not be called yet: every call returns what is needed first."""

    def __init__(self, inner: Tool, reason: str, description: str | None = None) -> None:
        """Keep the tool, what its call is answered, and its description; the reason follows its own unless given."""
        super().__init__(inner)
        self.reason = reason
        self._spec = replace(inner.spec, description=description or f"{inner.description}\n\n{reason}")

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The inner tool's specification with the reason after its description."""
        return self._spec

    def parse(self, arguments: Arguments) -> Any:  # noqa: ARG002 - no arguments would help
        """Return nothing: whatever was sent, the answer is the same."""
        return None

    def check(self, parsed: Any, context: ToolContext) -> None:  # noqa: ARG002 - it is closed for everybody
        """Answer at once; nobody is asked about a call that does nothing.

        Raises:
            AnsweredEarly: Always.
        """
        raise AnsweredEarly(ToolResult.failure(self.reason, CLOSED))


def names_within(tools: Mapping[str, Tool]) -> set[str]:
    """Return the names of tools, and of those that are known to stand behind them."""
    return {tool.name for tool in leaves_of(tools.values())}


def unknown_tool(name: str, role: str, names: Collection[str]) -> Problem:
    """Return the problem that something refers to a tool that does not exist."""
    hint = did_you_mean(name, names, otherwise=f"there are {', '.join(sorted(names)) or 'none'}")
    return Problem("", f"{role} '{name}', which is not a tool of the agent", hint=hint)


def state_name(state: Any) -> str:
    """Return what a state is called: a member of an enumeration by its name."""
    return state.name if isinstance(state, Enum) else str(state)
