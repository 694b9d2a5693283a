"""Line expressions: whether a text matches somewhere, in time that grows with its length and no faster."""

from typing import Any, NamedTuple

from toolkit.regex_checks import MAX_WORK, TooMuchWorkError, check_expression, rust_validator


class LineExpression(NamedTuple):
    """An expression that is ready to match.

    Attributes:
        validator: What pydantic-core made of it.
        parts: How many parts it has.
    """

    validator: Any
    parts: int

    def matches(self, text: str) -> bool:
        """Return whether a text matches somewhere.

        Raises:
            TooMuchWorkError: If the text is too long for this expression.
        """
        if self.parts * len(text) > MAX_WORK:
            raise TooMuchWorkError
        return bool(self.validator.isinstance_python(text))


def compile_line_expression(expression: str, *, ignore_case: bool = False, whole: bool = False) -> LineExpression:
    r"""Return an expression that is ready to match.

    Args:
        expression: As it is written.
        ignore_case: Whether upper and lower case are the same.
        whole: Whether it matches a text from end to end only.

    Raises:
        MalformedExpressionError: Naming what is wrong, and where.
    """
    parts = check_expression(expression)
    framed = rf"\A(?:{expression})\z" if whole else expression
    return LineExpression(rust_validator(framed, "(?i)" if ignore_case else ""), parts)
