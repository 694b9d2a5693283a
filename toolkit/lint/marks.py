"""Marks: the edit that adds an option to the decorator of a tool."""

import ast

from toolkit.lint.python_functions import PythonFunction
from toolkit.problems import Edit


def with_option(function: PythonFunction, mark: ast.expr, option: str) -> Edit:
    """Return the edit that writes an option, such as `destructive=True`, behind the others of a mark."""
    file = function.file
    start, end = file.span(mark)
    if not isinstance(mark, ast.Call):
        return file.edit(end, end, f"({option})")
    written = file.text[start : end - 1].rstrip()
    glue = "" if written.endswith("(") else " " if written.endswith(",") else ", "
    place = start + len(written)
    return file.edit(place, place, f"{glue}{option}")
