"""Find the functions that a program loads as tools from the files of a folder, without importing them."""

import ast
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from toolkit.source_code.file_views import FileView, as_function
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.meanings import Defined
from toolkit.source_code.module_files import PYTHON
from toolkit.source_code.project_files import files_below, project_folder
from toolkit.source_code.registrations import OTHERS
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, own_nodes
from toolkit.source_code.written_paths import path_of
from toolkit.source_code.written_tools import IN_FILE, WrittenTool

_LOADS = "spec_from_file_location"
_MODULE = "module_from_spec"
_ALL = {"getmembers", "dir", "vars"}
_OF_FUNCTIONS = {"isfunction", "isroutine", "callable"}
_DEEP = {"walk", "rglob"}
_LISTS = {"listdir", "scandir", "glob", "iterdir", *_DEEP}
_PROGRAM = "main"


class _Folder(NamedTuple):
    """A folder that a loop goes through: which of its files, and whether also those of the folders in it."""

    path: Path
    pattern: str
    is_deep: bool

    def has(self, file: Path) -> bool:
        return fnmatchcase(file.name, self.pattern) and (self.is_deep or file.parent == self.path)


class LoadedFiles:
    """Finds the tools that the calls in a file load from others."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source
        self._callers: dict[str, list[FunctionNode]] | None = None

    def loaded_by(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function about tools loads with a call of `spec_from_file_location`.

        These are all public functions of each file, or the one with the name of its file. The folder is one that the
        function, or one that calls it, goes through; one of them has `tool` in its name.
        """
        loader = None if names is None or last_name(call.func) != _LOADS else names.node
        takes_all = _takes_all(loader) if isinstance(loader, FunctionNode) else None
        if takes_all is None or names is None or not isinstance(loader, FunctionNode):
            return
        callers = [one for one in self._callers_of(loader.name) if one is not loader]
        scopes = [(loader, names), *((one, LocalNames(one, scope_around(self._source.tree, one))) for one in callers)]
        marks = marks_of(next(iter(self._finders.meanings.frameworks_in(self._source)), OTHERS))
        if marks is None or not any("tool" in one.name.lower() for one, _ in scopes):
            return
        for folder in dict.fromkeys(one for scope in scopes for one in self._folders_in(*scope)):
            for home, one in self._functions_in(folder):
                if takes_all or one.name == Path(home.path).stem:
                    function = as_function(one)
                    yield self._view.tool(marks, IN_FILE, call, name=one.name, function=function, home=home.path)

    def _callers_of(self, name: str) -> list[FunctionNode]:
        if self._callers is None:
            self._callers = {}
            for node in (one for one in self._source.nodes if isinstance(one, FunctionNode)):
                calls = (one for one in own_nodes(node.body) if isinstance(one, ast.Call))
                for called in {last_name(one.func) for one in calls}:
                    self._callers.setdefault(called, []).append(node)
        return self._callers.get(name, [])

    def _folders_in(self, function: FunctionNode, names: LocalNames) -> Iterator[_Folder]:
        """Yield the folders of the project that the loops of a function go through."""
        project, _ = project_folder(self._source.path)
        loops = (one.iter for one in own_nodes(function.body) if isinstance(one, ast.For))
        for call in (one for listed in loops for one in ast.walk(listed) if isinstance(one, ast.Call)):
            place, pattern = _listed_by(call)
            path = None if place is None else path_of(self._finders.meanings, self._source, place, names)
            folder = None if path is None else Path(os.path.normpath(path))
            if folder is not None and folder != project and folder.is_relative_to(project):
                self._finders.searched_folders.setdefault(self._source.path, set()).add(str(folder))
                if os.path.isdir(folder):  # noqa: PTH112 - false for a name that is too long
                    is_deep = last_name(call.func) in _DEEP or "**" in pattern
                    yield _Folder(folder, pattern.rpartition("/")[2], is_deep)

    def _functions_in(self, folder: _Folder) -> Iterator[tuple[SourceFile, FunctionNode]]:
        """Yield the public functions of the files in a folder that no decorator makes tools already."""
        for file in files_below(folder.path, (PYTHON,)):
            if file.name.startswith("_") or not folder.has(file):
                continue
            self._finders.meanings.depend(self._source.path, str(file))
            source = self._finders.meanings.source(str(file))
            for one in (node for node in source.tree.body if isinstance(node, FunctionNode)) if source else ():
                is_public = not one.name.startswith("_") and one.name != _PROGRAM
                if source is not None and is_public and not self._view.is_marked(Defined(source, one)):
                    yield source, one


def _listed_by(call: ast.Call) -> tuple[ast.expr | None, str]:
    """Return the folder that a call lists, and the pattern of its files: `os.walk(folder)`, `folder.glob("*.py")`."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr=name), args=[folder, *_]) if name in _LISTS:
            return folder, "*"
        case ast.Call(func=ast.Attribute(value=folder, attr="glob" | "rglob"), args=[ast.Constant(value=str() as one)]):
            return folder, one
        case ast.Call(func=ast.Attribute(value=folder, attr="iterdir" | "walk"), args=[]):
            return folder, "*"
    return None, ""


def _takes_all(loader: FunctionNode) -> bool | None:
    """Return whether a loader takes all functions of a module, or only that with its name; `None` if neither.

    One that looks at attributes of what it finds, as in `if hasattr(one, "is_tool")`, takes only some.
    """
    nodes = own_nodes(loader.body)
    modules = set()
    found = None
    for one in nodes:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)):
                if last_name(function) == _MODULE:
                    modules.add(name)
            case ast.Call(func=ast.Name(id="hasattr" | "getattr"), args=[_, ast.Constant(), *_]):
                return None
            case ast.Call(func=function, args=[ast.Name(id=name), *rest]) if name in modules:
                if last_name(function) in _ALL and (not rest or last_name(rest[0]) in _OF_FUNCTIONS):
                    found = True
                elif last_name(function) == "getattr" and rest and isinstance(rest[0], ast.Name):
                    found = found or False
    return found
