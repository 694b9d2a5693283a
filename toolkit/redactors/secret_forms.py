r"""The forms in which a secret may be written: which can be found, how one is encoded, and how that is undone.

A secret is found in a text whole, or cut off by the end of the text or by an ellipsis. It may be encoded as JSON, URL,
HTML or base64.

A reading is a text without its escapes (`\"`, `\u00e9`, `&#39;`, `%2F`, colors), without its layout (line breaks,
indentation, frames, quotes), or both. Escapes may be nested, as in JSON inside of JSON, so they are undone repeatedly.
"""

import re
import sys
import threading
from binascii import b2a_base64
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from json import dumps
from typing import NamedTuple

_DEEPEST = 4
_HEX = "[0-9A-Fa-f]"
_REST = "%[89ABab]" + _HEX  # a byte of a character in UTF-8, after the first
_ESCAPE = (
    r"(?s)[\\&%\x1b](?:"  # a pattern that begins with a set of characters is found much faster
    rf"(?<=\\)(?:u[Dd][89ABab]{_HEX}{{2}}\\u[Dd][C-Fc-f]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|U{_HEX}{{8}}"
    rf"|x{_HEX}{{2}}|[0-3][0-7]{{2}}|.)"
    rf"|(?<=&)(?:\#[0-9]{{1,7}}|\#[Xx]{_HEX}{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});"
    rf"|(?<=%)(?:[0-7]{_HEX}|[CDcd]{_HEX}{_REST}|[Ee]{_HEX}{_REST}{_REST}|[Ff][0-7]{_REST}{_REST}{_REST})"
    r"|(?<=\x1b)\[[0-?]*[ -/]*[@-~])"
)
_MOST_BEGUN = 3
_LONGEST_BEGUN = 48
_MARKS_OF_ESCAPES = ("\\", "&", "%", "\x1b")
_CONTROLS = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "e": "\x1b",
    "N": "\x85", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
"""What a backslash and a letter stand for; the last line only in YAML."""
_LAYOUT = (
    "[\\s\\\\'\"`|+\u2500-\u257f"  # spaces, quotes, frames
    "\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd]+"  # what many writers leave out
)
_LAYOUT_IN_ASCII = dict.fromkeys((*range(33), *b"\\'\"`|+\x7f"))


class _Pass(NamedTuple):
    pattern: str
    replacement: Callable[[re.Match[str]], str]


class Reading(NamedTuple):
    """A text without its escapes or its layout.

    Attributes:
        text: The text.
        is_squeezed: Whether the layout is missing.
        original: The text as it was written.
        passes: How this reading was made of the original.
    """

    text: str
    is_squeezed: bool
    original: str
    passes: Sequence[_Pass]

    def places(self) -> tuple[Sequence[int], Sequence[int]]:
        """Return where each character starts and ends in the original."""
        text = self.original
        starts: Sequence[int] = range(len(text))
        ends: Sequence[int] = range(1, len(text) + 1)
        for pattern, replacement in self.passes:
            text, starts, ends = _replace(text, starts, ends, pattern, replacement)
        return starts, ends


def readings(text: str, *, squeezes: bool = True) -> Iterator[Reading]:
    """Yield a text with its escapes undone, level by level, and each level also without its layout.

    Args:
        text: The text.
        squeezes: Whether to yield texts without their layout.
    """
    passes: list[_Pass] = []
    now, before = text, None
    for _ in range(_DEEPEST):
        if squeezes and (squeezed := squeeze(now)) != before:
            yield Reading(squeezed, True, text, [*passes, _SQUEEZE])
            before = squeezed
        if (decoded := decode(now)) == now:
            return
        now = decoded
        passes = [*passes, _DECODE]
        yield Reading(now, False, text, passes)


def innermost(text: str) -> str:
    """Return a text without any escapes, however deeply they are nested."""
    for _ in range(_DEEPEST):
        text, before = decode(text), text
        if text == before:
            break
    return text


def decode(text: str) -> str:
    """Return a text with one level of escapes undone."""
    if "\\" not in text and "&" not in text and "%" not in text and "\x1b" not in text:
        return text
    return re.sub(_ESCAPE, _character, text)


def squeeze(text: str) -> str:
    """Return a text without anything that layouts insert: spaces, line breaks, quotes, backslashes, frames."""
    return text.translate(_LAYOUT_IN_ASCII) if text.isascii() else re.sub(_LAYOUT, "", text)


def without_begun_escapes(text: str) -> Iterator[str]:
    """Yield a text, and the text without the last few escapes, which may be incomplete."""
    yield text
    for _ in range(_MOST_BEGUN):
        start = max(text.rfind(mark, -_LONGEST_BEGUN) for mark in _MARKS_OF_ESCAPES)
        if start < 0:
            return
        yield (text := text[:start].rstrip(text[start]))


def _character(found: re.Match[str]) -> str:
    return _meaning(found.group())


@lru_cache(4096)
def _meaning(escape: str) -> str:
    """Return what an escape stands for."""
    first, rest = escape[0], escape[1:]
    if first == "%":
        return _from_utf_8(bytes.fromhex(escape.replace("%", "")))
    if escape.startswith("&#"):
        digits = rest[1:-1]
        return _from_code(int(digits[1:], 16) if digits[0] in "Xx" else int(digits), escape)
    if first == "&":
        from html import unescape  # it has a table of two thousand names

        return unescape(escape)
    if first == "\x1b":
        return ""
    if len(rest) == 1:
        return _CONTROLS.get(rest, rest)
    if rest[0] in "0123":
        return chr(int(rest, 8))
    if "\\" in rest:  # two halves of one character
        return chr(0x10000 + ((int(rest[1:5], 16) & 0x3FF) << 10) + (int(rest[7:], 16) & 0x3FF))
    return _from_code(int(rest[1:].strip("{}"), 16), escape)


def _from_utf_8(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


def _from_code(code: int, escape: str) -> str:
    return chr(code) if code <= sys.maxunicode else escape


def _replace(
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    pattern: str,
    replacement: Callable[[re.Match[str]], str],
) -> tuple[str, list[int], list[int]]:
    """Replace every match, and return the new text with the places of its characters."""
    parts: list[str] = []
    new_starts: list[int] = []
    new_ends: list[int] = []
    done = 0
    for found in re.finditer(pattern, text):
        start, end = found.span()
        new = replacement(found)
        parts += [text[done:start], new]
        new_starts += [*starts[done:start], *([starts[start]] * len(new))]
        new_ends += [*ends[done:start], *([ends[end - 1]] * len(new))]
        done = end
    return "".join([*parts, text[done:]]), [*new_starts, *starts[done:]], [*new_ends, *ends[done:]]


_DECODE = _Pass(_ESCAPE, _character)
_SQUEEZE = _Pass(_LAYOUT, lambda _: "")


def as_bytes(value: str) -> bytes:
    """Return the bytes of a value; bytes decoded with `surrogateescape` are restored."""
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


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
    for is_ascii in (True, False):
        inside = dumps(value, ensure_ascii=is_ascii)[1:-1]
        yield from (inside, inside.replace("/", "\\/"), dumps(inside, ensure_ascii=is_ascii)[1:-1])
    yield repr(value)[1:-1]
    yield repr(f"{value}'")[1:-2]
    yield "".join(_HTML.get(character, character) for character in value)
    yield "".join(_HTML.get(character, character) if character in "&<>" else character for character in value)


_MOST_LEARNT = 1_000
_SHORTEST_PART = 4
_SHORTEST_MIDDLE = 6
_ELLIPSIS = r"""[ \[(<'"\\]*(?:…|\.{3,}|\\u2026|&hellip;)[ \])>'"]*"""
_ELLIPSES = ("…", "...", "\\u2026", "&hellip;")
Span = tuple[int, int]


class KnownSecrets:
    """Secret values, and the forms to search for; safe to use from several threads.

    Attributes:
        values: The secrets, with their forms.
        written: What to search for in a text.
        decoded: What to search for in a text whose escapes were undone.
        squeezed: What to search for in a text whose layout was removed.
    """

    def __init__(self) -> None:
        """Start without any."""
        self.values: dict[str, Forms] = {}
        self.written = self.decoded = self.squeezed = Wanted(())
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        """Add values; if there are more than a thousand, only the newest thousand are kept."""
        with self._lock:
            kept = {**self.values, **{value: forms_of(value) for value in values}}
            self.values = dict(list(kept.items())[-_MOST_LEARNT:])
            every = self.values.values()
            self.written = Wanted(form for forms in every for form in forms.written)
            self.decoded = Wanted(form for forms in every for form in forms.decoded)
            self.squeezed = Wanted(form for forms in every for form in forms.squeezed)


class Wanted:
    """Strings to search for, the shortest first."""

    def __init__(self, forms: Iterable[str]) -> None:
        """Sort the strings."""
        self.forms = sorted(set(forms), key=len)
        self._lengths = [len(form) for form in self.forms]

    def found_in(self, text: str) -> list[str]:
        """Return the strings that a text contains."""
        return [form for form in self.forms[: bisect_right(self._lengths, len(text))] if form in text]


def spans_of(wanted: Wanted, text: str, *, is_cut: bool = False, has_cuts: bool = True) -> Iterator[Span]:
    """Yield where the forms, and parts of them next to an ellipsis, are in a text; they may overlap.

    Args:
        wanted: What to search for.
        text: The text.
        is_cut: Whether the text was truncated, so that it may end with the beginning of a form.
        has_cuts: Whether an ellipsis in the text means that something was left out.
    """
    for form in wanted.found_in(text):
        start = text.find(form)
        while start >= 0:
            yield start, start + len(form)
            start = text.find(form, start + 1)
    cuts = list(re.finditer(_ELLIPSIS, text)) if has_cuts and any(dots in text for dots in _ELLIPSES) else []
    if not cuts and not is_cut:
        return
    starts = [cut.end() for cut in cuts]
    ends = [cut.start() for cut in cuts] + ([len(text)] if is_cut else [])
    for form in wanted.forms:
        if form[:_SHORTEST_PART] in text:
            yield from _beginnings(form, text, ends)
    parts = {part for start in starts if len(part := text[start : start + _SHORTEST_PART]) == _SHORTEST_PART}
    with_part = {part: [form for form in wanted.forms if part in form] for part in parts}
    for start, end in zip_longest(starts, ends[1:], fillvalue=len(text)):
        for form in with_part.get(text[start : start + _SHORTEST_PART], ()):
            yield from _endings(form, text, start)
            if end - start >= _SHORTEST_MIDDLE and text[start:end] in form:  # cut at both sides
                yield start, end


def _beginnings(form: str, text: str, ends: Iterable[int]) -> Iterator[Span]:
    """Yield where an incomplete form begins that ends at one of these positions."""
    seed = form[:_SHORTEST_PART]
    for end in ends:
        start = text.find(seed, max(0, end - len(form)), end)
        while start >= 0:
            if form.startswith(text[start:end]):
                yield start, end
                break
            start = text.find(seed, start + 1, end)


def _endings(form: str, text: str, start: int) -> Iterator[Span]:
    """Yield how far the last part of a form reaches that starts at a position."""
    seed = text[start : start + _SHORTEST_PART]
    place = form.find(seed)
    while place >= 0:
        if text.startswith(form[place:], start):
            yield start, start + len(form) - place
            return
        place = form.find(seed, place + 1)


def start_of_begun_form(wanted: Wanted, text: str) -> int | None:
    """Return where the first form begins that the end of a text cuts off, with at least a few of its characters."""
    ends = [len(text)]
    begun = (start for form in wanted.forms for start, _ in _beginnings(form, text, ends))
    return min(begun, default=None)
