"""Expressions inside `${{ }}`: a restricted subset of Python for plain JSON data.

An expression is parsed and checked once and can be evaluated many times. It can read data, compute and choose. It
cannot call methods, access Python attributes, format text, or use unbounded time or memory.

    template = parse_template("${{ len(steps.bugs.output) }} bugs in ${{ inputs.repo }}")
    template.render({"steps": {"bugs": {"output": [1, 2]}}, "inputs": {"repo": "a/b"}})     # "2 bugs in a/b"
"""

from toolkit.pipelines.expressions.json_values import ExpressionError
from toolkit.pipelines.expressions.templates import (
    ROOTS,
    Expression,
    Reference,
    Template,
    parse_expression,
    parse_template,
)

__all__ = [
    "ROOTS",
    "Expression",
    "ExpressionError",
    "Reference",
    "Template",
    "parse_expression",
    "parse_template",
]
