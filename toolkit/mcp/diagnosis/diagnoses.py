"""The diagnosis of a server: the steps from its settings to a call of one of its tools, and what each has found."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolkit.codes import SERVER_UNREACHABLE
from toolkit.mcp.client.failure_reasons import StepName
from toolkit.mcp.settings.server_settings import McpServer
from toolkit.problems import Problem
from toolkit.tools.context import ToolContext

if TYPE_CHECKING:
    from toolkit.errors import ConfigurationError
    from toolkit.mcp.client.server_conversations import Listing
    from toolkit.mcp.client.server_sessions import Connection, Health, ServerUnreachable
    from toolkit.mcp.tools.remote import RemoteTool

State = Literal["ok", "warning", "failed", "skipped"]


class Step(NamedTuple):
    """What one step has found.

    Attributes:
        name: The name of the step.
        state: How it ended. The steps after a failed one are skipped.
        reasons: What was found, one per line.
        fix: How to fix it; empty if there is nothing to fix, or no fix is known.
        code: The code of the problem if it failed; empty if the problem has none.
        seconds: How long it took; `None` if it was not measured.
    """

    name: StepName
    state: State
    reasons: tuple[str, ...] = ()
    fix: str = ""
    code: str = ""
    seconds: float | None = None


class HiddenTool(NamedTuple):
    """A tool that a server lists and that is not used, or whose calls are all denied.

    Attributes:
        name: The server's name for it.
        by: What hides it.
        reason: Why.
    """

    name: str
    by: Literal["tools", "exclude", "lock", "policy", "invalid"]
    reason: str


Selection = tuple[Sequence["RemoteTool"], Sequence[Problem]]
"""The tools of a server that are used, and the problems with others."""


class Circumstances(NamedTuple):
    """What a diagnosis depends on besides the servers.

    Attributes:
        context: The context of calls: its values, and the gate, whose policy can deny tools.
        refusals: Why servers must not be contacted, by name; for all others, there is consent.
        select: Chooses the tools of a server that are used.
        may_call: Whether a tool may be called because a server that is not trusted says that it only reads.
    """

    context: ToolContext
    refusals: Mapping[str, Problem]
    select: Callable[[McpServer, "Listing"], Selection]
    may_call: bool = False


@dataclass(slots=True)
class Diagnosis:
    """What is known about a server; it grows with each step.

    Attributes:
        server: The server.
        circumstances: What it depends on.
        steps: The steps so far.
        connection: The connection, once there is one.
        health: What the server reports about itself, if it answers.
        listing: The tools that it lists, if it does.
        used: The tools that are used.
        hidden: The tools that are not.
        error: Why it cannot be used, if an exception says so.
    """

    server: McpServer
    circumstances: Circumstances
    steps: list[Step] = field(default_factory=list)
    connection: "Connection | None" = None
    health: "Health | None" = None
    listing: "Listing | None" = None
    used: Sequence["RemoteTool"] = ()
    hidden: Sequence[HiddenTool] = ()
    error: "ServerUnreachable | ConfigurationError | None" = None

    @property
    def failure(self) -> Step | None:
        """The step that failed, or `None`."""
        return next((step for step in self.steps if step.state == "failed"), None)

    @property
    def link(self) -> "Connection":
        """The connection; only for steps after that of the configuration."""
        assert self.connection is not None  # these steps are skipped otherwise
        return self.connection

    def unreachable(self, error: "ServerUnreachable", name: StepName) -> Step:
        """Return the step that failed because of an error, with the server's last output."""
        self.error = error
        reasons = [error.reason.text]
        if (log := error.log) is not None:
            lines = [*dict.fromkeys(log.lines)][-_LINES_SHOWN:]  # an old server is started twice, and repeats itself
            reasons += [log.strays] if log.strays else []
            reasons += ["its last output:", *(f"| {line}" for line in lines)] if lines else []
        return Step(name, "failed", tuple(reasons), error.reason.fix, SERVER_UNREACHABLE)


_LINES_SHOWN = 5

Check = Callable[[Diagnosis], AsyncIterator[Step]]
"""Examines one thing, and yields a step for each part of it; nothing follows a step that failed."""
