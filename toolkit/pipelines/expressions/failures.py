"""The errors of expressions.

ToolkitError
└── ExpressionError      an expression cannot be parsed or evaluated; it has a location
ValueError
└── Unfit                a value does not fit an operation; the evaluator turns it into an ExpressionError
"""

from toolkit.errors import ToolkitError


class ExpressionError(ToolkitError):
    """An expression cannot be parsed, or cannot be evaluated with the current data.

    Attributes:
        message: What is wrong, without a full stop.
        offset: The offset of the faulty part in the parsed string, in characters.
        length: The length of the faulty part, in characters.
        hint: How to fix it, or `None`.
    """

    def __init__(self, message: str, offset: int, length: int = 1, hint: str | None = None) -> None:
        super().__init__(message if hint is None else f"{message} ({hint})")
        self.message = message
        self.offset = offset
        self.length = length
        self.hint = hint

    def shifted(self, by: int) -> "ExpressionError":
        """Return the same error for a string in which the expression begins `by` characters later."""
        return ExpressionError(self.message, self.offset + by, self.length, self.hint)


class Unfit(ValueError):  # noqa: N818 - named for what happened
    """A value does not fit an operation."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
