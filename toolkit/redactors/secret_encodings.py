"""Decides which secrets can be found in text, and lists how one may be encoded: as JSON, URL, HTML or base64."""

from binascii import b2a_base64
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.redactors.readings import as_bytes, innermost, squeeze

_SHORTEST = 6
_FEWEST_CHARACTERS = 3
_SHORTEST_NUMBER = 8
_LONGEST_NUMBER = 100
_COMMON = frozenset({
    "admin", "administrator", "anonymous", "basic", "bearer", "changeme", "debug", "default", "development", "disabled",
    "enabled", "example", "guest", "localhost", "master", "mysql", "nobody", "null", "password", "postgres",
    "production", "public", "redacted", "required", "secret", "staging", "string", "testing", "token", "unknown",
})  # fmt: skip
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SHORTEST_CORE = 8
"""Shorter pieces of base64 would match ordinary text by chance."""
_SHORTEST_LINE = 12
_SHORTEST_SQUEEZED = 12
_SHORTEST_MIXED = 8
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"}


def can_be_found(value: str) -> bool:
    """Return whether a value differs from ordinary text: long enough, not a common word, not a short number."""
    if len(value) < _SHORTEST or len(set(value)) < _FEWEST_CHARACTERS or value.lower() in _COMMON:
        return False
    return not value.isdigit() or len(value) >= _SHORTEST_NUMBER


class Forms(NamedTuple):
    """How a secret may be written.

    Attributes:
        written: To search for in a text: the secret and all its encodings.
        decoded: To search for in a text whose escapes were undone.
        squeezed: To search for in a text whose layout was removed; ordinary text cannot contain these by chance.
    """

    written: frozenset[str]
    decoded: frozenset[str]
    squeezed: frozenset[str]


def forms_of(value: str) -> Forms:
    """Return every encoding of a secret, including the secret itself."""
    read = {value, *(one for one in (innermost(value), *_as_latin(value), *_lines_of(value)) if can_be_found(one))}
    encoded = {*_encode(value)}
    written = read | encoded
    if value.isdigit() and value.isascii() and value[0] != "0" and len(value) <= _LONGEST_NUMBER:
        written |= {f"{int(value):,}", f"{int(value):_}"}
    if not _UNRESERVED.issuperset(as_bytes(value)):
        written |= {*_quote(value), *_escape(value)}
    squeezed = {form for form in map(squeeze, read | encoded) if _is_unmistakable(form)}
    decoded = read if squeeze(value) in squeezed else written
    return Forms(frozenset(written - {""}), frozenset(decoded - {""}), frozenset(squeezed))


def _is_unmistakable(form: str) -> bool:
    """Return whether words that happen to follow one another are not this form: it is long, or not only letters."""
    if len(form) >= _SHORTEST_SQUEEZED:
        return True
    is_word = form.isdigit() or (form.isalpha() and (form[1:].islower() or form.isupper()))
    return len(form) >= _SHORTEST_MIXED and not is_word


def _lines_of(value: str) -> Iterator[str]:
    """Yield the lines of a value that are long enough to be secrets of their own."""
    yield from (line.strip() for line in value.splitlines() if len(line.strip()) >= _SHORTEST_LINE)


def _as_latin(value: str) -> Iterator[str]:
    """Yield a value as its bytes read one by one, as `repr` writes bytes."""
    if not value.isascii():
        yield as_bytes(value).decode("latin-1")


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
    from json import dumps  # most secrets have nothing to escape

    for is_ascii in (True, False):
        inside = dumps(value, ensure_ascii=is_ascii)[1:-1]
        yield from (inside, inside.replace("/", "\\/"), dumps(inside, ensure_ascii=is_ascii)[1:-1])
    yield repr(value)[1:-1]
    yield repr(f"{value}'")[1:-2]
    yield "".join(_HTML.get(character, character) for character in value)
    yield "".join(_HTML.get(character, character) if character in "&<>" else character for character in value)
