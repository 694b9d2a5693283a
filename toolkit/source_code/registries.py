"""Find the registries of projects: what keeps functions for the servers of a project, and which files have servers."""

import ast
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.meanings import Defined, Meanings
from toolkit.source_code.project_files import project_files, project_folder
from toolkit.source_code.source_files import FUNCTIONS, Definition, Imported, SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode
from toolkit.source_code.tool_hints import mentions_framework
from toolkit.tools.foreign.frameworks import framework_of
from toolkit.tools.foreign.source_marks import SourceMarks

_SAYS_TOOL = "tool"
_PACKAGE = f"{os.sep}__init__.py"
_STORING = {"append", "add", "insert", "setdefault", "register"}


class _User(NamedTuple):
    """A file that imports a framework with servers, and the files of the project that it imports."""

    path: str
    marks: SourceMarks
    around: frozenset[str]


class Kept(NamedTuple):
    """Where a project keeps functions for a server.

    Attributes:
        marks: The framework of the server, or `None` if no file shows one.
        files: The files of the registry, and those that read it.
    """

    marks: SourceMarks | None
    files: frozenset[str]


class Registries:
    """Finds the servers of projects; results are cached."""

    def __init__(self, meanings: Meanings) -> None:
        """Create an empty cache."""
        self._meanings = meanings
        self._files: dict[Path, frozenset[str]] = {}
        self._users: dict[Path, tuple[_User, ...]] = {}
        self._depending: set[str] = set()
        self._known: dict[Definition, Kept | None] = {}
        self._searched: set[str] = set()

    def folders_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders in which servers were looked for on behalf of files; a new file there may be one."""
        return frozenset(str(project_folder(one)[0]) for one in self._searched.intersection(files))

    def kept_by(self, home: SourceFile, decorator: FunctionNode) -> Kept | None:
        """Return where a decorator, which is in the file `home`, keeps functions; `None` if it keeps none."""
        if decorator not in self._known:
            self._known[decorator] = self._find(home, decorator)
        return self._known[decorator]

    def _find(self, home: SourceFile, decorator: FunctionNode) -> Kept | None:
        flags = flags_of(decorator, home)
        if stores_function(decorator) or flags:
            self._searched.add(home.path)
        if stores_function(decorator):
            files = self._files_of(home, decorator)
        elif (readers := self._readers(home.path, flags)) or _reads(home, decorator, flags):
            files = readers | {home.path}
        else:
            return None
        users = [one for one in self._users_near(home.path) if not files.isdisjoint(one.around)]
        return Kept(users[0].marks if users else None, files.union(one.path for one in users))

    def servers_around(self, source: SourceFile) -> Iterator[SourceMarks]:
        """Yield the frameworks of the servers whose files import a file, or else of all servers of the project."""
        self._searched.add(source.path)
        users = self._users_near(source.path)
        near = [one for one in users if source.path in one.around]
        yield from (one.marks for one in near or users)

    @staticmethod
    def _readers(home: str, flags: Collection[str]) -> frozenset[str]:
        """Return the other files of a project that mention an attribute with which a decorator marks functions."""
        found = set()
        for file in map(str, project_files(home) if flags else ()):
            with suppress(OSError):
                if file != home and any(flag.encode() in bounded_bytes(file) for flag in flags):
                    found.add(os.path.realpath(file))
        return frozenset(found)

    def _users_near(self, home: str) -> tuple[_User, ...]:
        """Return the files with servers in the project of a file, which depends on every file of the project now."""
        folder, _ = project_folder(home)
        if folder not in self._users:
            files = [*map(str, project_files(home))]
            self._files[folder] = frozenset(map(os.path.realpath, files))
            self._users[folder] = tuple(self._users_among(files))
        if home not in self._depending:
            self._depending.add(home)
            for file in self._files[folder]:
                self._meanings.depend(home, file)
        return self._users[folder]

    def _users_among(self, files: Iterable[str]) -> Iterator[_User]:
        for file in files:
            with suppress(OSError):
                source = self._meanings.source(file) if mentions_framework(bounded_bytes(file)) else None
                taken = [] if source is None else self._meanings.foreign_imports(source)
                imported = [framework_of(one.module) for one in taken]
                for marks in (marks_of(one) for one in dict.fromkeys(imported) if one is not None):
                    if source is not None and marks is not None and marks.serves:
                        yield _User(source.path, marks, files_around(self._meanings, source))

    def _files_of(self, home: SourceFile, decorator: FunctionNode) -> frozenset[str]:
        """Return the file of a decorator, and those of what it uses, such as the registry or its class."""
        nodes = (node for part in (*decorator.body, decorator.args) for node in ast.walk(part))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        imported = [one for name in used for one in home.bindings.get(name, ()) if isinstance(one, Imported)]
        files = {file for one in imported for file in self._meanings.files_of(home.path, one)}
        files |= {
            one.source.path
            for each in imported
            for one in self._meanings.followed(home, each)
            if isinstance(one, Defined)
        }
        return frozenset({home.path, *files})


def files_around(meanings: Meanings, source: SourceFile) -> frozenset[str]:
    """Return a file, those of the project that it imports, and those that these offer under names of their package."""
    found, waiting = {source.path}, [source]
    while waiting:
        one = waiting.pop()
        imported = {file for each in one.every_import for file in meanings.files_of(one.path, each)} - found
        found |= imported
        for package in (file for file in imported if file.endswith(_PACKAGE)):
            meanings.depend(source.path, package)
            waiting += filter(None, [meanings.source(package)])
    return frozenset(found)


def speaks_of_tools(function: ast.expr) -> bool:
    """Return whether the name of a decorator, or of the object that it is a method of, has `tool` in it."""
    owner = function.value if isinstance(function, ast.Attribute) else None
    return any(_SAYS_TOOL in last_name(one).lower() for one in (function, owner))


def stores_function(function: FunctionNode) -> bool:
    """Return whether a decorator adds the function that it receives to a collection or to the definition of a tool."""
    received = _received_by(function)
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(attr=method)) if method in _STORING:
                kept: list[ast.AST] = [*node.args, *node.keywords]
            case ast.Call(func=ast.Call(func=ast.Attribute(attr=method))) if _SAYS_TOOL in method.lower():
                kept = [*node.args]
            case ast.Call() if _makes_tool(last_name(node.func)):
                kept = [*node.args, *node.keywords]
            case ast.Assign(targets=[ast.Subscript()], value=value):
                kept = [value]
            case _:
                continue
        if any(isinstance(part, ast.Name) and part.id in received for one in kept for part in ast.walk(one)):
            return True
    return False


def _makes_tool(name: str) -> bool:
    """Return whether a name is that of a tool's definition; an error about a tool keeps no function."""
    return _SAYS_TOOL in name.lower() and not name.endswith(("Error", "Exception"))


def flags_of(function: FunctionNode, home: SourceFile) -> set[str]:
    """Return the attributes with `tool` in their names that a decorator sets of the function that it receives."""
    inner = {one.name for one in ast.walk(function) if isinstance(one, FUNCTIONS) and one is not function}
    received, found = _received_by(function) | inner, set[str]()
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=marked), name, _]):
                found |= _texts(name, home) if marked in received else set()
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=marked), attr=name)]):
                found |= {name} if marked in received else set()
    return {name for name in found if _SAYS_TOOL in name.lower()}


def _reads(home: SourceFile, decorator: FunctionNode, flags: Collection[str]) -> bool:
    """Return whether the file of a decorator also reads an attribute with which it marks functions."""
    own = set(ast.walk(decorator))
    for node in ast.walk(home.tree) if flags else ():
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, name, *_]) if node not in own:
                if not _texts(name, home).isdisjoint(flags):
                    return True
    return False


def _texts(node: ast.expr, home: SourceFile) -> set[str]:
    """Return a text, which a constant of the file may hold."""
    value = home.resolved(node)
    return {value.value} if isinstance(value, ast.Constant) and isinstance(value.value, str) else set()


def _received_by(function: FunctionNode) -> set[str]:
    inner = [one for one in ast.walk(function) if isinstance(one, FUNCTIONS)]
    return {one.arg for each in inner for one in each.args.args if one.arg not in {"self", "cls"}}
