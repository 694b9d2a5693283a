"""Run reports: one run of the command line, reported to its observers."""

import os
from time import perf_counter
from typing import TYPE_CHECKING, Self

from toolkit.events import CALLS, Listener, Outcome, RunFinished, RunStarted

if TYPE_CHECKING:
    from types import TracebackType


class RunReport:
    """The report of one run: its start, and its one finish, which may come from another thread.

    Attributes:
        run: The id of the run.
    """

    def __init__(self, listener: Listener | None, target: str, run: str | None = None) -> None:
        """Keep the listener; nothing is reported yet.

        Args:
            listener: Receives the report, if there is one.
            target: What is run, as it was named.
            run: The id of the run, if it has one already.
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
        """Report the finish, unless it was reported."""
        self._tell("failure" if exit_code else "success", error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        """Report the finish of a run that could not begin, or broke off."""
        self._tell("success" if error is None else "error", None if error is None else str(error))

    def _tell(self, outcome: Outcome, error: str | None) -> None:
        call, self._call = self._call, 0
        if self._listener is not None and call:
            seconds = perf_counter() - self._began
            self._listener(RunFinished(call, self._target, self.run, outcome=outcome, error=error, seconds=seconds))
