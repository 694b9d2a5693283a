"""Values of many parts travel by name: a call of ours has at most five arguments without one."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("toolkit/**/*.py"), *ROOT.glob("cli/**/*.py")])
MOST = 5


def takes_any_number(node):
    """Return whether a function, or the making of a class, takes any number of arguments."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return node.args.vararg is not None
        case ast.ClassDef():
            return any(getattr(one, "name", "") == "__init__" and takes_any_number(one) for one in node.body)
    return False


def long_calls(trees):
    """Return where calls have more positional arguments than people can tell apart, and whom they call."""
    nodes = [(file, node) for file, tree in trees.items() for node in ast.walk(tree)]
    open_ones = {
        "Table",
        "_make_encoder",
        *(getattr(node, "name", "") for _, node in nodes if takes_any_number(node)),
    }  # `Table` is one of SQLAlchemy, and the encoder of `json` in C takes no names
    for file, node in nodes:
        if isinstance(node, ast.Call) and len(node.args) > MOST:
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] not in open_ones:
                yield file, node.lineno, name


@pytest.mark.proof
def test_calls_with_many_arguments_name_them():
    assert [*long_calls({str(file.relative_to(ROOT)): ast.parse(file.read_text("utf-8")) for file in FILES})] == []


def test_call_with_six_positional_arguments_is_found():
    text = "def f(*parts): ...\nf(1, 2, 3, 4, 5, 6)\nOf(1, 2, 3, 4, 5, 6)\nOf(1, 2, 3, 4, 5, six=6)\n"
    assert [*long_calls({"a.py": ast.parse(text)})] == [("a.py", 3, "Of")]
