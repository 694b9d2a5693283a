"""Finds variables with HTTP clients, such as `async with httpx.AsyncClient() as client`."""

import ast
from collections.abc import Mapping

from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource

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
