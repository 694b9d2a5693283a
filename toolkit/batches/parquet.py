"""Parquet: the rows of such a file, which the extra `parquet` reads."""

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from toolkit.errors import ConfigurationError
from toolkit.problems import how_to_install
from toolkit.tools.plain_arguments import plain_data

_ROWS_AT_ONCE = 1_000


def rows_of(stream: BinaryIO) -> Iterator[Mapping[str, Any]]:
    """Yield the rows as plain data, a thousand in memory at a time.

    Raises:
        ConfigurationError: If pyarrow is missing, or it is not such a file.
    """
    try:
        from pyarrow import ArrowException  # noqa: PLC0415 - nothing else needs it
        from pyarrow.parquet import ParquetFile  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(f"reading Parquet needs pyarrow: {how_to_install('toolkit-cli[parquet]')}") from error
    try:
        for rows in ParquetFile(stream).iter_batches(batch_size=_ROWS_AT_ONCE):
            yield from map(plain_data, rows.to_pylist())
    except ArrowException as error:
        raise ConfigurationError(f"it cannot be read as Parquet: {error}") from error
