"""Served files: whether a Python file serves its tools over standard output, as far as its source shows that."""

import ast
from fnmatch import fnmatchcase

from toolkit.lint.python_files import PythonFile
from toolkit.tools.source_marks import SourceMarks

_STDIO = "stdio"


def serving_calls(module: PythonFile) -> dict[ast.Call, bool]:
    """Return the calls that make a file serve, and whether each may do so over standard output."""
    kinds = {tool.marks for tool in module.written if tool.marks.serves}
    if not kinds:
        return {}
    calls = [node for node in module.nodes if isinstance(node, ast.Call)]
    return {call: _may_be_stdio(call) for call in calls if any(_serves(call.func, marks) for marks in kinds)}


def _serves(called: ast.expr, marks: SourceMarks) -> bool:
    match called:
        case ast.Name(id=name):
            return name in marks.serves and name != "run"
        case ast.Attribute(value=receiver, attr=name) if name in marks.serves:
            owner = getattr(receiver, "id", getattr(receiver, "attr", ""))
            return any(fnmatchcase(owner, pattern) for pattern in marks.receivers)
    return False


def _may_be_stdio(call: ast.Call) -> bool:
    """Whether a server may use stdio, as nothing shows another transport; streams that it receives are no transport."""
    named = [one.value for one in call.keywords if one.arg == "transport"]
    match [*named, *call.args][:1]:
        case [ast.Constant(value=str(transport))]:
            return transport == _STDIO
        case [ast.Name()] if len(call.args) > 1:
            return False
    return True
