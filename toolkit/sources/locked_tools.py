"""Compare tools with the definitions in `toolkit.lock`, since consent does not extend to changed definitions."""

from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolkit.approvals.risks import Risk, server_of
from toolkit.pins.drifts import Entry, changes_between
from toolkit.pins.lock_names import LOCK_FILE
from toolkit.pins.lockfile import entry_of, read_lock
from toolkit.problems import Problem
from toolkit.tools.spec import ToolSpec
from toolkit.visibility import without_hidden

_HINTS: Final = ("read_only", "destructive", "open_world", "requires_approval")


class LockedTools:
    """The definitions in the lockfile of a folder, which is read when the first tool is compared."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / LOCK_FILE
        self._known: dict[tuple[Risk, str], bool] = {}

    def compared(self, risk: Risk) -> Risk:
        """Return the risk of a tool, marked as changed if its definition is not the one in the lockfile."""
        return replace(risk, has_changed=True) if self._has_changed(risk) else risk

    def _has_changed(self, risk: Risk) -> bool:
        if risk.definition is None or not self._file.exists():
            return False
        if self._pinned is None:  # the lockfile cannot be read
            return True
        pinned = self._pinned.get(risk.tool)
        if pinned is None:
            return False
        key = (risk, risk.digest)
        if key not in self._known:
            of_server = server_of(risk.source) is not None
            compared = _read_by_models if of_server else _comparable
            changes = changes_between(compared(pinned), compared(_entry_of(risk)))
            self._known[key] = any(of_server or change.kind != "compatible" for change in changes)
        return self._known[key]

    @cached_property
    def _pinned(self) -> dict[str, Entry] | None:
        found = read_lock(self._file)
        return None if isinstance(found, Problem) else found


def _entry_of(risk: Risk) -> Entry:
    definition: dict[str, Any] = dict(risk.definition or {})
    marks = {hint: getattr(risk, hint) for hint in _HINTS}
    return entry_of(ToolSpec(risk.tool, definition.get("description", ""), definition.get("parameters", {}), **marks))


def _comparable(entry: Entry) -> Entry:
    """Return the parts of an entry that are known for every call."""
    hints = {hint: value for hint, value in entry.get("hints", {}).items() if hint in _HINTS}
    return {"description": entry.get("description"), "parameters": entry.get("parameters", {}), "hints": hints}


def _read_by_models(entry: Entry) -> Entry:
    """Return what models receive of a server's tool; its marks depend on whether the user trusts the server."""
    parts: Entry = without_hidden({"description": entry.get("description"), "parameters": entry.get("parameters", {})})
    return parts
