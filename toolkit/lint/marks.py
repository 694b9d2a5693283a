"""Creates the edit that adds an option to a tool's decorator."""

import ast

from toolkit.problems import Edit
from toolkit.source_code.python_functions import PythonFunction


def with_option(function: PythonFunction, mark: ast.expr, option: str) -> Edit:
    """Return the edit that appends an option, such as `destructive=True`, to a decorator."""
    file = function.file
    start, end = file.span(mark)
    if not isinstance(mark, ast.Call):
        return file.edit(end, end, f"({option})")
    written = file.text[start : end - 1].rstrip()
    glue = "" if written.endswith("(") else " " if written.endswith(",") else ", "
    place = start + len(written)
    return file.edit(place, place, f"{glue}{option}")
