"""Find the functions that a program loads as tools from the files of a folder, without importing them."""

import ast
from collections.abc import Iterator
from pathlib import Path

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
from toolkit.source_code.written_tools import WrittenTool

_LOADS = "spec_from_file_location"
_MODULE = "module_from_spec"
_ALL = {"getmembers", "dir", "vars"}
_LISTS = {"walk", "listdir", "scandir", "glob", "rglob", "iterdir"}
_PROGRAM = "main"
_KIND = "file"
"""The kind of a tool that is a function in a loaded file."""


class LoadedFiles:
    """Finds the tools that the calls in a file load from others."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source

    def loaded_by(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function about tools loads with a call of `spec_from_file_location`.

        These are all public functions of each file, or the one with the name of its file. The folder is one that the
        function, or one that calls it, goes through.
        """
        loader = None if names is None or last_name(call.func) != _LOADS else names.node
        if names is None or not isinstance(loader, FunctionNode):
            return
        scopes = [(loader, names), *self._callers_of(loader)]
        takes_all = _takes_all(loader)
        marks = marks_of(next(iter(self._finders.meanings.frameworks_in(self._source)), OTHERS))
        if takes_all is None or marks is None or not any("tool" in one.name.lower() for one, _ in scopes):
            return
        for folder in dict.fromkeys(one for scope in scopes for one in self._folders_in(*scope)):
            self._finders.searched_folders.setdefault(self._source.path, set()).add(str(folder))
            for home, one in self._functions_in(folder):
                if takes_all or one.name == Path(home.path).stem:
                    function = as_function(one)
                    yield self._view.tool(marks, _KIND, call, name=one.name, function=function, home=home.path)

    def _callers_of(self, loader: FunctionNode) -> Iterator[tuple[FunctionNode, LocalNames]]:
        for node in self._source.nodes:
            if isinstance(node, FunctionNode) and node is not loader:
                calls = (one for one in own_nodes(node.body) if isinstance(one, ast.Call))
                if any(last_name(one.func) == loader.name for one in calls):
                    yield node, LocalNames(node, scope_around(self._source.tree, node))

    def _folders_in(self, function: FunctionNode, names: LocalNames) -> Iterator[Path]:
        """Yield the folders of the project that the loops of a function go through."""
        project, _ = project_folder(self._source.path)
        loops = (one.iter for one in own_nodes(function.body) if isinstance(one, ast.For))
        calls = (one for listed in loops for one in ast.walk(listed) if isinstance(one, ast.Call))
        for call in (one for one in calls if last_name(one.func) in _LISTS):
            is_method = isinstance(call.func, ast.Attribute) and last_name(call.func.value) not in {"os", "glob"}
            place = call.func.value if is_method and isinstance(call.func, ast.Attribute) else None
            place = place or (call.args[0] if call.args else None)
            folder = None if place is None else path_of(self._finders.meanings, self._source, place, names)
            if folder is not None and folder != project and folder.is_relative_to(project) and folder.is_dir():
                yield folder

    def _functions_in(self, folder: Path) -> Iterator[tuple[SourceFile, FunctionNode]]:
        """Yield the public functions of the files in a folder that no decorator makes tools already."""
        for file in files_below(folder, (PYTHON,)):
            source = None if file.name.startswith("_") else self._finders.meanings.source(str(file))
            if source is None:
                continue
            self._finders.meanings.depend(self._source.path, source.path)
            for one in (node for node in source.tree.body if isinstance(node, FunctionNode)):
                is_public = not one.name.startswith("_") and one.name != _PROGRAM
                if is_public and not self._view.is_marked(Defined(source, one)):
                    yield source, one


def _takes_all(loader: FunctionNode) -> bool | None:
    """Return whether a loader takes all functions of a module, or only that with its name; `None` if neither."""
    nodes = own_nodes(loader.body)
    modules = set()
    for one in nodes:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=function)):
                if last_name(function) == _MODULE:
                    modules.add(name)
            case ast.Call(func=function, args=[ast.Name(id=name), *rest]) if name in modules:
                if last_name(function) in _ALL:
                    return True
                if last_name(function) == "getattr" and rest and isinstance(rest[0], ast.Name):
                    return False
    return None
