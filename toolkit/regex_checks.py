"""Reports what is wrong with a regular expression, or makes it too large, before anything is matched.

An expression that passes means the same to both engines in use: Rust's `regex`, which is part of pydantic-core, and
RE2.
"""

import re
from typing import Any, Final, NamedTuple

MAX_WORK: Final = 100_000_000
"""Limit for one match: parts of the expression times characters of the text. A match cannot be interrupted."""

_MAX_LENGTH: Final = 1_000
_MAX_PARTS: Final = 5_000
_TOKEN: Final = re.compile(
    r"(?P<class>\[\^?+\]?+(?:\\.|\[:\^?[a-z]+:\]|[^\[\]\\])*\])"
    r"|(?P<escape>\\(?:[pPxuU]\{[^}]*\}|.))"
    r"|(?P<open>\((?:\?(?:P?<\w+>|[a-zA-Z-]*:?))?)"
    r"|(?P<close>\))"
    r"|(?P<counted>\{[0-9,\s]*\})"
    r"|(?P<repeat>[*+?])"
    r"|(?P<nested>\[)"
    r"|(?P<plain>.)",
    re.DOTALL,
)
_SET_OPERATION: Final = re.compile(r"&&|~~|(?<![\[^-])--")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INDENT: Final = 4
_SHOWN: Final = 50


class MalformedExpressionError(ValueError):
    """An expression is malformed, too large or uses an unsupported feature; the message says what and where."""


class TooLargeError(MalformedExpressionError):
    """An expression is larger than the limits allow."""


class TooMuchWorkError(Exception):
    """The text is too long to be matched against this expression."""


def compiles(pattern: str) -> bool:
    """Return whether Python accepts a regular expression."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def check_expression(expression: str) -> int:
    """Check an expression and return the number of its parts, with counted repeats expanded.

    Raises:
        MalformedExpressionError: If the expression is not valid; the message says what is wrong, and where.
    """
    if len(expression) > _MAX_LENGTH:
        raise TooLargeError(f"it has {len(expression)} characters, at most {_MAX_LENGTH} are allowed")
    if surrogate := _SURROGATE.search(expression):
        raise MalformedExpressionError(
            at_place("half of a surrogate pair", ascii(surrogate[0])[1:-1], surrogate.start())
        )
    rust_validator(expression)
    parts = _count_parts(expression)
    if parts > _MAX_PARTS:
        raise TooLargeError(f"its repeats make it too large: {parts} parts, at most {_MAX_PARTS} are allowed")
    return parts


def rust_validator(expression: str, flags: str = "") -> Any:
    """Return a pydantic-core validator that accepts a text if the expression matches anywhere in it.

    Raises:
        MalformedExpressionError: If the expression is not valid; the message says what is wrong, and where.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    def compiled(pattern: str) -> SchemaValidator:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))

    try:
        return compiled(flags + expression)
    except SchemaError:
        pass
    try:  # without flags and line breaks, a position in the message is the position in the expression
        compiled(expression.replace("\n", " "))
    except SchemaError as error:
        raise _explain(str(error), expression) from error
    raise TooLargeError("its repeats make it too large")


def _explain(message: str, expression: str) -> MalformedExpressionError:
    *_, marks, reason = message.split("\n")
    if not reason.startswith("error: "):
        return TooLargeError("its repeats make it too large")
    start = marks.index("^")
    start, end = start - _INDENT, start + len(marks[start:].split(" ")[0]) - _INDENT
    if "flag" in reason:
        start = max(expression.rfind("(?", 0, start), 0)
    culprit = expression[start:end]
    explained = at_place(reason.removeprefix("error: "), culprit, start)
    is_sign = len(culprit) == 1 and culprit in "()[]{}*+?|."
    return MalformedExpressionError(f"{explained}; write \\{culprit} to match it literally" if is_sign else explained)


def at_place(reason: str, culprit: str, start: int) -> str:
    """Return a reason followed by the part of the expression at fault, and its position."""
    return f"{reason}: '{culprit[:_SHOWN]}' at character {start + 1}"


def _count_parts(expression: str) -> int:
    """Return the number of parts of a valid expression; a counted repeat multiplies the part before it."""
    groups, last = [0], 0
    for token in _TOKEN.finditer(expression):
        _refuse_what_engines_read_differently(token)
        match token.lastgroup:
            case "open":
                groups.append(0)
            case "close" if len(groups) > 1:
                last = groups.pop() + 1
                groups[-1] += last
            case "counted" if numbers := re.findall("[0-9]+", token[0]):
                times = max(int(number) for number in numbers)
                groups[-1] += last * max(times - 1, 0)
                last *= max(times, 1)
            case "repeat":
                groups[-1] += 1
            case _:
                last = 1
                groups[-1] += last
    return sum(groups)


def _refuse_what_engines_read_differently(token: re.Match[str]) -> None:
    reason = None
    match token.lastgroup:
        case "nested":
            reason = "a '[' within '[…]' needs a backslash before it"
        case "class" if _SET_OPERATION.search(token[0]):
            reason = "'&&', '--' and '~~' within '[…]' need a backslash before each sign"
        case "open" if token[0].startswith("(?") and "<" not in token[0] and "x" in token[0]:
            reason = "the flag x is not supported"
        case "counted" if re.search(r"\s", token[0]):
            reason = "a counted repeat cannot contain spaces"
    if reason:
        raise MalformedExpressionError(at_place(reason, token[0], token.start()))


class LineExpression(NamedTuple):
    """A compiled regular expression.

    Attributes:
        validator: The expression compiled by pydantic-core.
        parts: The size of the expression, as `check_expression` counts it.
    """

    validator: Any
    parts: int

    def matches(self, text: str) -> bool:
        """Return whether the expression matches anywhere in a text.

        Raises:
            TooMuchWorkError: If the text is too long for this expression.
        """
        if self.parts * len(text) > MAX_WORK:
            raise TooMuchWorkError
        return bool(self.validator.isinstance_python(text))


def compile_line_expression(expression: str, *, ignore_case: bool = False, whole: bool = False) -> LineExpression:
    r"""Compile a regular expression.

    Args:
        expression: The expression.
        ignore_case: Whether to ignore case.
        whole: Whether the expression must match the whole text.

    Raises:
        MalformedExpressionError: If the expression is not valid; the message says what is wrong, and where.
    """
    parts = check_expression(expression)
    framed = rf"\A(?:{expression})\z" if whole else expression
    return LineExpression(rust_validator(framed, "(?i)" if ignore_case else ""), parts)
