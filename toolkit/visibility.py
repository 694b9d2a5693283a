"""What people see of a text: characters that print nothing, and JSON in which they stand as escapes."""

import json
import re
from typing import Any

_PRINTABLE_BUT_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_NOT_ASCII = re.compile(r"[^\n\x20-\x7e]+")


def is_visible(character: str) -> bool:
    """Return whether a character is seen where it stands, and turns nothing round."""
    return character.isprintable() and character not in _PRINTABLE_BUT_INVISIBLE


def visible_json(value: Any, *, indent: int | None = None, sort_keys: bool = False) -> str:
    """Return a value as JSON that says the same and hides nothing: what nobody would see is an escape.

    Args:
        value: What JSON can say.
        indent: By how many blanks each level stands in; without it everything is on one line.
        sort_keys: Whether the members of objects stand in the order of their names.
    """
    separators = (", ", ": ") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, sort_keys=sort_keys)
    return _NOT_ASCII.sub(_escape_run, text)


def _escape_run(found: re.Match[str]) -> str:
    run = found.group()
    return "".join(character if is_visible(character) else _escape(character) for character in run)


def _escape(character: str) -> str:
    # The standard library lets the delete character through, as JSON does.
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]
