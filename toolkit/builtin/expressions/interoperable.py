"""Compiles interoperable regular expressions (RFC 9485), which JSON queries use, as line expressions."""

import re
from typing import Final

from toolkit.line_expressions import LineExpression, compile_line_expression
from toolkit.regex_checks import MalformedExpressionError, TooLargeError

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
