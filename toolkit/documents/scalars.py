"""Resolves unquoted scalars by the core schema of YAML 1.2.

In YAML 1.1, which PyYAML implements, `no` is false, `12:30` is 750 and `1_000` is 1000; here all of these are strings.
"""

import re
from math import isfinite

from toolkit.codes import YAML_1_1_TRAP
from toolkit.documents.nodes import Node, Scalar, scalars_in
from toolkit.problems import Edit, Fix, Problem

Value = str | int | float | bool | None

CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
NUMERIC_START = frozenset("-+.0123456789")
MAX_DIGITS = 1000


class NoSuchNumber(ValueError):
    """A scalar is written like a number but is not one that JSON and Python support."""


def resolve(text: str) -> Value:
    """Return the value of an unquoted scalar.

    Raises:
        NoSuchNumber: If the number is infinite, not a number (`.nan`), or too long.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[0] not in NUMERIC_START:
        return text
    if INTEGER.fullmatch(text):
        return _integer(text)
    if NUMBER.fullmatch(text):
        return _number(text)
    if NO_NUMBER.fullmatch(text):
        raise NoSuchNumber(f"'{text}' is not a number in JSON")
    return text


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise NoSuchNumber(f"a number of {len(text):,} digits is longer than {MAX_DIGITS:,}")
    base = {"0o": 8, "0x": 16}.get(text[:2])
    return int(text[2:], base) if base else int(text)


def _number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise NoSuchNumber(f"'{text[:40]}' is too large for a number")
    return number


WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_LONGEST_WORD = max(map(len, WORDS))
CASES = (str.lower, str.title, str.upper)
SEXAGESIMAL = r"[-+]?[1-9][0-9]*(?::[0-5]?[0-9])+"
GROUPED = r"[-+]?[1-9][0-9]*(?:_[0-9]+)+"
LEADING_ZERO = r"[-+]?0[0-9]+"
LOST_ZERO = r"[-+]?[0-9]+\.[0-9]+0"
_LIKE_A_NUMBER = frozenset("-+0123456789")
NO_EXPRESSION = r"(?<![${])\{\{[^{}\r\n]*\}\}"
COMMENT = re.compile(r" {1,1000}#")

_MOST_TRAPS = 100

QUOTES = "put quotes around it"
QUOTES_IF_TEXT = "put quotes around it if it is text"


def find_traps(node: Node) -> list[Problem]:
    """Return warnings (TK618) for values in a document that could be misread, without repetitions and at most 100."""
    found: dict[int, Problem] = {}  # by the value, which aliases may repeat
    for scalar in scalars_in(node):
        if (problem := trap_of(scalar)) is not None and id(scalar) not in found:
            found[id(scalar)] = problem
            if len(found) == _MOST_TRAPS:
                break
    return list(found.values())


def trap_of(scalar: Scalar) -> Problem | None:
    """Return the warning (TK618) for one value, or `None` if it cannot be misread."""
    if "{{" in scalar.text and "${{" not in scalar.text and (found := re.search(NO_EXPRESSION, scalar.text)):
        location = scalar.locate(found.start(), len(found.group()))
        fix = Fix(f"Write ${found.group()}", (Edit(location, f"${found.group()}"),), is_safe=False)
        message, hint = "'{{ }}' without '$' is plain text", f"write ${found.group()}"
        return Problem(YAML_1_1_TRAP, message, location, "warning", hint, fix=fix)
    if not scalar.plain:
        return None
    if (cut_off := _cut_off(scalar)) is not None:
        return Problem(YAML_1_1_TRAP, cut_off[0], scalar.location, "warning", cut_off[1])
    misread = _misread_word(scalar.text) or _misread_number(scalar)
    if misread is None:
        return None
    message, hint = misread
    stays_text = isinstance(scalar.value, str)
    quoting = Edit(scalar.locate(0, len(scalar.text)), f'"{scalar.text}"')
    fix = Fix("Put quotes around it", (quoting,), is_safe=stays_text)
    return Problem(YAML_1_1_TRAP, message, scalar.location, "warning", hint, fix=fix)


def _misread_word(text: str) -> tuple[str, str] | None:
    meaning = WORDS.get(text.lower()) if len(text) <= _LONGEST_WORD else None
    if meaning is None or text not in [change(text) for change in CASES]:
        return None
    return f"'{text}' is text here, but {meaning} in YAML 1.1", f"write {meaning}, or put quotes around it"


def _misread_number(scalar: Scalar) -> tuple[str, str] | None:
    text = scalar.text
    if not text or text[0] not in _LIKE_A_NUMBER or (text.isdecimal() and text[0] != "0"):
        return None
    if re.fullmatch(SEXAGESIMAL, text):
        return f"'{text}' is text here, but a base-60 number in YAML 1.1", QUOTES
    if re.fullmatch(GROUPED, text):
        digits = text.replace("_", "")
        return f"'{text}' is text here, but a number in YAML 1.1", f"write {digits}, or put quotes around it"
    if re.fullmatch(LEADING_ZERO, text):
        return f"'{text}' is the number {scalar.value} here, but an octal number in YAML 1.1", QUOTES_IF_TEXT
    if re.fullmatch(LOST_ZERO, text):
        return f"'{text}' is the number {scalar.value}", QUOTES_IF_TEXT
    return None


def _cut_off(scalar: Scalar) -> tuple[str, str] | None:
    """Return the message and the hint for an expression with ` #` in it, after which the line is a comment."""
    if "${{" not in scalar.text or scalar.written is None or "}}" in scalar.text.rpartition("${{")[2]:
        return None
    if not COMMENT.match(scalar.written.source.text, scalar.written.end):
        return None
    return "the rest of the line is a comment, since ' #' begins one", "put quotes around the text"
