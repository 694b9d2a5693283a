"""Interoperable expressions (RFC 9485), which JSON queries match texts with, as programs of `expressions`."""

import re
from typing import Final

from toolkit.builtin.expressions.nodes import MalformedExpressionError, TooLargeError
from toolkit.builtin.expressions.programs import Program, compile_expression

_ESCAPED: Final = r"\\[()*+\-.?\[\\\]^nrt{|}]"
_CATEGORY: Final = r"\\[pP]\{(?:L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}"
_IN_CLASS: Final = rf"(?:[^\-\[\\\]]|{_ESCAPED})"
_TOKEN: Final = re.compile(
    rf"(?P<class>\[\^?(?:-|{_IN_CLASS}(?:-{_IN_CLASS})?|{_CATEGORY})(?:{_IN_CLASS}(?:-{_IN_CLASS})?|{_CATEGORY})*-?\])"
    rf"|(?P<escape>{_ESCAPED}|{_CATEGORY})|(?P<repeat>[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})|(?P<dot>\.)"
    r"|(?P<frame>[()|])|(?P<plain>[^()*+.?\[\\\]{|}])",
    re.DOTALL,
)


def compile_interoperable(expression: str, *, whole: bool) -> Program | None:
    """Return the program of an expression, or None if it is none of these.

    Args:
        expression: As it is written.
        whole: Whether it is to match a text from end to end, or somewhere.

    Raises:
        TooLargeError: If it is too large.
    """
    translated: list[str] = []
    position, after_part = 0, False
    while position < len(expression):
        token = _TOKEN.match(expression, position)
        if token is None or (token.lastgroup == "repeat" and not after_part):
            return None
        after_part = token.lastgroup not in {"repeat", "frame"} or token[0] == ")"
        position = token.end()
        translated.append(_translated(token))
    inside = "".join(translated)
    try:
        return compile_expression(rf"\A(?:{inside})\Z" if whole else inside)
    except TooLargeError:
        raise
    except MalformedExpressionError:
        return None


def _translated(token: re.Match[str]) -> str:
    if token.lastgroup == "dot":
        return r"[^\n\r]"
    # The standard's grammar has no anchors, but its compliance suite takes these two as such.
    is_sign = token.lastgroup == "plain" and token[0] not in "^$"
    return re.escape(token[0]) if is_sign else token[0]
