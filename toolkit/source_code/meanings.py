"""Resolve what an expression in a Python file refers to, through imports and assignments, without running code.

Names of known packages are resolved to dotted names, in which `()` stands for the result of a call.
"""

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from toolkit.source_code.local_names import Local, LocalNames, scope_around
from toolkit.source_code.lookups import Lookups
from toolkit.source_code.module_files import PACKAGE, place_in_package, project_folders, source_of_module
from toolkit.source_code.own_packages import shadowing
from toolkit.source_code.source_files import (
    FUNCTIONS,
    Binding,
    Definition,
    Imported,
    SourceFile,
    last_name,
    statements_below,
)
from toolkit.source_code.syntax_nodes import added_to, placed
from toolkit.source_code.wrappers import given_to_wrapper
from toolkit.tools.foreign.frameworks import framework_of, suggests_tools

UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)
CALLED = "()"


class Defined(NamedTuple):
    """A function or class, and the file that defines it."""

    source: SourceFile
    node: Definition


class Object(NamedTuple):
    """An instance of a class of the project, and the file that defines the class."""

    source: SourceFile
    node: ast.ClassDef


class Module(NamedTuple):
    """A module, by its file."""

    source: SourceFile


Meaning = str | Defined | Object | Module
"""What an expression refers to: a dotted name of a known package, or something defined in a file."""


class Meanings:
    """Resolves expressions; each file is parsed once, and results are cached."""

    def __init__(
        self,
        is_known: Callable[[str], bool],
        *,
        only_near: bool = False,
        read: Callable[[str], SourceFile] = SourceFile,
    ) -> None:
        """Create an empty cache.

        Args:
            is_known: Returns whether a module, given by its dotted name, belongs to a known package.
            only_near: Whether to search for modules next to the file only, not in installed packages.
            read: Reads and parses a file, given by its path.
        """
        self._is_known = is_known
        self._read = read
        self._only_near = only_near
        self._sources: dict[str, SourceFile | BaseException] = {}
        self._lookups = Lookups()
        self._edges: dict[str, set[str]] = {}
        self._places: dict[str, tuple[str, list[str]]] = {}
        self._homes: dict[tuple[str, str], str | None] = {}
        self._classes: dict[ast.ClassDef, LocalNames] = {}
        self._locals: dict[int, tuple[Local, ...]] = {}

    def source(self, file: str) -> SourceFile | None:
        """Return a parsed file, or `None` if it cannot be parsed."""
        real = self._real(file)
        if real not in self._sources:
            try:
                self._sources[real] = self._read(real)
            except UNREADABLE as error:
                self._sources[real] = error
        found = self._sources[real]
        return found if isinstance(found, SourceFile) else None

    def tree_of(self, file: str, text: str) -> ast.Module | None:
        """Return the syntax tree of a file, given by its real path, if it was parsed from exactly this text."""
        found = self._sources.get(file)
        return found.tree if isinstance(found, SourceFile) and found.is_read_from(text) else None

    def keep(self, source: SourceFile) -> None:
        """Add a file that was already parsed to the cache."""
        self._sources[source.path] = source

    def failure(self, file: str) -> BaseException | None:
        """Return the exception from parsing a file, or `None` if it can be parsed."""
        self.source(file)
        found = self._sources[self._real(file)]
        return found if isinstance(found, BaseException) else None

    def _real(self, file: str) -> str:
        return file if file in self._sources else os.path.realpath(file)  # which asks the disk for each folder

    def files_behind(self, file: str) -> set[str]:
        """Return the files that the results for a file depend on, including files that do not exist."""
        found, waiting = set[str](), [self._real(file)]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self._edges.get(one, ())
        return found

    def depend(self, file: str, other: str) -> None:
        """Record that the results for a file depend on another one."""
        self._edges.setdefault(file, set()).add(other)

    def of(self, source: SourceFile, node: ast.AST, names: LocalNames | None = None) -> Iterable[Meaning]:
        """Return everything that an expression may refer to; `names` is the scope of the expression."""
        match node:
            case ast.Name(id=name):
                return self._of_name(source, name, names)
            case ast.Attribute(value=value, attr=name):
                if names is not None and (local := names.attribute(node)):
                    return [each for one in self._of_locals(source, local) for each in self._taken_from(one)]
                owners = [*self.of(source, value, names), *self._own_objects(source, value, names)]
                return [inner for one in owners for inner in self._member(one, name)]
            case ast.Call():
                return self._of_call(source, node, names)
            case (
                ast.Subscript(value=value)
                | ast.NamedExpr(value=value)
                | ast.Await(value=value)
                | ast.Starred(value=value)
            ):
                return self.of(source, value, names)
            case ast.IfExp(body=first, orelse=second) | ast.BinOp(left=first, op=ast.Add(), right=second):
                return [*self.of(source, first, names), *self.of(source, second, names)]
            case ast.BoolOp(values=values) | ast.List(elts=values) | ast.Tuple(elts=values) | ast.Set(elts=values):
                return [one for value in values for one in self.of(source, value, names)]
        return ()

    def _of_call(self, source: SourceFile, call: ast.Call, names: LocalNames | None) -> Iterable[Meaning]:
        """Return what a call returns: the function that it passes on, or instances of a class."""
        match call:
            case ast.Call(args=[function, *_]) if is_partial(call):
                return self.of(source, function, names)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as name), *_]):
                return self.of(source, placed(ast.Attribute(owner, name, ast.Load()), call), names)
        copied = self.copied_by(source, call, names)
        return self._of_objects(source, call.func, names) if copied is None else self.of(source, copied, names)

    def followed(self, source: SourceFile, imported: Imported) -> Iterable[Meaning]:
        """Return what an import refers to."""
        name = imported.name
        if not imported.level and self._is_known(imported.full_name) and not self._is_own(source.path, imported):
            return [imported.full_name]
        modules = self.modules(source, imported)
        if name is None:
            return modules
        return [meaning for one in modules for meaning in self._member(one, name)]

    def taken(self, source: SourceFile, imported: Imported) -> list[tuple[SourceFile, str]]:
        """Return the files, and names in them, that an import takes names from."""
        if imported.name is None:
            return []
        return [(one.source, imported.name) for one in self.modules(source, imported)]

    def modules(self, source: SourceFile, imported: Imported) -> list[Module]:
        """Return the module of an import, if its source can be parsed."""
        return self._module_at(self._file_of(source.path, imported))

    def files_of(self, file: str, imported: Imported) -> list[str]:
        """Return the files that an import in a file may read: the module, and one in it with the imported name."""
        module = self._file_of(file, imported)
        if module is None or imported.name is None or not module.endswith(PACKAGE):
            return [] if module is None else [module]
        inner = self._file_beside(module, imported.name, file)
        return [module] if inner is None else [module, inner]

    def _file_of(self, file: str, imported: Imported) -> str | None:
        """Return the file of the module of an import."""
        folder, names = self._place_of(file)
        name = imported.module
        if imported.level:
            is_package = file.endswith(PACKAGE)
            package = names if is_package else names[:-1]
            package = package[: len(package) - imported.level + 1]
            if not package:  # a folder without an `__init__.py`: what it belongs to depends on who imports it
                outer = os.path.dirname(file)  # noqa: PTH120 - as in module_files
                for _ in range(imported.level - 1 if self._only_near else 0):
                    outer = os.path.dirname(outer)  # noqa: PTH120
                return self._file_in([outer], name or str(imported.name), file)
            name = ".".join([*package, *filter(None, [name])])
        elif name.partition(".")[0] in sys.stdlib_module_names or (
            self._is_known(name) and not self._is_own(file, imported)
        ):
            return None
        beside = os.path.dirname(file)  # noqa: PTH120 - as in module_files; Python finds modules there if the file is run
        folders = [folder, *project_folders(folder), beside] if self._only_near else [folder, *sys.path]
        return self._file_in(folders, name, file) if name else None

    def foreign_imports(self, source: SourceFile) -> Iterator[Imported]:
        """Yield the absolute imports of a file, except those of modules of its project with the name of a framework."""
        for one in source.imports:
            if not self._is_known(one.full_name) or not self._is_own(source.path, one):
                yield one

    def frameworks_in(self, source: SourceFile) -> tuple[str, ...]:
        """Return the frameworks that a file imports and that suggest tools.

        Packages of the project with their names do not count.
        """
        found = (framework_of(one.full_name) for one in self.foreign_imports(source))
        return tuple(one for one in dict.fromkeys(filter(None, found)) if suggests_tools(one))

    def _is_own(self, file: str, imported: Imported) -> bool:
        """Whether an import with the name of a known package takes something from the project of a file.

        Python prefers an installed package to a folder without an `__init__.py`, so such a folder counts only if it
        has the imported name.
        """
        folder, _ = self._place_of(file)
        top = imported.full_name.partition(".")[0]
        if (folder, top) not in self._homes:
            folders = (folder, *project_folders(folder)) if self._only_near else ()
            self._homes[folder, top] = shadowing(imported.full_name, folders)
        home = self._homes[folder, top]
        if home is None:
            return False
        own = self._file_in([home], imported.module, file)
        if imported.name is None:
            return own is not None and not file.startswith(os.path.join(home, top, ""))  # noqa: PTH118
        source = self.source(own) if own is not None and own != file else None
        if source is not None and (imported.name in {"*", *source.bindings} or source.stars):
            return True
        return own != file and self._file_in([home], imported.full_name, file) is not None

    def copied_by(self, source: SourceFile, call: ast.Call, names: LocalNames | None) -> ast.expr | None:
        """Return the function that a call gives to a wrapper of the project, such as `find` in `logged(find)`."""
        function = call.func.func if isinstance(call.func, ast.Call) else call.func
        if not (call.args and _is_dotted(function)):  # in a chain of calls, each link would be read twice
            return None
        called = (one.node for one in self.of(source, function, names) if isinstance(one, Defined))
        given = (given_to_wrapper(call, one) for one in called if isinstance(one, FUNCTIONS))
        return next(filter(None, given), None)

    # ---------------------------------------------------------------------------------------------------------- objects

    def _of_objects(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Iterable[Meaning]:
        """Return what a call returns: instances of a class, identified by its known base classes."""
        match function:
            case ast.Constant(value=str() as text):  # an annotation
                with suppress(*UNREADABLE):
                    return self._of_objects(source, ast.parse(text, mode="eval").body, names)
                return ()
            case ast.BinOp(left=left, right=right):
                return [*self._of_objects(source, left, names), *self._of_objects(source, right, names)]
            case ast.Subscript(value=ast.Name(id="Optional" | "Annotated" | "Union"), slice=inner):
                parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
                return [one for part in parts for one in self._of_objects(source, part, names)]
        return [one for meaning in self.of(source, function, names) for one in self._returned(meaning)]

    def _own_objects(self, source: SourceFile, node: ast.expr, names: LocalNames | None) -> Iterable[Meaning]:
        """Return what `self` or `super()` in a method is: an instance of the base classes of its class."""
        is_super = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
        cls = names.enclosing_class(ast.Name("self") if is_super else node) if names is not None else None
        if cls is None:
            return ()
        known = [f"{one}{CALLED}" for one in self.made_from(Defined(source, cls))]
        bases = [one for base in cls.bases for one in self.of(source, base) if one != Defined(source, cls)]
        return [*known, *(made for one in bases for made in _made_of(one))]

    def made_from(self, meaning: Meaning, names: LocalNames | None = None) -> list[str]:
        """Return the dotted names of a class, if it is known, or of its known base classes; `names` is its scope."""
        return [one for one in self._line_above(meaning, names) if isinstance(one, str)]

    def bases_of(self, cls: Defined) -> list[Defined]:
        """Return the base classes of a class that the project defines, nearest first."""
        return self.line_of(cls)[1:]

    def line_of(self, cls: Defined) -> list[Defined]:
        """Return a class and the base classes that the project defines, nearest first; nothing for a function."""
        return [one for one in self._line_above(cls, None) if isinstance(one, Defined)]

    def _line_above(self, meaning: Meaning, names: LocalNames | None) -> Iterable[Meaning]:
        """Return a class, given with its scope, and everything that it is derived from, each once."""
        found: dict[Meaning, None] = {}
        waiting = [(meaning, names)]
        while waiting:
            one, scope = waiting.pop()
            if one in found or not (isinstance(one, str) or _is_class(one)):
                continue
            found[one] = None
            if isinstance(one, Defined) and isinstance(one.node, ast.ClassDef):
                above = [each for base in one.node.bases for each in self.of(one.source, base, scope)]
                here = [scope if isinstance(each, Defined) and each.source is one.source else None for each in above]
                waiting += reversed([*zip(above, here, strict=True)])
        return found

    def _returned(self, meaning: Meaning) -> Iterable[Meaning]:
        """Return what a call returns; for a function of the project, by its annotation or `return` statements."""
        if not (isinstance(meaning, Defined) and isinstance(meaning.node, FUNCTIONS)):
            known: list[Meaning] = [f"{one}{CALLED}" for one in self.made_from(meaning)]
            return [*known, *_made_of(meaning)]
        source, function = meaning.source, meaning.node
        return self._lookups.find(function, lambda: self._results_of(source, function))

    def _results_of(self, source: SourceFile, function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[Meaning, ...]:
        annotated: list[Meaning] = (
            [] if function.returns is None else list(self._of_objects(source, function.returns, None))
        )
        names = LocalNames(function, scope_around(source.tree, function))
        returned = [one.value for one in statements_below(function) if isinstance(one, ast.Return) and one.value]
        found = annotated or [one for value in returned for one in self.of(source, value, names)]
        known = [one for one in found if isinstance(one, str | Object)]
        listed = (part for value in returned for part in _listed(value, names))
        functions = (one for part in listed for one in self.of(source, part, names) if isinstance(one, Defined))
        return tuple(dict.fromkeys([*known, *functions]))

    # ------------------------------------------------------------------------------------------------------------ names

    def _of_name(self, source: SourceFile, name: str, names: LocalNames | None) -> Iterable[Meaning]:
        if names is not None and (local := names.find(name)) is not None:
            return self._of_locals(source, local)
        return self.of_global(source, name)

    def _of_locals(self, source: SourceFile, local: tuple[Local, ...]) -> Iterable[Meaning]:
        key = id(local)
        self._locals[key] = local  # kept alive, so that its id is not reused
        return self._lookups.find(key, lambda: self._of_bindings(source, local))

    def _of_bindings(self, source: SourceFile, local: tuple[Local, ...]) -> tuple[Meaning, ...]:
        found = [meaning for one in local for meaning in self._of_binding(source, one.binding, one.names)]
        return tuple(dict.fromkeys(found))

    def of_global(self, source: SourceFile, name: str) -> tuple[Meaning, ...]:
        """Return what a name at the top level of a file refers to."""
        return self._lookups.find((source.path, name), lambda: self._of_top_level(source, name))

    def _of_top_level(self, source: SourceFile, name: str) -> tuple[Meaning, ...]:
        found: list[Meaning] = []
        for one in source.bindings.get(name, ()) or source.only_typed.get(name, ()):
            found += self._of_binding(source, one, None)
        if not found:
            for star in source.stars:
                found += self.followed(source, star._replace(name=name))
        return tuple(dict.fromkeys(found))

    def _of_binding(self, source: SourceFile, binding: Binding, names: LocalNames | None) -> Iterable[Meaning]:
        match binding:
            case Imported():
                return self.followed(source, binding)
            case ast.expr():
                return self.of(source, binding, names)
        return [Defined(source, binding)]

    def _member(self, meaning: Meaning, name: str) -> Iterable[Meaning]:
        match meaning:
            case str():
                return [f"{meaning}.{name}"]
            case Module(source=source):
                is_package = source.path.endswith(PACKAGE)
                return self.of_global(source, name) or (self._module_beside(source, name) if is_package else ())
            case Defined(source=source, node=ast.ClassDef(body=body)):
                return [Defined(source, one) for one in body if isinstance(one, Definition) and one.name == name]
            case Object(source=source, node=cls):
                own = [each for one in self._member(Defined(source, cls), name) for each in self._taken_from(one)]
                own = own or [*self._of_attribute(meaning, name)]
                bases = [] if own else self.bases_of(Defined(source, cls))
                return own or next(filter(None, (self._member(one, name) for one in bases)), ())
        return ()

    def _of_attribute(self, made: Object, name: str) -> Iterable[Meaning]:
        """Return what a class, or a method of it, sets an attribute of its objects to."""
        if made.node not in self._classes:  # the same scope each time, which ends cycles
            self._classes[made.node] = LocalNames(made.node, scope_around(made.source.tree, made.node))
        names = self._classes[made.node]
        given = names.bound.get(name) or names.attributes.get(name, ())
        is_set = bool(given) and all(isinstance(one.binding, ast.expr) for one in given)
        return self._of_locals(made.source, given) if is_set else ()

    def _taken_from(self, member: Meaning) -> Iterable[Meaning]:
        """Return what an object has as an attribute: what a property returns, or a member itself."""
        decorators = member.node.decorator_list if isinstance(member, Defined) else ()
        return self._returned(member) if any(last_name(one).endswith("property") for one in decorators) else [member]

    def values_of(
        self, source: SourceFile, node: ast.Name | ast.Attribute, names: LocalNames | None
    ) -> Iterable[tuple[SourceFile, ast.expr, LocalNames | None]]:
        """Return the values that a variable is bound to, each with its file and its scope."""
        if isinstance(node, ast.Attribute):
            modules = [one.source for one in self.of(source, node.value, names) if isinstance(one, Module)]
            return [(one, value, None) for one in modules for value in _values(one, node.attr)]
        if names is not None and (local := names.find(node.id)) is not None:
            return [(source, one.binding, one.names) for one in local if isinstance(one.binding, ast.expr)]
        bound = source.bindings.get(node.id) or [one._replace(name=node.id) for one in source.stars]
        imported = [one for one in bound if isinstance(one, Imported)]
        taken = [(source, node.id), *(pair for one in imported for pair in self.taken(source, one))]
        return [(one, value, None) for one, name in taken for value in _values(one, name)]

    def method_of(self, made: Object, name: str) -> Defined | None:
        """Return a method of an object of the project, possibly of a base class."""
        found = [one for one in self._member(made, name) if isinstance(one, Defined)]
        return next((one for one in found if isinstance(one.node, FUNCTIONS)), None)

    def _place_of(self, file: str) -> tuple[str, list[str]]:
        if file not in self._places:
            self._places[file] = place_in_package(file)
        return self._places[file]

    def _module_beside(self, source: SourceFile, name: str) -> list[Module]:
        return self._module_at(self._file_beside(source.path, name, source.path))

    def _file_beside(self, file: str, name: str, user: str) -> str | None:
        return self._file_in([os.path.dirname(file)], name, user)  # noqa: PTH120 - as in module_files

    def _file_in(self, folders: list[str], name: str, user: str) -> str | None:
        """Return the file of the module with a name in one of these folders, which the results for `user` depend on."""
        return source_of_module(name, folders, self._edges.setdefault(user, set()))

    def _module_at(self, file: str | None) -> list[Module]:
        found = self.source(file) if file else None
        return [Module(found)] if found is not None else []


def _is_class(meaning: Meaning) -> bool:
    return isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef)


def _made_of(meaning: Meaning) -> list[Object]:
    """Return the instance that a call of a class of the project returns."""
    match meaning:
        case Defined(source=source, node=ast.ClassDef() as cls):
            return [Object(source, cls)]
    return []


def _values(source: SourceFile, name: str) -> list[ast.expr]:
    return [one for one in source.bindings.get(name, ()) if isinstance(one, ast.expr)]


def _listed(value: ast.expr, names: LocalNames, within: frozenset[str] = frozenset()) -> Iterator[ast.expr]:
    """Yield the parts of a list, also of one in a variable of a function, and the calls that return others.

    `within` are the variables whose values this list is a part of, such as `found` in `found = found + more`.
    """
    match value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            yield from parts
        case ast.BinOp(left=first, op=ast.Add(), right=second):
            yield from (*_listed(first, names, within), *_listed(second, names, within))
        case ast.Call(func=ast.Attribute()):
            yield value
        case ast.Name(id=name) if name in names.bound and name not in within:
            bound = [one.binding for one in names.bound[name]]
            for one in (*bound, *added_to(names.node, name)):
                if isinstance(one, ast.List | ast.Tuple | ast.Set | ast.BinOp):
                    yield from _listed(one, names, within | {name})


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def scope_of(function: Defined) -> LocalNames:
    """Return the scope of the body of a function."""
    return LocalNames(function.node, scope_around(function.source.tree, function.node))


def is_partial(call: ast.Call) -> bool:
    """Whether a call is `partial(function, …)`, which refers to the function."""
    return bool(call.args) and last_name(call.func) == "partial"
