"""Finds, removes and escapes invisible characters and terminal control sequences.

`disarm` is applied to every text that is printed to a terminal, and `visible_json` writes all JSON output.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from toolkit.json_texts import json_text

_PRINTABLE_BUT_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_TAGS = "\U000e0000-\U000e0fff"
_SELECTORS = "\ufe00-\ufe0f"
_HIDDEN = (
    "["
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    f"{_SELECTORS}{_TAGS}"
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "]+"
)
_JOINERS = "\u200c\u200d"
_STYLES = "\ufe0e\ufe0f"
_STYLED = frozenset("#*0123456789\u203c\u2049\u2139\u3030\u303d")
"""The characters that are emoji only with a selector after them, although they are no symbols for Unicode."""
_KEYCAP = "\u20e3"
"""What makes a keycap of a character and a selector; code may put in the character, as in `f"{number}\ufe0f\u20e3"`."""
_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]+")


def is_visible(character: str) -> bool:
    """Return whether a character is visible and does not change the direction of text."""
    return character.isprintable() and character not in _PRINTABLE_BUT_INVISIBLE


def may_hide(text: str) -> bool:
    """Return whether a text contains a character that is invisible in some contexts."""
    return not text.isascii() and re.search(_HIDDEN, text) is not None


def hidden_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each run of invisible characters that no script or emoji needs."""
    for found in re.finditer(_HIDDEN, text):
        start = found.start()
        while start < found.end():
            if _is_needed(text, start):
                start += 1
                continue
            end = start + 1
            while end < found.end() and not _is_needed(text, end):
                end += 1
            yield start, end
            start = end


def without_hidden(value: Any) -> Any:
    """Remove invisible characters that no script or emoji needs from all strings in plain data, including keys."""
    if isinstance(value, str):
        return _show(value)
    if isinstance(value, dict):
        return {_show(key): without_hidden(inner) for key, inner in value.items()}
    return [without_hidden(inner) for inner in value] if isinstance(value, list) else value


def _show(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    parts, start = [], 0
    for hidden, end in hidden_spans(text):
        parts.append(text[start:hidden])
        start = end
    return "".join([*parts, text[start:]])


_NOT_PLAIN = re.compile(r"[^\n\t\x20-\x7e]+")
_STYLE = r"(\x1b\[(?:0|1|2|3[1-3]|1;3[146])m)"
_OBEYED_OR_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def disarm(text: str, *, styled: bool = False) -> str:
    """Escape control sequences and invisible characters, so that a terminal shows the text and executes nothing.

    Line breaks and tabs are kept, and so are the joiners that a script or an emoji needs.

    Args:
        text: Any text.
        styled: Whether the text contains our own colour sequences, which are kept too.
    """
    if not styled:
        return _NOT_PLAIN.sub(_disarm_run, text)
    pieces = re.split(_STYLE, text)
    return "".join(piece if place % 2 else disarm(piece) for place, piece in enumerate(pieces))


def escape_character(character: str) -> str:
    """Return the escape sequence of a character in a Python string."""
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code <= 0xFF:  # noqa: PLR2004 - the widths of Python's own escapes
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def _disarm_run(found: re.Match[str]) -> str:
    run, start, text = found.group(), found.start(), found.string
    if run.isprintable() and _PRINTABLE_BUT_INVISIBLE.isdisjoint(run):
        return run
    return "".join(
        escape_character(character) if _is_dangerous(character) and not _is_needed(text, start + place) else character
        for place, character in enumerate(run)
    )


def _is_dangerous(character: str) -> bool:
    """Return whether a terminal interprets a character as a control character, or does not show it."""
    return (
        unicodedata.category(character) in _OBEYED_OR_UNSEEN
        or character in _PRINTABLE_BUT_INVISIBLE
        or re.match(_HIDDEN, character) is not None
    )


def visible_json(
    value: Any, *, indent: int | None = None, sort_keys: bool = False, default: Callable[[Any], Any] | None = None
) -> str:
    """Serialize a value as JSON in which invisible characters are escaped; the meaning stays the same.

    Args:
        value: The value.
        indent: The number of spaces per level; without it, everything is on one line.
        sort_keys: Whether to sort the keys of objects.
        default: Returns a serializable replacement for an object that JSON cannot represent.
    """
    separators = (", ", ": ") if indent is None else (",", ": ")
    text = json_text(value, indent=indent, separators=separators, sort_keys=sort_keys, default=default)
    return _NOT_ASCII.sub(_escape_run, text)


def _escape_run(found: re.Match[str]) -> str:
    run = found.group()
    if run.isprintable() and _PRINTABLE_BUT_INVISIBLE.isdisjoint(run):
        return run
    return "".join(character if is_visible(character) else _as_in_json(character) for character in run)


def _as_in_json(character: str) -> str:
    # The standard library does not escape the delete character, which JSON allows unescaped.
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def _is_needed(text: str, index: int) -> bool:
    """Return whether a joiner or a variation selector is needed by its neighbours, which must be visible themselves."""
    character = text[index]
    before = text[index - 1] if index else " "
    after = text[index + 1] if index + 1 < len(text) else " "
    if character in _STYLES:
        return _is_pictorial(before) or before in _STYLED or (after == _KEYCAP and is_visible(before))
    if character not in _JOINERS:
        return False
    if before in _STYLES:
        return _is_pictorial(after) and _is_needed(text, index - 1)
    if _is_pictorial(before) and _is_pictorial(after):
        return True
    return _is_mark(before) or (_is_letter(before) and _is_letter(after) and not (before + after).isascii())


def _is_pictorial(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk", "Sm") and is_visible(character)


def _is_letter(character: str) -> bool:
    return character.isalpha() and is_visible(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc") and is_visible(character)
