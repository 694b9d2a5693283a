"""The bodies of responses: decompressed in bounded pieces, and decoded whatever charset a server declares."""

import codecs
import re
import zlib
from collections.abc import Iterator
from email.message import Message
from typing import Any, Final, NamedTuple

# The encodings that browsers support. Python has more, some of which take quadratic time or decompress data.
_KNOWN: Final = {
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp866", "cp874"),
    *("iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-10"),
    *("iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("gbk", "gb18030", "big5", "big5hkscs", "cp932", "cp949", "euc_jp", "iso2022_jp", "shift_jis", "euc_kr"),
}
# As in browsers, ASCII and Latin 1 mean the larger Windows encoding, and GB 2312 means GBK.
_WIDER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gbk",
}
_MARKS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_DECLARED: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_DECLARED_WITHIN: Final = 4096


class MediaType(NamedTuple):
    """The declared type of a body in lower case, such as `text/html`, and its charset, if it is declared."""

    name: str
    charset: str | None


def read_media_type(header: str) -> MediaType:
    """Parse a `Content-Type` header; the name is an empty string if the header contains no type."""
    message = Message()
    message["content-type"] = header.replace("\r", " ").replace("\n", " ")
    return MediaType(message.get_content_type() if "/" in header else "", message.get_content_charset())


def decode_text(body: bytes, charset: str | None = None, *, is_html: bool = False, is_cut: bool = False) -> str:
    """Decode a body; bytes that are invalid in its charset become `\N{REPLACEMENT CHARACTER}`.

    A byte order mark takes precedence over the charset that the server declares, and that over the charset that the
    page declares. Unknown charsets are ignored. Without a known charset, the body is decoded as UTF-8 or, if that
    fails, as Windows-1252.

    Args:
        body: The bytes of the body.
        charset: The charset that the server declares.
        is_html: Whether to look for a declaration in the page itself.
        is_cut: Whether the body was cut off; then an incomplete character at its end is dropped.
    """
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return _decode(body[len(mark) :], name, "replace", is_cut)
    known = _known(charset) or (_declare(body) if is_html else None)
    if known is not None:
        return _decode(body, known, "replace", is_cut)
    try:
        return _decode(body, "utf-8", "strict", is_cut)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _decode(body: bytes, name: str, errors: str, is_cut: bool) -> str:  # noqa: FBT001 - it is only passed on
    return codecs.getincrementaldecoder(name)(errors).decode(body, not is_cut)


def looks_binary(body: bytes) -> bool:
    """Return whether a body that is declared as text is binary data."""
    return b"\0" in body[:1024] and not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _known(label: str | None) -> str | None:
    if label is None:
        return None
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _WIDER.get(name, name)
    return name if name in _KNOWN else None


def _declare(body: bytes) -> str | None:
    """Return the declared charset of a page, with UTF-8 for UTF-16, in which the declaration would be unreadable."""
    found = _DECLARED.search(body[:_DECLARED_WITHIN])
    known = _known(found[1].decode("ascii")) if found else None
    return "utf-8" if known and known.startswith("utf-16") else known


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
