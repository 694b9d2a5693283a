"""What goes wrong with an expression: first what, then where.

ToolkitError
└── ExpressionError      an expression that cannot be parsed or evaluated, with its place
ValueError
└── Unfit                a value that an operation does not take; the evaluator makes an ExpressionError of it
"""

from toolkit.errors import ToolkitError


class ExpressionError(ToolkitError):
    """An expression cannot be parsed, or not be evaluated with the data at hand.

    Attributes:
        message: What is wrong, with no full stop.
        offset: Where it begins, in characters inside the text that was parsed.
        length: How many characters it covers.
        hint: What to do about it, or None.
    """

    def __init__(self, message: str, offset: int, length: int = 1, hint: str | None = None) -> None:
        """Keep what is wrong and where."""
        super().__init__(message if hint is None else f"{message} ({hint})")
        self.message = message
        self.offset = offset
        self.length = length
        self.hint = hint

    def shifted(self, by: int) -> "ExpressionError":
        """Return the same error for a text in which the expression begins `by` characters later."""
        return ExpressionError(self.message, self.offset + by, self.length, self.hint)


class Unfit(ValueError):  # noqa: N818 - named for what happened
    """A value does not fit an operation."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        """Keep what is wrong, and the fix if there is one."""
        super().__init__(message)
        self.hint = hint
