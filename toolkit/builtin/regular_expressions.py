"""Regular expressions of the ready tools: interoperable ones (RFC 9485), and matches found in linear time with RE2."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from toolkit.errors import not_installed
from toolkit.regex_checks import (
    MAX_WORK,
    LineExpression,
    MalformedExpressionError,
    TooLargeError,
    TooMuchWorkError,
    at_place,
    check_expression,
    compile_line_expression,
)

_ESCAPED: Final = r"\\[()*+\-.?\[\\\]^nrt{|}]"
_CATEGORY: Final = r"\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}"
_IN_CLASS: Final = rf"(?:[^\-\[\\\]]|{_ESCAPED})"
_TOKEN: Final = re.compile(
    rf"(?P<class>\[\^?(?:-|{_IN_CLASS}(?:-{_IN_CLASS})?|{_CATEGORY})(?:{_IN_CLASS}(?:-{_IN_CLASS})?|{_CATEGORY})*-?\])"
    rf"|(?P<escape>{_ESCAPED}|{_CATEGORY})|(?P<repeat>[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})|(?P<dot>\.)"
    r"|(?P<frame>[()|])|(?P<plain>[^()*+.?\[\\\]{|}])",
    re.DOTALL,
)


def compile_interoperable(expression: str, *, whole: bool) -> LineExpression | None:
    """Compile an expression, or return `None` if it is not an interoperable regular expression.

    Args:
        expression: The expression as written in a query.
        whole: Whether it must match a whole string, rather than any part of it.

    Raises:
        TooLargeError: If the compiled expression would be too large.
    """
    translated: list[str] = []
    position, after_part = 0, False
    while position < len(expression):
        token = _TOKEN.match(expression, position)
        if token is None or (token.lastgroup == "repeat" and not after_part):
            return None
        after_part = token.lastgroup not in {"repeat", "frame"} or token[0] == ")"
        position = token.end()
        translated.append(_translate(token))
    try:
        return compile_line_expression("".join(translated), whole=whole)
    except TooLargeError:
        raise
    except MalformedExpressionError:
        return None


def _translate(token: re.Match[str]) -> str:
    if token.lastgroup == "dot":
        return r"[^\n\r]"
    if token.lastgroup == "class":
        return re.sub("[&~]", r"\\\g<0>", token[0])  # `&&` and `~~` are set operations in Rust
    # The standard's grammar has no anchors, but its compliance suite expects these two to be anchors.
    is_sign = token.lastgroup == "plain" and token[0] not in "^$"
    return re.escape(token[0]) if is_sign else token[0]


_MAX_MEMORY: Final = 2 * 1024 * 1024
_ASCII_ONLY: Final = re.compile(r"\\[wWdDsSbB]")
_ASCII_ONLY_NEGATED: Final = re.compile(r"\\[WDS]")


def find_matches(expression: str, text: str, may_continue: Callable[[], bool]) -> Iterator[tuple[int, int]]:
    r"""Yield the start and end of every match in a text, in order; `^` and `$` match at the ends of each line.

    Raises:
        ConfigurationError: If RE2 is not installed.
        MalformedExpressionError: If the expression is invalid, or a match could be wrong because a class such as
            `\w` matches only ASCII.
        TooMuchWorkError: If the text is too long for this expression, or `may_continue` returned false.
    """
    if check_expression(expression) * len(text) > MAX_WORK:
        raise TooMuchWorkError
    ascii_only = _ASCII_ONLY_NEGATED.search(expression) or _ASCII_ONLY.search(expression)
    for found in _compile(expression).finditer(text):
        if not may_continue():
            raise TooMuchWorkError
        if ascii_only and (letter := _misread_letter(ascii_only[0], text, *found.span())):
            raise MalformedExpressionError(
                f"'{ascii_only[0]}' matches only ASCII characters, but there is '{letter}' in or next to a match:"
                r" write classes such as [\p{L}\p{N}_] instead"
            )
        yield found.span()


def _compile(expression: str) -> Any:
    try:
        import re2
    except ModuleNotFoundError as error:
        raise not_installed("regular expressions need", "toolkit-cli[tools-regex]") from error
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


def _misread_letter(ascii_only: str, text: str, start: int, end: int) -> str | None:
    """Return a non-ASCII letter, digit or space that may have changed where a match starts or ends."""
    before, after = max(start - 1, 0), end + 1
    takes_others = _ASCII_ONLY_NEGATED.fullmatch(ascii_only)
    examined = text[before:after] if takes_others else text[before : start + 1] + text[max(end - 1, 0) : after]
    return next((sign for sign in examined if not sign.isascii() and (sign.isalnum() or sign.isspace())), None)
