"""Lists how one secret may be encoded: as JSON, URL, HTML, Python, base64 or hexadecimal."""

from binascii import b2a_base64
from collections.abc import Iterator

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SHORTEST_CORE = 8
"""Shorter pieces of base64 would match ordinary text by chance."""
_SHORTEST_LINE = 12
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}


def forms_of(value: str) -> frozenset[str]:
    """Return every encoding of a secret, including the secret itself."""
    forms = {value, *_encode(value)}
    if not _UNRESERVED.issuperset(as_bytes(value)):
        forms |= {*_quote(value), *_escape(value)}
        forms |= {line.strip() for line in value.splitlines() if len(line.strip()) >= _SHORTEST_LINE}
    return frozenset(form for form in forms if form)


def _encode(value: str) -> Iterator[str]:
    """Yield the value in base64, also as part of a longer base64 text, and in hexadecimal."""
    data = as_bytes(value)
    yield data.hex()
    yield data.hex().upper()
    for before in range(3):
        text = b2a_base64(bytes(before) + data, newline=False).decode()
        core = text[-(-before * 8 // 6) : (before + len(data)) * 8 // 6]
        for form in {text, text.rstrip("="), core} if before == 0 else {core}:
            if len(form) >= _SHORTEST_CORE:
                yield form
                yield form.replace("+", "-").replace("/", "_")


def _quote(value: str) -> Iterator[str]:
    """Yield the value as it appears in parts of a URL."""
    data = as_bytes(value)
    for safe in (_UNRESERVED, _UNRESERVED | frozenset(b"/")):
        quoted = "".join(chr(byte) if byte in safe else f"%{byte:02X}" for byte in data)
        yield from (quoted, quoted.replace("%20", "+"), quoted.lower() if "%" in quoted else quoted)


def _escape(value: str) -> Iterator[str]:
    """Yield the value as JSON, JSON inside JSON, HTML and Python write it."""
    from json import dumps  # noqa: PLC0415 - most secrets have nothing to escape

    for is_ascii in (True, False):
        inside = dumps(value, ensure_ascii=is_ascii)[1:-1]
        yield from (inside, inside.replace("/", "\\/"), dumps(inside, ensure_ascii=is_ascii)[1:-1])
    yield repr(value)[1:-1]
    yield repr(f"{value}'")[1:-2]
    yield "".join(_HTML.get(character, character) for character in value)
    yield "".join(_HTML.get(character, character) if character in "&<>" else character for character in value)


def as_bytes(value: str) -> bytes:
    """Return the bytes of a value; bytes decoded with `surrogateescape` are restored."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")
