"""Parses expressions into checked syntax trees."""

import ast
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolkit.pipelines.expressions.checking import ROOTS, Check, Reference
from toolkit.pipelines.expressions.evaluating import evaluate
from toolkit.pipelines.expressions.failures import ExpressionError
from toolkit.pipelines.expressions.scanning import comment_in, without_strings
from toolkit.pipelines.expressions.spans import span_of
from toolkit.pipelines.written_numbers import written_number

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
    offset = min(indent + max((error.offset or 1) - 1, 0), len(source))
    end = indent + (error.end_offset or 0) - 1
    return ExpressionError(message, offset, max(min(end, len(source)) - offset, 1), hint)


def _path_of(tree: ast.expr, source: str, references: tuple[Reference, ...]) -> tuple[str | int, ...] | None:
    """Return the root and keys of an expression that is a constant path, which needs no walk over the tree."""
    if len(references) == 1 and isinstance(tree, (ast.Name, ast.Attribute, ast.Subscript)):
        reference = references[0]
        if (reference.offset, reference.offset + reference.length) == span_of(tree, source):
            return (reference.root, *reference.path)
    return None
