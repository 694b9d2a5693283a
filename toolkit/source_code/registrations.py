"""Resolve what the decorators and calls in a Python file register as tools, without running code.

A project may keep functions in a registry of its own, which the server of a framework reads.
"""

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, partial
from typing import NamedTuple

from toolkit.source_code.describers import Describer, Describers
from toolkit.source_code.known_marks import MarksTable, marks_of
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import CALLED, Defined, Meanings
from toolkit.source_code.own_bases import definitions_among
from toolkit.source_code.registries import Registries, speaks_of_tools
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode
from toolkit.source_code.written_calls import argument_of, is_super_init
from toolkit.tools.foreign.frameworks import all_packages, framework_of
from toolkit.tools.foreign.source_marks import Place, Registration, SourceMarks, Way, is_among

_NAMED = ("name", "tool_name")
OTHERS = "others"
"""The name of all frameworks that we do not know."""
_OF_PYTHON = sys.stdlib_module_names | {*dir(builtins)}
_USUAL = "mcp_sdk"
"""The framework of tools of which nothing shows another one."""


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
    def is_guessed(self) -> bool:
        """Whether the source does not show whose method it is, and only the name of the variable says so."""
        return self.name.startswith(CALLED)

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
        self._describing: dict[frozenset[str], SourceMarks | None] = {}
        self.registries = Registries(meanings)
        self.describers = Describers()

    def of_decorator(self, source: SourceFile, mark: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a decorator, possibly with arguments, registers the function that it decorates, or `None`."""
        function = mark.func if isinstance(mark, ast.Call) else mark
        found = self.of_call(source, function, names)
        describer = partial(self._describer, is_called=function is not mark)
        for find in () if found else (self._wrap, describer, self._registry, self._configured, self.of_others):
            found = found or find(source, function, names)
        return found if found and found.registration.way == "mark" else None

    def of_call(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a call of a function registers a tool, or `None`."""
        meanings = list(self.meanings.of(source, function, names))
        for meaning in meanings:
            if isinstance(meaning, str) and (found := self._registered_as(meaning)):
                return found
        if isinstance(function, ast.Attribute) and all(isinstance(one, str) for one in meanings):
            found = self._of_super(source, function, names)
            return (
                found
                if found or self._is_of_others(source, function.value, names)
                else self._by_receiver(source, function)
            )
        return None

    def of_others(
        self,
        source: SourceFile,
        function: ast.expr,
        names: LocalNames | None,
        *,
        given: Collection[str] = (),
        ways: Sequence[Way] = ("mark",),
    ) -> Registered | None:
        """Return how a call of a function that neither the project nor a known framework defines registers tools.

        Args:
            source: The file.
            function: The function that is called.
            names: The scope of the call.
            given: The keywords of the call.
            ways: The ways that it may be.
        """
        marks, name = marks_of(OTHERS), source.meaning(function) or last_name(function)
        is_known = framework_of(name) is not None or name.partition(".")[0] in _OF_PYTHON
        if marks is None or is_known or any(map(bool, self.meanings.of(source, function, names))):
            return None
        owner = function.value if isinstance(function, ast.Attribute) else function
        is_imported = is_of_others(self.meanings, source, function) or self._is_of_others(source, owner, names)
        possible = (one for one in marks.registrations if one.way in ways and _has_all(given, one.needs))
        fitting = (one for one in possible if is_among(name, one.names))
        found = next((one for one in fitting if one.way == "holder" or is_imported), None)
        return None if found is None else Registered(marks, found, name)

    def _of_super(self, source: SourceFile, function: ast.Attribute, names: LocalNames | None) -> Registered | None:
        """Return how `super().__init__(…)` registers a list of tools, if its class is derived from an agent."""
        cls = names.enclosing_class(ast.Name("self")) if names is not None and is_super_init(function) else None
        bases = [] if cls is None else self.meanings.made_from(Defined(source, cls))
        found = (self._registered_as(one) for one in bases)
        return next((one for one in found if one is not None and one.registration.way == "holder"), None)

    def _is_of_others(self, source: SourceFile, owner: ast.expr, names: LocalNames | None) -> bool:
        """Return whether a variable has an object that a package makes which is neither known nor the project's."""
        bound = self.meanings.values_of(source, owner, names) if isinstance(owner, ast.Name) else ()
        made = [(home, value.func) for home, value, _ in bound if isinstance(value, ast.Call)]
        return bool(made) and all(is_of_others(self.meanings, home, function) for home, function in made)

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
                if found and (found.registration.way == "mark" or _decorates(function, used, found.registration)):
                    by_name = _named_by_caller(found.registration, used, function)
                    return found._replace(registration=by_name._replace(way="mark"), within=(source.path, used.lineno))
        return None

    def _describer(
        self, source: SourceFile, function: ast.expr, names: LocalNames | None, *, is_called: bool
    ) -> Registered | None:
        """Return how a decorator of the project describes the function that it decorates to a model, or `None`."""
        for defined in (one for one in self.meanings.of(source, function, names) if isinstance(one, Defined)):
            for one in self.describers.of(defined):
                if one.is_decorator or (not is_called and 0 in one.registration.function):
                    return described(defined, one, "mark")
        return None

    def _registry(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Registered | None:
        """Return how a decorator of the project's registry registers tools, or `None`."""
        if not speaks_of_tools(function):
            return None
        for meaning in self.meanings.of(source, function, names):
            if not (isinstance(meaning, Defined) and isinstance(meaning.node, FUNCTIONS)):
                continue
            name, home = meaning.node.name, meaning.source
            if kept := self.registries.kept_by(home, meaning.node):
                found = self._of_project(name, (source, home), home.path)
                marks = kept.marks or self._described_in(kept.files) or marks_of(OTHERS)
                if found := found or self._as_registered(name, marks, home.path):
                    registration = with_places(found.registration, meaning.node)
                    return found._replace(registration=registration, registry=kept.files)
        return None

    def _described_in(self, files: frozenset[str]) -> SourceMarks | None:
        """Return the framework in whose form some files make definitions of what they keep, or `None`."""
        if files not in self._describing:
            sources = filter(None, map(self.meanings.source, sorted(files)))
            made = (one for source in sources for one in definitions_among(source, source.nodes))
            found = (marks_of(one.framework) for one in made if not isinstance(one.parts["name"], ast.Constant))
            self._describing[files] = next(filter(None, found), None)
        return self._describing[files]

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


def _has_all(given: Collection[str], needs: Iterable[Sequence[str]]) -> bool:
    return all(any(one in given for one in group) for group in needs)


def is_of_others(meanings: Meanings, source: SourceFile, name: ast.expr) -> bool:
    """Return whether a name is imported from a package that is not the project's, part of Python, or a known one."""
    root = name
    while isinstance(root, ast.Attribute):
        root = root.value
    module = source.imported_names.get(root.id, "") if isinstance(root, ast.Name) else ""
    top = module.partition(".")[0]
    if not top or top in _OF_PYTHON or framework_of(source.meaning(name) or "") is not None:
        return False
    return not any(map(bool, meanings.of(source, name)))


def described(defined: Defined, by: Describer, way: Way) -> Registered:
    """Return how a function or a class of the project registers the function that it describes."""
    name = defined.node.name
    registration = by.registration._replace(names=(name,), way=way)
    return Registered(by.marks, registration, name, within=(defined.source.path, by.node.lineno))


def _decorates(factory: Definition, mark: ast.expr, registration: Registration) -> bool:
    """Return whether a call with a function registers what an inner function receives, which is then a decorator."""
    inner = [one for one in ast.walk(factory) if isinstance(one, FUNCTIONS) and one is not factory]
    if registration.way != "function" or not inner:
        return False
    calls = (one for one in ast.walk(factory) if isinstance(one, ast.Call) and one.func is mark)
    given = {one.id for call in calls if isinstance(one := argument_of(call, registration.function), ast.Name)}
    return any(not given.isdisjoint(one.arg for one in (*each.args.posonlyargs, *each.args.args)) for each in inner)


def _named_by_caller(registration: Registration, mark: ast.expr, function: Definition) -> Registration:
    """Return a registration whose name is the argument that a function passes on to the mark that it calls."""
    calls = (one for one in ast.walk(function) if isinstance(one, ast.Call) and one.func is mark)
    passed = {last_name(_member_of(argument_of(one, registration.name))) for one in calls}
    is_passed_on = isinstance(function, FUNCTIONS) and not passed.isdisjoint({"name", "tool_name"})
    return with_places(registration, function) if is_passed_on else registration._replace(name=("name",))  # type: ignore[arg-type]  # as checked


def _member_of(name: ast.expr | None) -> ast.expr | None:
    """Return the member of an enumeration whose value is a name, or the name itself."""
    return name.value if isinstance(name, ast.Attribute) and name.attr == "value" else name


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


def with_places(registration: Registration, decorator: FunctionNode) -> Registration:
    """Return a registration whose name and description are where a decorator of the project takes them."""
    positional = [one.arg for one in (*decorator.args.posonlyargs, *decorator.args.args)]
    positional = positional[1:] if positional[:1] in (["self"], ["cls"]) else positional
    places: dict[str, tuple[Place, ...]] = {name: (name, at) for at, name in enumerate(positional)}
    named = tuple(at for name in _NAMED for at in places.get(name, ())[1:])
    return registration._replace(
        name=(*_NAMED, *named), description=places.get("description", registration.description)
    )
