"""Unpacking: a compressed body, piece by piece, so that little never becomes much before it is counted."""

import zlib
from collections.abc import Iterator
from typing import Any, Final

_PIECE: Final = 64 * 1024


class BrokenBodyError(Exception):
    """A body cannot be uncompressed; the message says why."""


class Unpacker:
    """Uncompresses one body."""

    def __init__(self, encoding: str) -> None:
        """Begin with nothing.

        Args:
            encoding: How the body is compressed, according to its header.

        Raises:
            BrokenBodyError: If the body is packed in a way that was not asked for.
        """
        self._encoding = encoding.strip().lower()
        if self._encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise BrokenBodyError("the body is compressed in a way that was not asked for")
        self._inflating = self._new() if self._encoding not in {"", "identity"} else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the uncompressed content of a chunk, a bounded piece at a time.

        Raises:
            BrokenBodyError: If it is not compressed as it should be.
        """
        if self._inflating is None:
            yield chunk
            return
        try:
            while chunk:
                if self._inflating.eof:  # a body may be several compressed ones, one after the other
                    self._inflating = self._new()
                yield self._inflating.decompress(chunk, _PIECE)
                chunk = self._inflating.unconsumed_tail or self._inflating.unused_data
        except zlib.error:
            raise BrokenBodyError("the compressed body is broken") from None

    def finish(self) -> None:
        """Look whether the body has come to its end.

        Raises:
            BrokenBodyError: If it breaks off.
        """
        if self._inflating is not None and not self._inflating.eof:
            raise BrokenBodyError("the compressed body breaks off")

    @staticmethod
    def _new() -> Any:
        return zlib.decompressobj(zlib.MAX_WBITS | 32)
