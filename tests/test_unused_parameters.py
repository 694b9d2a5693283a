"""A parameter that a method does not use is one that its protocol or base class has."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted([*ROOT.glob("toolkit/**/*.py"), *ROOT.glob("cli/**/*.py")])
CALLBACKS = {
    "Conversation._on_question: context",  # MCP's SDK passes it
    "ToolServer._greet: params",  # as above
    "_Channel.send_raw_request: params",  # as above
    "_Channel.send_raw_request: opts",
    "_Channel.notify: opts",
    "ServedResources._list_prompts: _",  # as above
    "ServedResources._list_templates: _",
    *(f"_Page.{route}: _" for route in ("_shell", "_findings")),  # Starlette passes the request
}


def parameters_of(method):
    """Return the names of a method's parameters, without `self`."""
    written = method.args
    return {one.arg for one in (*written.posonlyargs, *written.args, *written.kwonlyargs)} - {"self", "cls"}


def unused_parameters(trees):
    """Yield the parameters that a method does not use, and that no method of this name in another class has.

    Methods of classes with a base class that is not ours have the parameters of that class.
    """
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    ours = {one.name for one in classes}
    declared = defaultdict(list)
    for one in classes:
        for method in one.body:
            if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
                declared[method.name].append((one, method, parameters_of(method)))
    for name, methods in declared.items():
        for one, method, parameters in methods:
            bases = {ast.unparse(base).partition("[")[0] for base in one.bases}
            elsewhere = {word for other, _, words in methods if other is not one for word in words}
            if name.startswith("__") or not bases <= {*ours, "Protocol", "Generic"}:
                continue
            used = {node.id for part in method.body for node in ast.walk(part) if isinstance(node, ast.Name)}
            yield from (f"{one.name}.{name}: {word}" for word in parameters - used - elsewhere)


@pytest.mark.proof
def test_every_unused_parameter_is_prescribed():
    assert {*unused_parameters([ast.parse(file.read_text("utf-8")) for file in FILES])} == CALLBACKS


def test_parameter_that_nobody_uses_is_found():
    text = "class A:\n def f(self, a, b): return a\nclass B:\n def g(self, c): return 1\nclass C:\n def g(self, c): return c"
    assert [*unused_parameters([ast.parse(text)])] == ["A.f: b"]
