"""Resolve what the decorators and calls in a Python file register as tools, without running code.

A project may keep functions in a registry of its own, which the server of a framework reads.
"""

import ast
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.known_marks import MarksTable, marks_of
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import CALLED, Defined, Meanings
from toolkit.source_code.project_files import project_files, project_folder
from toolkit.source_code.source_files import FUNCTIONS, Definition, Imported, SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, filled, own_nodes, placed
from toolkit.source_code.tool_hints import mentions_framework
from toolkit.tools.foreign.frameworks import all_packages, framework_of
from toolkit.tools.foreign.source_marks import Place, Registration, SourceMarks, is_among

_USUAL = "mcp_sdk"
"""The framework of tools of which nothing shows another one."""


def argument_of(mark: ast.expr, places: Sequence[Place]) -> ast.expr | None:
    """Return the first argument of a call with one of these positions or names, or `None`."""
    if (call := call_with_options(mark)) is None:
        return None
    named = {one.arg: one.value for one in call.keywords}
    for place in places:
        if isinstance(place, str) and place in named:
            return named[place]
        if isinstance(place, int) and place < len(call.args) and not isinstance(call.args[place], ast.Starred):
            return call.args[place]
    return None


def hides_arguments(mark: ast.expr | None) -> bool:
    """Return whether a decorator or call of a registration has unpacked arguments, such as `**options`."""
    call = call_with_options(mark)
    return call is not None and any(one.arg is None for one in call.keywords)


def call_with_options(mark: ast.expr | None) -> ast.Call | None:
    """Return the call with the options: `tool(…)` of `tool(…)(function)`; `None` for a decorator without any."""
    call = mark.func if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Call) else mark
    return call if isinstance(call, ast.Call) else None


def is_super_init(function: ast.expr) -> bool:
    """Return whether a function that is called is `super().__init__`."""
    match function:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def places_of(function: Definition) -> dict[str, tuple[Place, ...]]:
    """Return where a call has the argument for each parameter of a function."""
    if isinstance(function, ast.ClassDef):
        return {}
    given = function.args
    positional = [one.arg for one in (*given.posonlyargs, *given.args)]
    start = 1 if positional[:1] in (["self"], ["cls"]) else 0
    found: dict[str, tuple[Place, ...]] = {name: (name, at) for at, name in enumerate(positional[start:])}
    return found | {one.arg: (one.arg,) for one in given.kwonlyargs}


def made_by_call(call: ast.Call, function: FunctionNode) -> ast.expr | None:
    """Return the tuple, list or dictionary that a function of the same file makes of a call, or `None`."""
    returned = [one.value for one in own_nodes(function.body) if isinstance(one, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple | ast.List | ast.Dict):
        return None
    given = {name: argument_of(call, places) for name, places in places_of(function).items()}
    return placed(filled(returned[0], {name: one for name, one in given.items() if one is not None}), call)


class Registered(NamedTuple):
    """A way to register a tool, the marks of its framework, and the dotted name that is called.

    Attributes:
        within: The file and the line of that call, if it is in a function of the project that is called instead.
        registry: The files of the project's registry that keeps the tool for a server.
    """

    marks: SourceMarks
    registration: Registration
    name: str
    within: tuple[str, int] | None = None
    registry: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """The short form of the dotted name: `add_tool`, `Tool` or `Tool.from_function`."""
        owner, _, last = self.name.rpartition(CALLED)[2].rpartition(".")
        owner = owner.rpartition(".")[2]
        return f"{owner}.{last}" if owner[:1].isupper() else last


class Registrations:
    """Resolves decorators and calls to the ways in which they register tools."""

    def __init__(self, meanings: Meanings, marks: MarksTable, own_decorators: Collection[str] = ()) -> None:
        """Create an empty cache.

        Args:
            meanings: Resolves names.
            marks: The marks of all frameworks.
            own_decorators: The project's decorators that register tools: their names, or dotted names.
        """
        self.meanings = meanings
        self._own_decorators = own_decorators
        self._marks = marks
        self._wrappers: dict[Definition, Registered | None] = {}
        self._known: dict[str, Registered | None] = {}
        self.registries = Registries(meanings)

    def of_decorator(self, source: SourceFile, mark: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a decorator, possibly with arguments, registers the function that it decorates, or `None`."""
        function = mark.func if isinstance(mark, ast.Call) else mark
        found = self.of_call(source, function, names)
        for find in () if found else (self._wrap, self._registry, self._configured):
            found = found or find(source, function, names)
        return found if found and found.registration.way == "mark" else None

    def of_call(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a call of a function registers a tool, or `None`."""
        meanings = list(self.meanings.of(source, function, names))
        for meaning in meanings:
            if isinstance(meaning, str) and (found := self._registered_as(meaning)):
                return found
        if isinstance(function, ast.Attribute) and all(isinstance(one, str) for one in meanings):
            return self._of_super(source, function, names) or self._by_receiver(source, function)
        return None

    def _of_super(self, source: SourceFile, function: ast.Attribute, names: LocalNames | None) -> Registered | None:
        """Return how `super().__init__(…)` registers a list of tools, if its class is derived from an agent."""
        cls = names.enclosing_class(ast.Name("self")) if names is not None and is_super_init(function) else None
        bases = [] if cls is None else self.meanings.made_from(Defined(source, cls))
        found = (self._registered_as(one) for one in bases)
        return next((one for one in found if one is not None and one.registration.way == "holder"), None)

    def _by_receiver(self, source: SourceFile, function: ast.Attribute) -> Registered | None:
        """Return how a method registers a tool if its variable has a usual name of a server or agent, or `None`."""
        if "tool" not in function.attr:  # as in `may_have_tools`; this does not load the marks of all frameworks
            return None
        receiver = last_name(function.value)
        fitting = [
            found
            for found in _methods().get(function.attr, ())
            if any(fnmatchcase(receiver, pattern) for pattern in found.marks.receivers)
        ]
        if len({found.marks.title for found in fitting}) > 1:
            imported = {marks_of(one) for one in self.meanings.frameworks_in(source)}
            if imported.isdisjoint(found.marks for found in fitting):
                imported = {*self.registries.servers_around(source)}
            fitting.sort(key=lambda found: found.marks not in imported)
        return fitting[0] if fitting else None

    def _registered_as(self, name: str) -> Registered | None:
        if name not in self._known:
            marks = self._marks.of(name)
            fitting = [one for one in marks.registrations if is_among(name, one.names)] if marks else []
            self._known[name] = Registered(marks, fitting[0], name) if marks and fitting else None
        return self._known[name]

    def _wrap(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a function of the project that wraps a mark registers a tool, or `None`."""
        for meaning in self.meanings.of(source, function, names):
            if isinstance(meaning, Defined) and isinstance(meaning.node, FUNCTIONS):
                if meaning.node not in self._wrappers:
                    self._wrappers[meaning.node] = None  # empty during the lookup, which ends cycles
                    self._wrappers[meaning.node] = self._mark_within(meaning.source, meaning.node)
                if found := self._wrappers[meaning.node]:
                    return found
        return None

    def _mark_within(self, source: SourceFile, function: Definition) -> Registered | None:
        names = LocalNames(function, None)
        for used in ast.walk(function):
            if isinstance(used, ast.Name | ast.Attribute) and isinstance(used.ctx, ast.Load):
                found = self.of_call(source, used, names)
                if found and found.registration.way == "mark":
                    by_name = _named_by_caller(found.registration, used, function)
                    return found._replace(registration=by_name, within=(source.path, used.lineno))
        return None

    def _registry(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a decorator registers tools that keeps functions for a server, or `None`."""
        if not speaks_of_tools(function):
            return None
        for meaning in self.meanings.of(source, function, names):
            if not (isinstance(meaning, Defined) and isinstance(meaning.node, FUNCTIONS)):
                continue
            name, home = meaning.node.name, meaning.source
            if kept := self.registries.kept_by(home, meaning.node):
                found = self._of_project(name, (source, home), home.path)
                if found := found or self._as_registered(name, kept.marks, home.path):
                    registration = with_places(found.registration, meaning.node)
                    return found._replace(registration=registration, registry=kept.files)
        return None

    def _configured(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a decorator that the project's configuration names registers tools, or `None`."""
        name = (source.meaning(function) or last_name(function)) if self._own_decorators else ""
        if not any(f".{name.lstrip('.')}".endswith(f".{one}") for one in self._own_decorators if name):
            return None
        defined = [one.source for one in self.meanings.of(source, function, names) if isinstance(one, Defined)]
        found = self._of_project(name, (source, *defined), defined[0].path if defined else "")
        return found or self._as_registered(name, marks_of(_USUAL), "")

    def _of_project(self, name: str, sources: Iterable[SourceFile], home: str) -> Registered | None:
        """Return how a decorator of the project registers tools of the framework that one of these files imports."""
        imported = (framework_of(one.module) for source in sources for one in self.meanings.foreign_imports(source))
        return next((self._as_registered(name, marks_of(one), home) for one in imported if one is not None), None)

    def _as_registered(self, name: str, marks: SourceMarks | None, home: str) -> Registered | None:
        usual = [one for one in marks.registrations if one.way == "mark"] if marks else []
        if marks is None:
            return None
        registration = (usual or [Registration((name,))])[0]._replace(name=("name",))
        return Registered(marks, registration, name, within=(home, 0))


def _named_by_caller(registration: Registration, mark: ast.expr, function: Definition) -> Registration:
    """Return a registration whose name is the argument that a function passes on to the mark that it calls."""
    calls = (one for one in ast.walk(function) if isinstance(one, ast.Call) and one.func is mark)
    passed = {last_name(argument_of(one, registration.name)) for one in calls}
    is_passed_on = isinstance(function, FUNCTIONS) and not passed.isdisjoint({"name", "tool_name"})
    return with_places(registration, function) if is_passed_on else registration._replace(name=("name",))  # type: ignore[arg-type]  # as checked


@cache
def _methods() -> Mapping[str, Sequence[Registered]]:
    """Return how the methods of servers and agents register tools, by the names of the methods."""
    found: dict[str, list[Registered]] = {}
    for framework in dict.fromkeys(all_packages().values()):
        marks = marks_of(framework)
        if marks is None or not marks.receivers:
            continue
        for one in marks.registrations:
            names = {name.rpartition(f"{CALLED}.")[2] for name in one.names if CALLED in name}
            for name in names if one.way != "definition" else ():
                found.setdefault(name, []).append(Registered(marks, one, f"{CALLED}.{name}"))
    return found


_SAYS_TOOL = "tool"
_PACKAGE = f"{os.sep}__init__.py"
_STORING = {"append", "add", "insert", "setdefault", "register"}
_NAMED = ("name", "tool_name")


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
        self._users: dict[Path, tuple[_User, ...]] = {}
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
        yield from {one.marks: None for one in users if source.path in one.around} or (one.marks for one in users)

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
        """Return the files of a project with servers, on all of which one of its files depends now."""
        files = [*map(str, project_files(home))]
        for file in files:
            self._meanings.depend(home, os.path.realpath(file))
        folder, _ = project_folder(home)
        if folder not in self._users:
            self._users[folder] = tuple(self._users_among(files))
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
        """Return the file of a decorator, and those of what it uses, such as the registry."""
        defaults = [*decorator.args.defaults, *filter(None, decorator.args.kw_defaults)]
        nodes = (node for part in (*decorator.body, *defaults) for node in ast.walk(part))
        used = {node.id for node in nodes if isinstance(node, ast.Name)}
        imported = [one for name in used for one in home.bindings.get(name, ()) if isinstance(one, Imported)]
        files = (file for one in imported for file in self._meanings.files_of(home.path, one))
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


def with_places(registration: Registration, decorator: FunctionNode) -> Registration:
    """Return a registration whose name is where a decorator of the project takes it."""
    positional = [one.arg for one in (*decorator.args.posonlyargs, *decorator.args.args)]
    positional = positional[1:] if positional[:1] in (["self"], ["cls"]) else positional
    at: tuple[Place, ...] = tuple(at for at, name in enumerate(positional) if name in _NAMED)
    return registration._replace(name=(*_NAMED, *at))


def stores_function(function: FunctionNode) -> bool:
    """Return whether a decorator adds the function that it receives to a collection or to the definition of a tool."""
    received = _received_by(function)
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(attr=method)) if method in _STORING:
                kept: list[ast.AST] = [*node.args, *node.keywords]
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
    received, found = _received_by(function), set[str]()
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
