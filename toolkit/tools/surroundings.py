"""The interface of a context for the code that asks questions about calls and redacts secrets."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from toolkit.approvals.gates import Gate
from toolkit.approvals.risks import Chooser
from toolkit.events import Event, Listener
from toolkit.redactors.redactor import Redactor
from toolkit.runs.records import Journal
from toolkit.runs.run import Run
from toolkit.tools.metrics import Waiting
from toolkit.tools.subjects import Subject


class Running(Protocol):
    """A running call."""

    @property
    def tool(self) -> Subject:
        """The tool, under the name that was called."""

    @property
    def arguments(self) -> str | Mapping[str, Any]:
        """The arguments as received."""


class Surroundings(Protocol):
    """The context of a call; see `ToolContext`."""

    @property
    def values(self) -> Mapping[str, Any]:
        """The values that the caller provides."""

    @property
    def memory_id(self) -> str | None:
        """Identifies whose memory to use."""

    @property
    def gate(self) -> Gate | None:
        """Decides which calls may run."""

    @property
    def run(self) -> Run | None:
        """The run that the call belongs to."""

    @property
    def listener(self) -> Listener | None:
        """Receives every event."""

    @property
    def chosen_by(self) -> Chooser:
        """Who chose the call."""

    @property
    def place(self) -> str | None:
        """The position in a run, shown to the reviewer."""

    @property
    def call(self) -> Running | None:
        """The running call."""

    @property
    def item(self) -> str | None:
        """The item of a step for which the call is made."""

    @property
    def step(self) -> str | None:
        """The step of a pipeline that makes the call."""

    @property
    def path(self) -> str | None:
        """The path of the call in its run; `None` outside of a run."""

    @property
    def journal(self) -> Journal | None:
        """Records the completed steps of the run."""

    @property
    def redactor(self) -> Redactor | None:
        """Keeps secrets out of all output."""

    @property
    def waits(self) -> Waiting | None:
        """Measures the time spent waiting for answers."""

    def replace(self, *, redactor: Redactor) -> Self:
        """Return a copy with another redactor."""

    def emit(self, event: Event, /) -> None:
        """Send an event to the listener, if there is one."""
