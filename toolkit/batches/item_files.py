"""The file or stream that the items of a batch are read from, and its format."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, cast, get_args

from toolkit.batches.items import Format, Item, items_in
from toolkit.errors import ConfigurationError
from toolkit.problems import Location, Problem

STDIN: Final = "-"
SINGLE: Final = "a single call"
"""Stands for the file if there is none, because the arguments of the only call are given separately."""

_FORMATS: Final = get_args(Format)
_SUFFIXES: Final[dict[str, Format]] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "lines",
    ".parquet": "parquet",
}


class ItemFile:
    """A file of items, or stdin. It can be read once, and its items are read lazily.

    Attributes:
        name: The name for messages.
        path: The path; `None` means stdin.
        format: The format of the file.
    """

    def __init__(self, path: Path | None, format: Format) -> None:
        """Create the value without opening the file.

        Args:
            path: The path; `None` means stdin.
            format: The format of the file.
        """
        self.path = path
        self.format = format
        self.name = "stdin" if path is None else str(path)
        self._open = ExitStack()
        self._stream: BinaryIO | None = None

    @classmethod
    def named(cls, text: str) -> "ItemFile":
        """Parse the name of a file: `items.jsonl`, `-` for JSONL on stdin, or `lines:FILE` with an explicit format.

        Raises:
            ConfigurationError: If the format of the file is unknown.
        """
        if text == SINGLE:
            return SingleItem()
        prefix, colon, rest = text.partition(":")
        if colon and prefix in _FORMATS:
            return cls(None if rest == STDIN else Path(rest), cast("Format", prefix))
        if text == STDIN:
            return cls(None, "jsonl")
        path = Path(text)
        if path.suffix.lower() not in _SUFFIXES:
            raise ConfigurationError(problems=[_unknown_kind(text, path)])
        return cls(path, _SUFFIXES[path.suffix.lower()])

    @property
    def is_stdin(self) -> bool:
        """Whether the items are read from stdin."""
        return self.path is None

    @property
    def waits(self) -> bool:
        """Whether reading the next item may block for long, so that a thread has to wait for it."""
        return self.path is None or not self.path.is_file()

    @property
    def progress(self) -> float | None:
        """The fraction of the file that has been read, from 0 to 1; `None` if unknown."""
        if self._stream is None or self.waits:
            return None
        try:
            size = os.fstat(self._stream.fileno()).st_size
            return self._stream.tell() / size if size else 1.0
        except (OSError, ValueError):
            return None

    def place_of(self, item: Item) -> Location:
        """Return the location of an item."""
        return Location(self.name, item.line)

    def __enter__(self) -> Self:
        """Open the file.

        Raises:
            ConfigurationError: If it cannot be opened.
        """
        try:
            if self.path is not None:
                self._stream = self._open.enter_context(self.path.open("rb"))
            else:
                # A separate stream, so that a thread that still waits for the next line does not block the exit.
                self._stream = self._open.enter_context(open(0, "rb", closefd=False))
        except OSError as error:
            raise self._unreadable(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._open.close()

    def __iter__(self) -> Iterator[Item]:
        """Yield the items.

        Raises:
            ConfigurationError: If the file cannot be read, or does not match its format.
        """
        assert self._stream is not None  # callers iterate only over open files
        try:
            yield from items_in(self._stream, self.format)
        except ConfigurationError as error:
            problems = error.problems or [Problem("", str(error), Location(self.name))]
            raise ConfigurationError(problems=problems) from error
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> ConfigurationError:
        reason = (error.strerror or str(error)).lower()
        return ConfigurationError(problems=[Problem("", f"cannot read '{self.name}': {reason}")])


class SingleItem(ItemFile):
    """A single item without data, as if read from a file with the line `{}`."""

    waits = False
    is_stdin = False

    def __init__(self) -> None:
        super().__init__(None, "jsonl")
        self.name = SINGLE

    def __enter__(self) -> Self:
        self._stream = BytesIO(b"{}\n")
        return self


def _unknown_kind(text: str, path: Path) -> Problem:
    if path.suffix.lower() == ".json":
        message = f"'{text}' is a single JSON document, but a batch reads one item per line"
        return Problem("", message, hint=f"write one item per line: jq -c '.[]' {text} > {path.stem}.jsonl")
    message = f"the format of '{text}' is unknown; the known suffixes are {', '.join(_SUFFIXES)}"
    forms = ", ".join(f"{name}:{text}" for name in _FORMATS[:4])
    return Problem("", message, hint=f"put the format before the name: {forms}")
