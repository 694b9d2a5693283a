"""Reads the rows of Parquet files; needs the extra `parquet`."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install
from toolkit.tools.plain_arguments import plain_data

_ROWS_AT_ONCE = 1_000


def rows_of(stream: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """Yield the rows as plain data, with at most a thousand in memory at the same time.

    Raises:
        ConfigurationError: If pyarrow is missing, or the stream is not a Parquet file.
    """
    try:
        from pyarrow import ArrowException  # noqa: PLC0415 - only this format needs it
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(f"reading Parquet needs pyarrow: {how_to_install('toolkit-cli[parquet]')}") from error
    try:
        for rows in ParquetFile(stream).iter_batches(batch_size=_ROWS_AT_ONCE):
            yield from map(plain_data, rows.to_pylist())
    except ArrowException as error:
        raise ConfigurationError(f"it cannot be read as Parquet: {error}") from error
