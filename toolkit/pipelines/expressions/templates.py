"""Strings with `${{ }}` in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.pipelines.expressions.failures import ExpressionError, Unfit
from toolkit.pipelines.expressions.json_values import text_of
from toolkit.pipelines.expressions.parsing import Expression, parse_expression
from toolkit.pipelines.expressions.scanning import end_of_expression

OPENING = "${{"
CLOSING = "}}"
ESCAPED = "$${{"

MAX_RENDERED = 10_000_000
"""Maximum length of a rendered string, in characters."""


@dataclass(frozen=True, slots=True)
class Template:
    """A string that may contain expressions.

    Attributes:
        parts: Literal strings, and expressions with their offsets in the whole string.
    """

    parts: tuple[str | tuple[Expression, int], ...]

    @property
    def expressions(self) -> tuple[tuple[Expression, int], ...]:
        """The expressions, each with its offset in the whole string."""
        return tuple(part for part in self.parts if not isinstance(part, str))

    @property
    def single(self) -> bool:
        """Whether the template is a single expression, whose value keeps its type."""
        return len(self.parts) == 1 and not isinstance(self.parts[0], str)

    @property
    def path(self) -> tuple[str | int, ...] | None:
        """The root and keys if the template is a single constant path, else `None`."""
        part = self.parts[0]
        return None if len(self.parts) > 1 or isinstance(part, str) else part[0].path

    def render(self, roots: Mapping[str, Any]) -> Any:
        """Return the value of a single expression, or else the string with every expression replaced by its value.

        Raises:
            ExpressionError: If an expression fails. The offset refers to the whole string.
        """
        if len(self.parts) == 1:
            return self._value(self.parts[0], roots)
        texts: list[str] = []
        length = 0
        for part in self.parts:
            text = part if isinstance(part, str) else self._text(part, roots)
            length += len(text)
            if length > MAX_RENDERED:
                raise ExpressionError(f"the text would be longer than {MAX_RENDERED:,} characters", 0)
            texts.append(text)
        return "".join(texts)

    def _text(self, part: tuple[Expression, int], roots: Mapping[str, Any]) -> str:
        try:
            return text_of(self._value(part, roots))
        except Unfit as unfit:
            raise ExpressionError(str(unfit), part[1], len(part[0].source), unfit.hint) from None

    @staticmethod
    def _value(part: str | tuple[Expression, int], roots: Mapping[str, Any]) -> Any:
        if isinstance(part, str):
            return part
        expression, offset = part
        try:
            return expression.evaluate(roots)
        except ExpressionError as error:
            raise error.shifted(offset) from None


def parse_template(text: str) -> Template:
    """Parse a string with `${{ }}` in it; `$${{` is an escaped `${{`.

    Raises:
        ExpressionError: If an expression is not closed or not valid. The offset refers to the whole string.
    """
    parts: list[str | tuple[Expression, int]] = []
    literal: list[str] = []
    position = 0
    while (opening := text.find(OPENING, position)) >= 0:
        if text.startswith(ESCAPED, opening - 1) and opening > position:
            literal.append(text[position : opening - 1] + OPENING)
            position = opening + len(OPENING)
            continue
        literal.append(text[position:opening])
        if before := "".join(literal):
            parts.append(before)
        literal.clear()
        part, position = _expression_at(text, opening)
        parts.append(part)
    literal.append(text[position:])
    if (after := "".join(literal)) or not parts:
        parts.append(after)
    return Template(tuple(parts))


def _expression_at(text: str, opening: int) -> tuple[tuple[Expression, int], int]:
    """Parse the expression after a `${{`, and return it with its offset and the index after its `}}`."""
    start = opening + len(OPENING)
    end = end_of_expression(text, start)
    if end is None:
        raise ExpressionError("'${{' is not closed", opening, len(OPENING), _closing_hint(text, start))
    written = text[start:end]
    source = written.strip()
    if not source:
        raise ExpressionError("the expression is empty", opening, end + len(CLOSING) - opening)
    offset = start + len(written) - len(written.lstrip())
    try:
        return (parse_expression(source), offset), end + len(CLOSING)
    except ExpressionError as error:
        raise error.shifted(offset) from None


def _closing_hint(text: str, start: int) -> str:
    if CLOSING in text[start:]:
        return "a quote or a bracket before '}}' is not closed"
    return "write '}}' after the expression"
