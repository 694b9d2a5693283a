"""Values of many parts travel by name: a call of ours has at most five arguments without one."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("toolkit/**/*.py"), *ROOT.glob("cli/**/*.py")])
MOST = 5


def takes_any_number(tree):
    """Return the names of the functions that take any number of arguments."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {function.name for function in functions if function.args.vararg}


def long_calls(text):
    """Return the lines with calls of more positional arguments than people can tell apart, and whom they call."""
    tree = ast.parse(text)
    known = takes_any_number(tree) | {"Table"}  # the columns of a table in SQLAlchemy
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > MOST:
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] not in known:
                yield node.lineno, name


def test_calls_with_many_arguments_name_them():
    assert [(file.name, *call) for file in FILES for call in long_calls(file.read_text("utf-8"))] == []


def test_call_with_six_positional_arguments_is_found():
    text = "def f(*parts): ...\nf(1, 2, 3, 4, 5, 6)\nOf(1, 2, 3, 4, 5, 6)\nOf(1, 2, 3, 4, 5, six=6)\n"
    assert [*long_calls(text)] == [(3, "Of")]
