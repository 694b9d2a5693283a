"""Writes the result of each item as a line of JSON, to stdout or a file, without secrets."""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from toolkit.replacing import followed
from toolkit_cli import console
from toolkit_cli.failures import cannot_write

_LONGEST_WAIT = 0.1
_MOST_WAITING = 512


class ResultLines:
    """Writes records, and buffers them if they arrive quickly; thread-safe."""

    def __init__(self, file: Path | None) -> None:
        """Open the output.

        Args:
            file: The file to write; stdout if `None`.

        Raises:
            Failure: If the file cannot be written.
        """
        self._file = file
        self._stream: IO[str] | None = None
        self._waiting: list[str] = []
        self._written = perf_counter()
        self._lock = threading.Lock()
        if file is not None:
            try:
                self._stream = followed(file).open("w", encoding="utf-8", newline="\n")
            except OSError as error:
                raise cannot_write(file, error) from error

    def write(self, record: dict[str, Any]) -> None:
        """Write a record, possibly after a short delay."""
        self._write_line(console.json_without_secrets(record))

    def write_output(self, item: int, output: Any, skipped: Sequence[dict[str, Any]]) -> None:
        """Write the output of an item, and the items that its steps skipped."""
        shown = console.redactor().data(output)
        text = str(shown) if type(shown) is int else console.json_without_secrets(shown)
        more = f', "skipped": {console.json_without_secrets(skipped)}' if skipped else ""
        self._write_line(f'{{"item": {item}, "output": {text}{more}}}')

    def _write_line(self, line: str) -> None:
        with self._lock:
            self._waiting.append(line)
            if len(self._waiting) >= _MOST_WAITING or perf_counter() - self._written > _LONGEST_WAIT:
                self._flush()

    def close(self) -> None:
        """Write what is buffered, and close the file.

        Raises:
            Failure: If it cannot be written.
        """
        with self._lock:
            self._flush()
            if self._stream is not None:
                with suppress(OSError):
                    os.fsync(self._stream.fileno())
                self._stream.close()
                self._stream = None

    def _flush(self) -> None:
        text = "".join(f"{line}\n" for line in self._waiting)
        self._waiting.clear()
        self._written = perf_counter()
        if not text:
            return
        if self._file is None:
            console.write_data(text)
        elif self._stream is not None:
            try:
                self._stream.write(console.redactor().text(text))
                self._stream.flush()
            except OSError as error:
                self._stream = None
                raise cannot_write(self._file, error) from error
