"""The `calculator` tool, which evaluates arithmetic expressions exactly."""

from typing import Final

from toolkit.builtin.arithmetic import evaluate
from toolkit.builtin.options import Option
from toolkit.builtin.real_numbers import UncomputableError
from toolkit.tools.results import ToolResult
from toolkit.tools.text import TextTool

OPTIONS: Final[tuple[Option, ...]] = ()


class Calculator(TextTool):
    """Evaluates an arithmetic expression exactly.

    Example:
        >>> Calculator().run({"input": "0.1 + 0.2"}).output
        '0.3'
    """

    name = "calculator"
    description = (
        "Evaluates an arithmetic expression exactly. Use it for every calculation instead of calculating yourself. "
        "Input: one expression of decimal numbers with + - * / % ^ and parentheses, such as '(19.99 * 3) / 1.25' or "
        "'2^10 - 1'. ^ is power and binds tighter than a leading minus (-2^2 is -4); % is the remainder of a "
        "division, not a percentage. There are no functions, names, units or thousands separators. "
        "Returns the number: whole numbers in full, others to 50 significant digits."
    )
    read_only = True
    destructive = False
    idempotent = True
    open_world = False
    source = "builtin"

    def execute(self, text: str) -> ToolResult:
        """Return the value of the expression, or a failure that explains why it has none."""
        try:
            return ToolResult.success(str(evaluate(text)))
        except UncomputableError as error:
            return ToolResult.failure(str(error))
