"""Reads items from a stream one by one. An item that cannot be read is yielded with a fault."""

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, Literal, NamedTuple

from toolkit.errors import ConfigurationError, not_installed
from toolkit.json_texts import WrittenNumber
from toolkit.tools.calls.json_data import plain_data

Format = Literal["jsonl", "csv", "tsv", "lines", "parquet"]
"""The format of a file of items."""

LONGEST_LINE: Final = 64 * 1024 * 1024
"""Maximum length of a line in bytes. A longer line is an item that cannot be read."""

_BOM: Final = b"\xef\xbb\xbf"
_json: Final = json.JSONDecoder(parse_float=WrittenNumber)
_DELIMITERS: Final = {"csv": ",", "tsv": "\t"}


class Item(NamedTuple):
    """One item of a batch.

    Attributes:
        number: The number of the item, starting at 1.
        line: The line of the file on which the item begins; the row if the file has no lines.
        value: JSON data, the cells of a row by column name, or the text of a line.
        fault: Why the item cannot be read, if it cannot.
    """

    number: int
    line: int
    value: Any = None
    fault: str | None = None


def items_in(stream: BinaryIO, format: Format) -> Iterator[Item]:
    """Yield the items of a stream one by one, skipping blank lines.

    Raises:
        ConfigurationError: If the stream does not match its format, such as a table with an invalid header.
        OSError: If the stream cannot be read.
    """
    if format == "parquet":
        yield from (Item(number, number, row) for number, row in enumerate(rows_of(stream), 1))
    elif format in _DELIMITERS:
        yield from _rows(stream, _DELIMITERS[format])
    else:
        read = _json_item if format == "jsonl" else Item
        yield from _lines(stream, read)


def _lines(stream: BinaryIO, read: Any) -> Iterator[Item]:
    number = 0
    for line, (text, fault) in enumerate(_texts(stream), 1):
        if fault is not None:
            number += 1
            yield Item(number, line, fault=fault)
        elif text and not text.isspace():
            number += 1
            yield read(number, line, text)


def _read_json(text: str) -> Any:
    """Parse JSON. Whitespace around it is handled only if there is any, which is faster."""
    try:
        value, end = _json.raw_decode(text)
    except ValueError:
        return _json.decode(text)
    return value if end == len(text) else _json.decode(text)


def _json_item(number: int, line: int, text: str) -> Item:
    try:
        return Item(number, line, _read_json(text))
    except RecursionError:
        return Item(number, line, fault="it is nested too deeply")
    except ValueError as error:
        return Item(number, line, fault=f"it is not JSON: {error}")


def _texts(stream: BinaryIO) -> Iterator[tuple[str, str | None]]:
    """Yield the lines without line breaks, each with the reason why it cannot be read, or `None`."""
    line = stream.readline(LONGEST_LINE).removeprefix(_BOM)
    while line:
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield "", f"it is longer than {LONGEST_LINE:,} bytes"
        else:
            try:
                yield line.decode().rstrip("\r\n"), None
            except UnicodeDecodeError as error:
                yield "", f"it is not UTF-8 text (byte {error.start} is not)"
        line = stream.readline(LONGEST_LINE)


def _rows(stream: BinaryIO, delimiter: str) -> Iterator[Item]:
    """Yield the rows of a table as mappings with the column names of its first line."""
    undecoded: dict[int, str] = {}
    reader = csv.reader(_noting_faults(stream, undecoded), delimiter=delimiter, strict=True)
    try:
        header = _next_row(reader)
    except csv.Error as error:
        raise ConfigurationError(f"the first line, with the names of the columns, cannot be read: {error}") from error
    if header is None:
        return
    _check_header(header)
    number, ended = 0, reader.line_num
    while True:
        undecoded.clear()
        try:
            row = _next_row(reader)
        except csv.Error as error:
            row, fault = [], f"it is not a valid row: {error}"
        else:
            if row is None:
                return
            fault = next(iter(undecoded.values()), "") or _fault_of(row, header)
        line, ended = ended + 1, reader.line_num
        if row or fault:
            number += 1
            yield Item(number, line, fault=fault) if fault else Item(number, line, _row(header, row))


def _next_row(reader: Iterator[list[str]]) -> list[str] | None:
    """Return the next row, or `None` at the end. A cell can be as long as a line.

    Raises:
        csv.Error: If it is not a valid row.
    """
    before = csv.field_size_limit(LONGEST_LINE)  # a setting of the whole process, which tools may depend on
    try:
        return next(reader, None)
    finally:
        csv.field_size_limit(before)


def _noting_faults(stream: BinaryIO, undecoded: dict[int, str]) -> Iterator[str]:
    for line, (text, fault) in enumerate(_texts(stream), 1):
        if fault is not None:
            undecoded[line] = fault
        yield f"{text}\n"


def _check_header(header: list[str]) -> None:
    if twice := [name for place, name in enumerate(header) if name in header[:place]]:
        raise ConfigurationError(f"the first line names the column '{twice[0]}' twice")
    if not all(map(str.strip, header)):
        raise ConfigurationError("the first line has a column without a name")


def _fault_of(cells: list[str], header: list[str]) -> str:
    if not cells or len(cells) == len(header):
        return ""
    return f"it has {len(cells)} cells, but the first line has {len(header)}"


def _row(header: list[str], cells: list[str]) -> Mapping[str, str]:
    return dict(zip(header, cells, strict=True))


_ROWS_AT_ONCE = 1_000


def rows_of(stream: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """Yield the rows as plain data, with at most a thousand in memory at the same time.

    Raises:
        ConfigurationError: If pyarrow is missing, or the stream is not a Parquet file.
    """
    try:
        from pyarrow import ArrowException  # only this format needs it
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise not_installed("reading Parquet needs", "toolkit-cli[parquet]") from error
    try:
        for rows in ParquetFile(stream).iter_batches(batch_size=_ROWS_AT_ONCE):
            yield from map(plain_data, rows.to_pylist())
    except ArrowException as error:
        raise ConfigurationError(f"it cannot be read as Parquet: {error}") from error
