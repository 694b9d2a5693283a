"""Regular expressions that search a text in linear time."""

from typing import Any, NamedTuple

from toolkit.regex_checks import MAX_WORK, TooMuchWorkError, check_expression, rust_validator


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
