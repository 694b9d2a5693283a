"""Matchers: parts of expected data that more than one value fits."""

import re
from typing import TYPE_CHECKING, Any

from toolkit.cases.data_differences import Matcher, differences, short
from toolkit.errors import ToolExecutionError
from toolkit.schemas.validation import same_data

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


class PossibleAnswers(Matcher):
    """Fits each of several values, compared as the Berkeley Function-Calling Leaderboard does.

    Texts are the same without case, spaces and punctuation. Each key of an object has a list of possible values itself.
    An empty text among the values means that the part may be left out.
    """

    def __init__(self, values: list[Any]) -> None:
        """Create the matcher."""
        self.shown = values
        self.may_be_missing = "" in values

    def objection(self, found: Any) -> str | None:
        """Return why a value does not fit, to follow the name of the part."""
        if any(_is_possible(one, found) for one in self.shown):
            return None
        return f"is {short(found)}, not one of {short(self.shown)}"


def _is_possible(answer: Any, found: Any) -> bool:
    if isinstance(answer, str) and isinstance(found, str):
        return _standardised(answer) == _standardised(found)
    if isinstance(answer, list) and isinstance(found, list):
        return len(answer) == len(found) and all(map(_is_possible, answer, found))
    if isinstance(answer, dict) and isinstance(found, dict):
        listed = {name: values if isinstance(values, list) else [values] for name, values in answer.items()}
        options = {name: PossibleAnswers(values) for name, values in listed.items()}
        return not any(differences(options, found))
    return same_data(answer, found)


def _standardised(text: str) -> str:
    return re.sub(r"[ ,./\-_*^]", "", text).lower().replace("'", '"')
