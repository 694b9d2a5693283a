"""The inputs with which tools failed, which the next test of the same tools tries first."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from toolkit.redactors.redactor import redactor_of_environment
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import write_cached

_MOST: Final = 10
_LARGEST: Final = 4 * 1024 * 1024
_NAME: Final = "failing-inputs.json"


class FailingInputs:
    """The failing inputs in a cache folder, by tool."""

    def __init__(self, folder: Path | None) -> None:
        """Read them; without a folder, there are none, and none are kept."""
        self._folder = folder
        match read_record(folder, _NAME):
            case {"format": 1, "inputs": dict(found)}:
                self._before = {tool: one for tool, one in found.items() if isinstance(one, list)}
            case _:
                self._before = {}
        self._inputs = dict(self._before)

    def of(self, tool: str) -> list[dict[str, Any]]:
        """Return the inputs with which a tool has failed before."""
        return [one for one in self._inputs.get(tool, ()) if isinstance(one, dict)]

    def keep(self, tool: str, inputs: Sequence[Mapping[str, Any]]) -> None:
        """Replace the inputs of a tool; those that contain a secret of the environment are left out."""
        redactor = redactor_of_environment()
        kept = [dict(one) for one in inputs if redactor.text(text := json.dumps(one)) == text]
        self._inputs.pop(tool, None)
        if kept:
            self._inputs[tool] = kept[:_MOST]

    def save(self) -> None:
        """Write the file, if anything has changed; errors in writing are ignored."""
        if self._folder is None or self._inputs == self._before:
            return
        keep_record(self._folder, _NAME, {"format": 1, "inputs": self._inputs})


def keep_record(folder: Path, name: str, record: Any) -> None:
    """Write a record to a file in a cache folder; errors in writing are ignored."""
    with suppress(OSError):
        write_cached(folder / name, json.dumps(record, separators=(",", ":")).encode())


def read_record(folder: Path | None, name: str) -> Any:
    """Return the record in a file of a cache folder; `None` if there is none that can be read."""
    with suppress(OSError, ValueError, RecursionError):
        return None if folder is None else json.loads(bounded_bytes(folder / name, most=_LARGEST))
    return None
