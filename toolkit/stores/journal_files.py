"""The journal of all runs of a user: one SQLite file that only this user can read."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.stores.databases import FileDatabase
from toolkit.stores.recorded_runs import RecordedRun, State
from toolkit.stores.run_stores import RunStore

if TYPE_CHECKING:
    from toolkit.stores.presences import Presence


class JournalFile(RunStore):
    """The journal of all runs. Several threads and processes can use it at the same time."""

    def __init__(self, path: Path) -> None:
        """Open the journal, or create it.

        Raises:
            ConfigurationError: If it was written by another version of this program.
            JournalError: If it cannot be opened or created.
        """
        self.path = path
        super().__init__(FileDatabase(path))

    @staticmethod
    def usual_path() -> Path:
        """Return the default path: `toolkit/runs.db` in `$XDG_STATE_HOME`, or in `~/.local/state`."""
        named = os.environ.get("XDG_STATE_HOME", "")
        state = Path(named) if named.startswith(os.sep) else Path.home() / ".local" / "state"
        return state / "toolkit" / "runs.db"

    def join(self, *, jobs: int = 0, versions: Iterable[str] = ()) -> "Presence":
        """Register this process unless it is registered already, and clean up after those that have died.

        Raises:
            JournalError: If the journal cannot be written.
        """
        is_new = self._presence is None
        presence = super().join(jobs=jobs, versions=versions)
        for other in presence.others() if is_new else ():
            if presence.lock_if_dead(other.number):
                presence.forget(other.number)
        return presence

    def finish(self, id: str, state: State, error: str | None = None) -> None:
        """Record how a run ended, unless it was cancelled, and unregister this process.

        Raises:
            JournalError: If the journal cannot be written.
        """
        try:
            super().finish(id, state, error)
        finally:
            self._leave()

    def cancel(self, run: RecordedRun) -> None:
        """Cancel a run. A running one ends as after Ctrl-C.

        Raises:
            JournalError: If the journal cannot be written.
        """
        from toolkit.stores.presences import known_processes  # few runs are cancelled

        super().cancel(run)
        for one in known_processes(self.database) if run.state == "running" else ():
            if one.number == run.process and one.is_here:
                with suppress(ProcessLookupError):
                    os.kill(one.process, signal.SIGTERM)
