"""Finds the project's files that a Python file imports, directly or not, without running any code.

Their code decides what a tool does as much as its own file. Imports in functions count too, and so do modules that are
imported by name, if the name is a literal or the module is a global of a loaded file. Installed packages do not count.
"""

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.module_files import PACKAGE, is_installed, place_in_package, source_of_module
from toolkit.source_code.newer_syntax import parse_source
from toolkit.source_code.source_files import imports_within, last_name
from toolkit.sources.modules import is_ours

_IMPORTERS = ("import_module", "__import__")


class _Import(NamedTuple):
    """An import: the module as written, the number of leading dots, and what is imported from it."""

    module: str
    level: int = 0
    name: str = ""


def imported_files(files: Iterable[str]) -> set[str]:
    """Return these files, and the files that they import, by their real paths.

    Files that cannot be read or parsed import nothing.
    """
    loaded, known = _loaded_files(), _Known(sys.path)
    found: set[str] = set()
    waiting = [os.path.realpath(file) for file in files]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        if file.endswith(".py"):
            reached = [*_imported_by(file, known), *_held_by(loaded.get(file))]
            waiting += [one for one in map(os.path.realpath, reached) if not is_installed(one)]
    return found


class _Known:
    """The files of modules, each of which is looked for once."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = tuple(folders)
        self._files: dict[tuple[str, str, bool], str | None] = {}

    def files_of(self, module: str, root: str, *, is_relative: bool) -> Iterator[str]:
        """Yield the files that importing a module runs: those of its packages, and its own if it is not just a name."""
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            file = self._file_of(".".join(parts[:count]), root, is_relative=is_relative)
            if file is not None:
                yield file
                if is_installed(file):
                    return

    def _file_of(self, module: str, root: str, *, is_relative: bool) -> str | None:
        key = module, root, is_relative
        if key not in self._files:
            file = source_of_module(module, (root,) if is_relative else (root, *self._folders))
            self._files[key] = None if file is None else os.path.realpath(file)
        return self._files[key]


def _imported_by(file: str, known: _Known) -> Iterator[str]:
    root, names = place_in_package(file)
    package = names if file.endswith(f"{os.sep}{PACKAGE}") else names[:-1]
    state = os.stat(file)
    for one in _imports_in(file, state.st_mtime_ns, state.st_size):
        parts = [*package[: len(package) - one.level + 1], one.module] if one.level else [one.module]
        module = ".".join(filter(None, parts))
        top = module.partition(".")[0]
        if not one.level and (top in sys.stdlib_module_names or is_ours(top)):
            continue
        wanted = f"{module}.{one.name}".strip(".") if one.name else module
        yield from known.files_of(wanted, root, is_relative=one.level > 0)


@lru_cache(maxsize=4_096)
def _imports_in(file: str, changed: int, size: int) -> tuple[_Import, ...]:  # noqa: ARG001 - they identify the content
    try:
        text = bounded_bytes(file)
        tree = parse_source(text, file)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = [one for node in imports_within(tree) for one in _imports_of(node)]
    if any(name.encode() in text for name in _IMPORTERS):
        found += _imports_by_name(tree)
    return tuple(dict.fromkeys(found))


def _imports_of(node: ast.Import | ast.ImportFrom) -> Iterator[_Import]:
    if isinstance(node, ast.Import):
        yield from (_Import(alias.name) for alias in node.names)
        return
    for alias in node.names:
        yield _Import(node.module or "", node.level, "" if alias.name == "*" else alias.name)


def _imports_by_name(tree: ast.Module) -> Iterator[_Import]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str() as name), *_]) if (
                last_name(function) in _IMPORTERS
            ):
                module = name.lstrip(".")
                yield _Import(module, len(name) - len(module))


def _loaded_files() -> dict[str, ModuleType]:
    """Return the loaded modules of the project, by their real paths."""
    found = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) if type(module) is ModuleType else None
        if isinstance(file, str) and file.endswith(".py") and not is_installed(file):
            found[os.path.realpath(file)] = module
    return found


def _held_by(module: ModuleType | None) -> Iterator[str]:
    """Yield the files of modules that a loaded module holds, itself or by their functions and classes."""
    for value in list(vars(module).values()) if module is not None else ():
        inner = value.values() if type(value) is dict else value if type(value) in (list, tuple) else ()
        for one in (value, *inner):
            file = _file_of(one)
            if file is not None:
                yield file


def _file_of(value: Any) -> str | None:
    holder = sys.modules.get(str(value.__module__)) if isinstance(value, FunctionType | type) else value
    if not isinstance(holder, ModuleType) or is_ours(str(vars(holder).get("__name__")).partition(".")[0]):
        return None
    file = vars(holder).get("__file__")
    return file if isinstance(file, str) and file.endswith(".py") else None
