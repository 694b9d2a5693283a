"""Decompresses bodies in bounded pieces, so that a decompression bomb cannot exceed the maximum size."""

import zlib
from collections.abc import Iterator
from typing import Any, Final

_PIECE: Final = 64 * 1024


class BrokenBodyError(Exception):
    """A body cannot be decompressed; the message says why."""


class Unpacker:
    """Decompresses one body."""

    def __init__(self, encoding: str) -> None:
        """Create the unpacker.

        Args:
            encoding: The `Content-Encoding` of the body.

        Raises:
            BrokenBodyError: If the encoding is not supported.
        """
        self._encoding = encoding.strip().lower()
        if self._encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise BrokenBodyError("the body has a content encoding that is not supported")
        self._inflating = self._new() if self._encoding not in {"", "identity"} else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the decompressed content of a chunk in bounded pieces.

        Raises:
            BrokenBodyError: If the compressed data is invalid.
        """
        if self._inflating is None:
            yield chunk
            return
        try:
            while chunk:
                if self._inflating.eof:  # a body can consist of several compressed members
                    self._inflating = self._new()
                yield self._inflating.decompress(chunk, _PIECE)
                chunk = self._inflating.unconsumed_tail or self._inflating.unused_data
        except zlib.error:
            raise BrokenBodyError("the compressed body is invalid") from None

    def finish(self) -> None:
        """Check that the body is complete.

        Raises:
            BrokenBodyError: If the compressed data is incomplete.
        """
        if self._inflating is not None and not self._inflating.eof:
            raise BrokenBodyError("the compressed body is incomplete")

    @staticmethod
    def _new() -> Any:
        return zlib.decompressobj(zlib.MAX_WBITS | 32)
