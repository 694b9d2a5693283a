"""Parses expressions into checked syntax trees, and strings with `${{ }}` in them."""

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.pipelines.expressions.evaluating import evaluate
from toolkit.pipelines.expressions.json_values import ExpressionError, Unfit, text_of, written_number
from toolkit.pipelines.expressions.syntax_checks import (
    ROOTS,
    Check,
    Reference,
    comment_in,
    end_of_expression,
    span_of,
    without_strings,
)

__all__ = ["ROOTS", "Expression", "Reference", "parse_expression"]

MAX_SOURCE = 4_000
"""Maximum length of an expression, in characters."""

LINE_ENDS = str.maketrans("\r\n", "  ")
SYNTAX_HINTS = (
    ("&&", "write 'and'"),
    (r"\|\|", "write 'or'"),
    (r"!(?!=)", "write 'not'"),
    (r"\?", "write 'this if condition else that'"),
    (r"(?<![=!<>:*/+%-])=(?!=)", "write '==' to compare"),
    (r"\$|\{\{", "'${{ }}' cannot be nested inside another '${{ }}'"),
    (r"\\", "inside quotes, write a backslash as two backslashes"),
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed and checked expression.

    Attributes:
        source: The source between `${{` and `}}`.
        references: The data that it reads, in source order.
    """

    source: str
    references: tuple[Reference, ...]
    tree: ast.expr = field(repr=False, compare=False)
    path: tuple[str | int, ...] | None = field(repr=False, compare=False)

    def evaluate(self, roots: Mapping[str, Any]) -> Any:
        """Return the value of the expression for roots of plain JSON data, such as `{"prev": …, "inputs": {…}}`.

        Raises:
            ExpressionError: If it fails, for example because a key is missing, or would take too much time or memory.
        """
        if self.path is not None:
            value: Any = roots
            try:
                for key in self.path:
                    value = value[key]
            except (LookupError, TypeError):
                pass  # evaluate() raises the error with its location and a hint
            else:
                return value

        return evaluate(self.tree, self.source, roots)


def parse_expression(source: str) -> Expression:
    """Parse and check an expression.

    Args:
        source: The source without `${{` and `}}`; it may span several lines.

    Raises:
        ExpressionError: If it is not a valid expression, or uses something that is not allowed.
    """
    if len(source) > MAX_SOURCE:
        raise ExpressionError(f"the expression is longer than {MAX_SOURCE:,} characters", 0, len(source))
    if not source.strip():
        raise ExpressionError("the expression is empty", 0, max(len(source), 1))
    if (null := source.find("\0")) >= 0:
        raise ExpressionError("an expression cannot contain a null character", null)
    if (comment := comment_in(source)) is not None:
        raise ExpressionError("an expression cannot contain a comment", comment, len(source) - comment)
    tree = _parse(source)
    check = Check(source)
    check.visit(tree)
    references = tuple(sorted(check.references, key=lambda reference: reference.offset))
    return Expression(source, references, tree, _path_of(tree, source, references))


def _parse(source: str) -> ast.expr:
    text = source.translate(LINE_ENDS)
    stripped = text.lstrip()
    indent = len(text) - len(stripped)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python warns about today will be an error one day
            tree = ast.parse(stripped, mode="eval").body
    except SyntaxError as error:
        raise _syntax_error(error, source, indent) from None
    except (RecursionError, MemoryError):
        raise ExpressionError("the expression is nested too deeply", 0, len(source)) from None
    except ValueError:
        raise ExpressionError("the expression has a character that is not allowed", 0, len(source)) from None
    if indent:
        _shift(tree, len(text[:indent].encode()))
    _keep_digits(tree, text)
    return tree


def _keep_digits(tree: ast.expr, text: str) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            start, end = span_of(node, text)
            node.value = written_number(text[start:end], node.value)


def _shift(tree: ast.expr, by: int) -> None:
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword)):
            node.col_offset += by
            node.end_col_offset = (node.end_col_offset or 0) + by


def _syntax_error(error: SyntaxError, source: str, indent: int) -> ExpressionError:
    reason, _, advice = error.msg.replace(" (detected at line 1)", "").partition(". ")
    message = f"{reason[:1].lower()}{reason[1:]}"
    hint = f"{advice[:1].lower()}{advice[1:]}" or "expressions are written as in Python: prev.name, len(prev) > 0"
    rest = without_strings(source)
    for pattern, remedy in SYNTAX_HINTS:
        if found := re.search(pattern, rest):
            return ExpressionError("invalid syntax", found.start(), len(found.group()), remedy)
    if not error.offset:  # the expression ends too early
        return ExpressionError("the expression is incomplete", max(len(source.rstrip()) - 1, 0), 1, hint)
    offset = min(indent + max(error.offset - 1, 0), len(source))
    end = indent + (error.end_offset or 0) - 1
    return ExpressionError(message, offset, max(min(end, len(source)) - offset, 1), hint)


def _path_of(tree: ast.expr, source: str, references: tuple[Reference, ...]) -> tuple[str | int, ...] | None:
    """Return the root and keys of an expression that is a constant path, which needs no walk over the tree."""
    if len(references) == 1 and isinstance(tree, (ast.Name, ast.Attribute, ast.Subscript)):
        reference = references[0]
        if (reference.offset, reference.offset + reference.length) == span_of(tree, source):
            return (reference.root, *reference.path)
    return None


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
