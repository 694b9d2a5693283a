"""What functions do to the world, as their source shows it: files, processes, the network and output."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from toolkit.problems import Edit
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name

Kind = Literal["write", "destroy", "send", "database"]

_DESTROYING = {
    "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "shutil.rmtree", "os.truncate", "os.kill", "os.killpg",
}  # fmt: skip
_WRITING = {
    "os.rename", "os.replace", "os.renames", "os.mkdir", "os.makedirs", "os.chmod", "os.chown", "os.symlink", "os.link",
    "shutil.move", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree",
}  # fmt: skip
_CLIENTS = {"requests", "httpx", "httpx2", "niquests"}
_METHODS: Mapping[str, Kind] = {"delete": "destroy", "put": "send", "patch": "send"}
_REQUESTING = {"request", "stream", "Request", "build_request"}
_PATH_DESTROYING = {"unlink", "rmdir"}
_PATH_WRITING = {"write_text", "write_bytes", "touch"}
_ON_ONE = {
    "os.remove",
    "os.unlink",
    "os.rmdir",
    "os.removedirs",
    "os.mkdir",
    "os.makedirs",
    "shutil.rmtree",
    "open",
    "io.open",
}
_TEMPORARY = re.compile(r"_?(?:tmp|temp|temporary|backup|bak)(?:_|$|file|dir|path|folder)")
_TEMPORARY_FOLDERS = ("/tmp/", "/var/tmp/")  # noqa: S108 - only compared
_EXECUTING = {"execute", "executemany", "executescript"}
_CHANGING_SQL = re.compile(r"\s*(?:insert|update|replace|create|alter)\b", re.IGNORECASE)
_DESTROYING_SQL = re.compile(r"\s*(?:delete\s+from|drop\s+\w+|truncate)\b", re.IGNORECASE)


class Effect(NamedTuple):
    """One side effect: the call, its name in messages, and its kind."""

    node: ast.Call
    what: str
    kind: Kind


def effects_of(function: PythonFunction) -> Iterator[Effect]:
    """Yield the side effects of a function's body, in the order of the source."""
    for node in function.nodes:
        effect = _effect(function, node) if isinstance(node, ast.Call) else None
        if effect is not None and not _is_temporary(function, effect.node):
            yield effect


def _effect(function: PythonFunction, node: ast.Call) -> Effect | None:
    meaning = function.file.meaning(node.func) or ""
    module, _, member = meaning.rpartition(".")
    if meaning in _DESTROYING:
        return Effect(node, meaning, "destroy")
    if meaning in _WRITING:
        return Effect(node, meaning, "write")
    if module in _CLIENTS and member in _METHODS:
        return Effect(node, meaning, _METHODS[member])
    if method := _method_of_request(node):
        return Effect(node, f"{function.file.segment(node.func)}(…, {method!r})", _METHODS[method.lower()])
    if meaning in {"open", "io.open"} and _opens_for_writing(node, 1):
        return Effect(node, "open(…, 'w')", "write")
    if isinstance(node.func, ast.Attribute):
        return _effect_of_method(node, node.func)
    return None


def _method_of_request(node: ast.Call) -> str | None:
    """Return the HTTP method in a call such as `Request(url, method="DELETE")`, if it changes something."""
    if last_name(node.func) not in _REQUESTING:
        return None
    for given in [*node.args[:1], *(one.value for one in node.keywords if one.arg == "method")]:
        if isinstance(given, ast.Constant) and isinstance(given.value, str) and given.value.lower() in _METHODS:
            return given.value
    return None


def _effect_of_method(node: ast.Call, called: ast.Attribute) -> Effect | None:
    if called.attr in _PATH_DESTROYING and not node.args:
        return Effect(node, f".{called.attr}()", "destroy")
    if called.attr in _PATH_WRITING and (called.attr != "touch" or _is_of_path(node)):
        return Effect(node, f".{called.attr}()", "write")
    if called.attr in _EXECUTING and node.args:
        text = leading_text(node.args[0])
        if _DESTROYING_SQL.match(text):
            return Effect(node, " ".join(text.split()[:2]).upper(), "destroy")
        if _CHANGING_SQL.match(text):
            return Effect(node, text.split()[0].upper(), "database")
    return None


def _is_of_path(touch: ast.Call) -> bool:
    """Return whether a call of `touch` may be that of a path, which receives nothing but a mode and a flag."""
    return all(isinstance(one, ast.Constant) for one in touch.args)


def _is_temporary(function: PythonFunction, node: ast.Call) -> bool:
    """Return whether a call writes or deletes a temporary file or folder that the function itself created."""
    meaning = function.file.meaning(node.func) or ""
    if meaning in _ON_ONE:
        target = node.args[0] if node.args else None
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _PATH_DESTROYING | _PATH_WRITING:
        target = node.func.value
    else:
        return False
    names = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)} if target is not None else set()
    names = {name for name in names if name not in function.file.imported_names}
    return bool(names) and names <= _temporary_names(function)


def _temporary_names(function: PythonFunction) -> set[str]:
    """Return the variables with results of `tempfile`, paths in `/tmp` or of files that it writes, or such names."""
    given = {one.name for one in function.all_parameters}
    names = {
        node.args[0].id
        for node in function.nodes
        if isinstance(node, ast.Call) and last_name(node.func) == "open" and _opens_for_writing(node, 1)
        if node.args and isinstance(node.args[0], ast.Name)
    }
    for node in function.nodes:
        match node:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.withitem(context_expr=value, optional_vars=target)
                | ast.For(target=target, iter=value)
                | ast.Call(func=ast.Attribute(value=ast.Name() as target, attr="append"), args=[value])
            ):
                stored = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)} if target else set()
                if _makes_temporary(function, value, names):
                    names |= stored
                names |= {name for name in stored if _TEMPORARY.match(name)}
    return names - given


def _makes_temporary(function: PythonFunction, value: ast.expr, names: set[str]) -> bool:
    return any(
        (isinstance(one, ast.Call) and (function.file.meaning(one.func) or "").startswith("tempfile."))
        or (isinstance(one, ast.Name) and one.id in names)
        or (isinstance(one, ast.Constant) and str(one.value).startswith(_TEMPORARY_FOLDERS))
        for one in ast.walk(value)
    )


def _opens_for_writing(node: ast.Call, position: int) -> bool:
    given = node.args[position : position + 1] + [one.value for one in node.keywords if one.arg == "mode"]
    return any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) & set("wax+")
        for mode in given
    )


def leading_text(node: ast.expr) -> str:
    """Return the constant text at the start of an expression."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=[ast.Constant(value=str() as text), *_]):
            return text
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod()):
            return leading_text(left)
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return leading_text(inner)
    return ""


_CLASSES = {
    "httpx.AsyncClient", "httpx.Client", "httpx2.AsyncClient", "httpx2.Client", "requests.Session", "requests.session",
    "niquests.Session", "niquests.AsyncSession", "aiohttp.ClientSession",
}  # fmt: skip


def clients_of(function: PythonFunction) -> Mapping[str, str]:
    """Return the HTTP clients that a function or its file creates: their packages, by variable.

    A client with a `base_url` does not count, since the model only chooses the rest of the URL.
    """
    made = list(function.file.assigned.items())
    for node in function.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                made.append((name, value))
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
                made.append((name, value))
    return {name: package for name, value in made if (package := _package_of(value, function.file))}


def _package_of(value: ast.expr, file: PythonSource) -> str | None:
    match value:
        case ast.Await(value=inner):
            return _package_of(inner, file)
        case ast.Call(func=func, args=[], keywords=keywords) if all(one.arg != "base_url" for one in keywords):
            meaning = file.meaning(func) or ""
            return meaning.partition(".")[0] if meaning in _CLASSES else None
    return None


def importing(file: PythonSource, module: str, name: str | None = None) -> list[Edit]:
    """Return the edits that import a module, or a name from it, after the docstring and `__future__` imports."""
    wanted = f"from {module} import {name}" if name else f"import {module}"
    if file.imported_names.get(name or module) == (f"{module}.{name}" if name else module):
        return []
    for node in file.tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not is_docstring and not is_future:
            start = file.index(node.lineno, 0)
            return [file.edit(start, start, f"{wanted}\n")]
    return []


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
