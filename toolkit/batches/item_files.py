"""Item files: where the items of a batch are, and how that file holds them."""

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
"""What stands for the file where there is none, since all arguments of the one call are given beside it."""

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
    """A file of items, or stdin, open to be read once; its items come as they are asked for.

    Attributes:
        name: What people call it.
        path: Where it is; `None` is stdin.
        format: How it holds its items.
    """

    def __init__(self, path: Path | None, format: Format) -> None:  # noqa: A002 - what it is
        """Keep where it is; nothing is opened yet."""
        self.path = path
        self.format = format
        self.name = "stdin" if path is None else str(path)
        self._open = ExitStack()
        self._stream: BinaryIO | None = None

    @classmethod
    def named(cls, text: str) -> "ItemFile":
        """Return the file that a text names: `items.jsonl`, `-` for JSONL on stdin, or `lines:FILE` with the format.

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
        """Whether it is stdin."""
        return self.path is None

    @property
    def waits(self) -> bool:
        """Whether the next item may be long in coming: then it is waited for beside the work."""
        return self.path is None or not self.path.is_file()

    @property
    def progress(self) -> float | None:
        """How much of the file was read, from 0 to 1; `None` where nobody knows."""
        if self._stream is None or self.waits:
            return None
        try:
            size = os.fstat(self._stream.fileno()).st_size
            return self._stream.tell() / size if size else 1.0
        except (OSError, ValueError):
            return None

    def place_of(self, item: Item) -> Location:
        """Return where an item is."""
        return Location(self.name, item.line)

    def __enter__(self) -> Self:
        """Open it.

        Raises:
            ConfigurationError: If it cannot be opened.
        """
        try:
            if self.path is not None:
                self._stream = self._open.enter_context(self.path.open("rb"))
            else:
                # A stream of its own: a thread that still waits for the next line holds up nothing at the end.
                self._stream = self._open.enter_context(open(0, "rb", closefd=False))
        except OSError as error:
            raise self._unreadable(error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self._open.close()

    def __iter__(self) -> Iterator[Item]:
        """Yield its items.

        Raises:
            ConfigurationError: If it cannot be read, or does not match its format.
        """
        assert self._stream is not None  # noqa: S101 - it is iterated where it is open
        try:
            yield from items_in(self._stream, self.format)
        except ConfigurationError as error:
            raise ConfigurationError(problems=[Problem("", str(error), Location(self.name))]) from error
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> ConfigurationError:
        reason = (error.strerror or str(error)).lower()
        return ConfigurationError(problems=[Problem("", f"cannot read '{self.name}': {reason}")])


class SingleItem(ItemFile):
    """One item that has nothing of its own, as a file of one line would hold it."""

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
        message = f"'{text}' is one document of JSON, and a batch reads one item a line"
        return Problem("", message, hint=f"write its items one a line, as with: jq -c '.[]' {text} > {path.stem}.jsonl")
    message = f"nothing says how '{text}' holds its items; {', '.join(_SUFFIXES)} do"
    return Problem("", message, hint=f"say it before the name: {', '.join(f'{name}:{text}' for name in _FORMATS[:4])}")
