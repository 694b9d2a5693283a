"""Places: where in a text an expression matches, found by RE2, in time that grows with the text for each place."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolkit.problems import how_to_install
from toolkit.regex_checks import (
    MAX_WORK,
    MalformedExpressionError,
    TooLargeError,
    TooMuchWorkError,
    at_place,
    check_expression,
)

_MAX_MEMORY: Final = 2 * 1024 * 1024
_ASCII_ONLY: Final = re.compile(r"\\[wWdDsSbB]")
_ASCII_ONLY_NEGATED: Final = re.compile(r"\\[WDS]")


class MissingEngineError(Exception):
    """RE2 is not installed; the message says how to install it."""


def find_places(expression: str, text: str, goes_on: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    """Yield where in a text something matches, one place behind the other; `^` and `$` are at every line's ends.

    Raises:
        MissingEngineError: RE2 is not installed.
        MalformedExpressionError: Naming what is wrong, and where.
        TooMuchWorkError: The text is too long for this expression, or there was no time to finish.
    """
    if check_expression(expression) * len(text) > MAX_WORK:
        raise TooMuchWorkError
    ascii_only = _ASCII_ONLY_NEGATED.search(expression) or _ASCII_ONLY.search(expression)
    for found in _compile(expression).finditer(text):
        if not goes_on():
            raise TooMuchWorkError
        if ascii_only and (letter := _letter_it_may_misread(ascii_only[0], text, *found.span())):
            raise MalformedExpressionError(
                f"'{ascii_only[0]}' knows only ASCII, and a match has '{letter}' in it or beside it:"
                r" write classes such as [\p{L}\p{N}_] instead"
            )
        yield found.span()


def _compile(expression: str) -> Any:
    try:
        import re2
    except ModuleNotFoundError as error:
        hint = how_to_install("toolkit-cli[tools-regex]")
        raise MissingEngineError(f"regular expressions need 'google-re2': {hint}") from error
    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        return re2.compile(f"(?m){expression}", options)
    except re2.error as error:
        raise _explain(error.args[0].decode(errors="replace"), expression) from error


def _explain(message: str, expression: str) -> MalformedExpressionError:
    if "too large" in message:
        return TooLargeError("its repeats make it too large")
    reason, _, culprit = message.partition(": ")
    return MalformedExpressionError(at_place(reason, culprit, max(expression.find(culprit), 0)))


def _letter_it_may_misread(ascii_only: str, text: str, start: int, end: int) -> str | None:
    """Return a letter, digit or blank outside ASCII that may have moved an end of a match."""
    before, after = max(start - 1, 0), end + 1
    takes_others = _ASCII_ONLY_NEGATED.fullmatch(ascii_only)
    looked_at = text[before:after] if takes_others else text[before : start + 1] + text[max(end - 1, 0) : after]
    return next((sign for sign in looked_at if not sign.isascii() and (sign.isalnum() or sign.isspace())), None)
