"""Agent kinds decide which of an agent's tools can be called, depending on what has happened so far.

A kind has no state: before each request it receives the history of the loop, so one kind can serve many loops at the
same time.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from toolkit.disclosure.facade_trees import leaves_of
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.results import AnsweredEarly, ToolResult
from toolkit.tools.spec import ToolSpec
from toolkit.wrappers.artifacts import artifacts_of

CLOSED = "closed"
"""The error code for a call of a tool that is not available yet."""


class FinishedCall(NamedTuple):
    """A finished call of an open tool.

    Attributes:
        tool: The tool as it was offered; `None` if the conversation was read from a record.
        name: The name by which it was called.
        result: The result of the call.
    """

    tool: Tool | None
    name: str
    result: ToolResult


@dataclass(frozen=True, slots=True)
class LoopHistory:
    """What has happened in a loop so far.

    Attributes:
        run: The run of the loop, with its blackboard.
        turns: Number of requests to the model.
        calls: The finished calls, oldest first, including failed ones but not calls of closed tools.
        origins: For each tool revealed by a facade, the name of the agent's own tool that led to it.
    """

    run: Run
    turns: int = 0
    calls: tuple[FinishedCall, ...] = ()
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def used(self) -> frozenset[str]:
        """The names of the tools that have succeeded at least once."""
        return frozenset(call.name for call in self.calls if call.result.succeeded)

    @property
    def artifacts(self) -> tuple[Any, ...]:
        """The artifacts of the calls, oldest first. The elements of a collection are listed individually."""
        return tuple(artifact for call in self.calls for artifact in artifacts_of(call.result))

    def with_call(self, call: FinishedCall) -> "LoopHistory":
        """Return the history with one more call."""
        return replace(self, calls=(*self.calls, call))


class AgentKind:
    """The simple kind, in which all tools are always open. Subclasses override what is different."""

    one_by_one: ClassVar[bool] = False
    """Whether the calls of one turn run one after another, because each can change which tools are open."""

    def problems(
        self,
        tools: Mapping[str, Tool],
        later: Collection[str] = (),
    ) -> Sequence[Problem]:
        """Return the problems of this kind for an agent with these tools, and with tools of the names in `later`."""
        return ()

    def preface(self, past: LoopHistory) -> str:
        """Return a description of the kind for the model, which is sent before the task."""
        return ""

    def state(self, past: LoopHistory) -> Any:
        """Return the current state, for kinds with states."""
        return None

    def table(self, tools: Mapping[str, Tool], past: LoopHistory) -> dict[str, Tool]:
        """Return the tools as they are offered now. Tools that cannot be called yet are closed tools."""
        return dict(tools)


class ClosedTool(WrappedTool):
    """A visible tool that cannot be called yet. Every call returns the reason.

    Args:
        inner: The tool.
        reason: The error message of every call.
        description: The description; by default, the tool's own followed by the reason.
    """

    def __init__(self, inner: Tool, reason: str, description: str | None = None) -> None:
        super().__init__(inner)
        self.reason = reason
        self._spec = replace(inner.spec, description=description or f"{inner.description}\n\n{reason}")

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The inner tool's specification with the description of the closed tool."""
        return self._spec

    def parse(self, arguments: Arguments) -> Any:
        """Accept any arguments, since the answer does not depend on them."""
        return None

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Answer with the reason, without asking for approval.

        Raises:
            AnsweredEarly: Always.
        """
        raise AnsweredEarly(ToolResult.failure(self.reason, CLOSED))


def names_within(tools: Mapping[str, Tool]) -> set[str]:
    """Return the names of tools, and of the tools known to be behind their facades."""
    return {tool.name for tool in leaves_of(tools.values())}


def unknown_tool(name: str, role: str, names: Collection[str]) -> Problem:
    """Return the problem that something refers to an unknown tool."""
    hint = did_you_mean(name, names, otherwise=f"the tools are {', '.join(sorted(names))}" if names else None)
    return Problem("", f"{role} '{name}', which is not a tool of the agent", hint=hint)


def state_name(state: Any) -> str:
    """Return the name of a state: the member's name for an enumeration."""
    return state.name if isinstance(state, Enum) else str(state)
