"""Surroundings: a context as the questions about a call, and what hides its secrets, know it."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

from toolkit.approvals.gates import Gate
from toolkit.approvals.risks import Chooser
from toolkit.events import Event, Listener
from toolkit.redactors.redactor import Redactor
from toolkit.runs.journal import Journal
from toolkit.runs.run import Run
from toolkit.tools.subjects import Subject
from toolkit.tools.wait_clocks import Waiting


class Running(Protocol):
    """A call whose work may begin."""

    @property
    def tool(self) -> Subject:
        """The tool, under the name that was called."""

    @property
    def arguments(self) -> str | Mapping[str, Any]:
        """The arguments, as they were sent."""


class Surroundings(Protocol):
    """What the caller hands in with a call."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Values of the caller's own."""

    @property
    def memory_id(self) -> str | None:
        """Whose memory this is."""

    @property
    def gate(self) -> Gate | None:
        """What decides about calls."""

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
        """Where in a run this is, for the reviewer."""

    @property
    def call(self) -> Running | None:
        """The call that is running."""

    @property
    def item(self) -> str | None:
        """The item of a step that the call is made for."""

    @property
    def step(self) -> str | None:
        """The step of a pipeline that makes the call."""

    @property
    def path(self) -> str | None:
        """Where in its run the call is made; `None` where nobody counts."""

    @property
    def journal(self) -> Journal | None:
        """What keeps what the steps of the run have done."""

    @property
    def redactor(self) -> Redactor | None:
        """What keeps secrets out of all that is written."""

    @property
    def waits(self) -> Waiting | None:
        """What measures how long somebody was waited for."""

    def replace(self, *, redactor: Redactor) -> Self:
        """Return the same with another redactor."""

    def emit(self, event: Event, /) -> None:
        """Send an event to the listener, if there is one."""
