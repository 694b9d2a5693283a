"""Finds out whether the code of a project offers a tool to a model, or only defines it."""

import ast

from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.written_calls import call_with_options


def is_left_out(function: PythonFunction | None) -> bool:
    """Return whether no code of the project names a tool of a framework, although it names others of the same file."""
    if function is None or function.written is None or not isinstance(function.file, PythonFile):
        return False
    if not (name := _object_of(function)):
        return False
    others = {_object_of(one) for one in function.file.framework_functions.values()} - {name, ""}
    if not others:
        return False
    used = function.file.reader.uses.names_used_around(function.file)
    return name not in used and not others.isdisjoint(used)


def _object_of(function: PythonFunction) -> str:
    """Return the variable with the tool; empty if its mark registers it, as `@server.tool` does, or none is known."""
    written = function.written
    if written is None or written.is_wrapped or written.as_class is not None or function.owner is not None:
        return ""
    mark = written.mark
    if written.kind == "decorator":
        call = call_with_options(mark)
        return function.name if isinstance(call.func if call is not None else mark, ast.Name) else ""
    return next((name for name, value in function.file.assigned.items() if value is mark), "")
