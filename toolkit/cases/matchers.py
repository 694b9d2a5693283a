"""Matchers: parts of expected data that more than one value fits."""

from typing import TYPE_CHECKING, Any

from toolkit.cases.data_differences import Matcher, short
from toolkit.errors import ToolExecutionError

if TYPE_CHECKING:
    from toolkit.pipelines.templated_data import Value


class ExpressionMatcher(Matcher):
    """Fits the values for which an expression is true; it reads the value as `item`."""

    def __init__(self, expression: "Value") -> None:
        """Create the matcher."""
        self._expression = expression
        self.shown = getattr(expression.node, "text", "").strip()

    def objection(self, found: Any) -> str | None:
        """Return why a value does not fit, to follow the name of the part."""
        try:
            result = self._expression.render({"item": found})
        except ToolExecutionError as failed:
            return f"is {short(found)}, and {self.shown} cannot be evaluated: {failed}"
        return None if result is True else f"is {short(found)}, and {self.shown} is {short(result)}, not true"
