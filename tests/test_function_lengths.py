"""No function is longer than a screen: sixty lines, with its docstring."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 60


def long_functions(tree):
    """Return the functions of a file that have too many lines."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [node.name for node in functions if node.end_lineno - node.lineno >= MOST]


@pytest.mark.proof
def test_every_function_fits_on_a_screen():
    files = [file for package in ("toolkit", "cli") for file in (ROOT / package).rglob("*.py")]
    found = {str(file): long_functions(ast.parse(file.read_text("utf-8"))) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_function_of_sixty_one_lines_is_found():
    short, long = ("\n".join([f"def f{lines}():", *["    pass"] * (lines - 1)]) for lines in (60, 61))
    assert long_functions(ast.parse(f"{short}\n{long}\n")) == ["f61"]
