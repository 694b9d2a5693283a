"""Emits the events for a run of the command line."""

import os
from time import perf_counter
from typing import TYPE_CHECKING, Self

from toolkit.events import CALLS, Listener, Outcome, RunFinished, RunStarted

if TYPE_CHECKING:
    from types import TracebackType


class RunReport:
    """Emits the start of a run, and its finish exactly once, possibly from another thread.

    Attributes:
        run: The id of the run.
    """

    def __init__(self, listener: Listener | None, target: str, run: str | None = None) -> None:
        """Prepare the report.

        Args:
            listener: Receives the events, if any.
            target: The target as the user wrote it.
            run: The id of the run; a new one if `None`.
        """
        self.run = run or os.urandom(6).hex()
        self._listener, self._target = listener, target
        self._call = 0
        self._began = perf_counter()

    def __enter__(self) -> Self:
        if self._listener is not None:
            self._call = next(CALLS)
            self._listener(RunStarted(self._call, self._target, self.run))
        return self

    def end(self, exit_code: int, error: str | None = None) -> None:
        """Emit the finish, unless it was emitted already."""
        self._finish("failure" if exit_code else "success", error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        """Emit the finish of a run that could not start, or was aborted."""
        self._finish("success" if error is None else "error", None if error is None else str(error))

    def _finish(self, outcome: Outcome, error: str | None) -> None:
        call, self._call = self._call, 0
        if self._listener is not None and call:
            seconds = perf_counter() - self._began
            self._listener(RunFinished(call, self._target, self.run, outcome=outcome, error=error, seconds=seconds))
