r"""Undoes what encoders and layouts do to a text, so that a secret is found however it was written.

A reading is a text without its escapes (`\"`, `\u00e9`, `&#39;`, `%2F`, colors), without its layout (line breaks,
indentation, frames, quotes), or both. Escapes may be nested, as in JSON inside of JSON, so they are undone repeatedly.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

_DEEPEST = 4
_HEX = "[0-9A-Fa-f]"
_REST = "%[89ABab]" + _HEX  # a byte of a character in UTF-8, after the first
_ESCAPE = re.compile(
    r"[\\&%\x1b](?:"  # a pattern that begins with a set of characters is found much faster
    rf"(?<=\\)(?:u[Dd][89ABab]{_HEX}{{2}}\\u[Dd][C-Fc-f]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}|U{_HEX}{{8}}"
    rf"|x{_HEX}{{2}}|[0-3][0-7]{{2}}|.)"
    rf"|(?<=&)(?:\#[0-9]{{1,7}}|\#[Xx]{_HEX}{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});"
    rf"|(?<=%)(?:[0-7]{_HEX}|[CDcd]{_HEX}{_REST}|[Ee]{_HEX}{_REST}{_REST}|[Ff][0-7]{_REST}{_REST}{_REST})"
    r"|(?<=\x1b)\[[0-?]*[ -/]*[@-~])",
    re.DOTALL,
)
_MOST_BEGUN = 3
_LONGEST_BEGUN = 48
_MARKS_OF_ESCAPES = ("\\", "&", "%", "\x1b")
_CONTROLS = {
    "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "0": "\0", "e": "\x1b",
    "N": "\x85", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
"""What a backslash and a letter stand for; the last line only in YAML."""
_LAYOUT = re.compile(
    "[\\s\\\\'\"`|+\u2500-\u257f"  # spaces, quotes, frames
    "\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffd]+"  # what many writers leave out
)
_LAYOUT_IN_ASCII = {code: None for code in range(128) if _LAYOUT.match(chr(code))}


class _Pass(NamedTuple):
    pattern: re.Pattern[str]
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
    return _ESCAPE.sub(_character, text)


def squeeze(text: str) -> str:
    """Return a text without anything that layouts insert: spaces, line breaks, quotes, backslashes, frames."""
    return text.translate(_LAYOUT_IN_ASCII) if text.isascii() else _LAYOUT.sub("", text)


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
    pattern: re.Pattern[str],
    replacement: Callable[[re.Match[str]], str],
) -> tuple[str, list[int], list[int]]:
    """Replace every match, and return the new text with the places of its characters."""
    parts: list[str] = []
    new_starts: list[int] = []
    new_ends: list[int] = []
    done = 0
    for found in pattern.finditer(text):
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
