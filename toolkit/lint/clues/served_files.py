"""Finds out from its source whether a Python file serves its tools over standard output."""

import ast
from fnmatch import fnmatchcase

from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name
from toolkit.tools.foreign.source_marks import SourceMarks

_STDIO = "stdio"
_HTTP = {"uvicorn.run", "hypercorn.asyncio.serve"}


def serving_calls(module: PythonFile) -> dict[ast.Call, bool]:
    """Return the calls that start a server, and whether each may use standard output."""
    kinds = {tool.marks for tool in module.written if tool.marks.serves}
    if not kinds:
        return {}
    calls = [node for node in module.nodes if isinstance(node, ast.Call)]
    own = _objects_of_own_classes(module)
    found = {call: _may_be_stdio(module, call) for call in calls if any(_serves(call.func, marks) for marks in kinds)}
    serving = {call: may for call, may in found.items() if _owner(call.func) not in own}
    return serving | {call: False for call in calls if module.meaning(call.func) in _HTTP}


def _objects_of_own_classes(module: PythonSource) -> set[str]:
    """Return the variables with objects of this file's own classes, whose methods are unrelated to servers."""
    own = {node.name for node in module.tree.body if isinstance(node, ast.ClassDef) and not node.bases}
    return {
        target.id
        for node in module.nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id in own
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _owner(called: ast.expr) -> str | None:
    return called.value.id if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) else None


def _serves(called: ast.expr, marks: SourceMarks) -> bool:
    match called:
        case ast.Name(id=name):
            return name in marks.serves and name != "run"
        case ast.Attribute(value=receiver, attr=name) if name in marks.serves:
            owner = last_name(receiver)
            return any(fnmatchcase(owner, pattern) for pattern in marks.receivers)
    return False


def _may_be_stdio(module: PythonFile, call: ast.Call) -> bool:
    """Return whether a server may use stdio: no other transport is named, nor are streams passed to it."""
    named = [one.value for one in call.keywords if one.arg == "transport"]
    given = [*named, *call.args][:1]
    if given and (transport := module.text_of(given[0])) is not None:
        return transport == _STDIO
    match given:
        case [ast.Name() | ast.Subscript() | ast.Attribute()] if len(call.args) > 1:
            return False
    return True
