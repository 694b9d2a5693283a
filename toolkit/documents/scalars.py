"""Resolves unquoted scalars by the core schema of YAML 1.2.

In YAML 1.1, which PyYAML implements, `no` is false, `12:30` is 750 and `1_000` is 1000; here all of these are strings.
"""

import re
from math import isfinite

Value = str | int | float | bool | None

CONSTANTS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
NUMBER = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
NO_NUMBER = r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
NUMERIC_START = frozenset("-+.0123456789")
MAX_DIGITS = 1000


class NoSuchNumber(ValueError):  # noqa: N818 - named for what happened
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
    if re.fullmatch(NO_NUMBER, text):
        raise NoSuchNumber(f"'{text}' is not a number in JSON")
    if re.fullmatch(INTEGER, text):
        return _integer(text)
    if re.fullmatch(NUMBER, text):
        return _number(text)
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
