"""A parsed Python file: the bindings of its top-level names, its imports and its calls."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from toolkit.regular_files import MOST_OF_PYTHON, bounded_bytes
from toolkit.source_code.newer_syntax import parse_source
from toolkit.source_code.syntax_nodes import nodes_below, statements_below as all_statements_below

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Imported(NamedTuple):
    """What an import statement binds to a name.

    Attributes:
        module: The module as written, without leading dots.
        level: The number of leading dots.
        name: The name imported from the module, `None` for the module itself, or `*`.
        is_exported: Whether it is reexported by `import a as a`.
    """

    module: str
    level: int = 0
    name: str | None = None
    is_exported: bool = False

    @property
    def full_name(self) -> str:
        """The dotted name of what is imported, with the leading dots of a relative import."""
        package = "." * self.level + self.module
        return f"{package}.{self.name}" if self.name else package


Binding = ast.expr | Definition | Imported


class SourceFile:
    """A parsed Python file."""

    def __init__(self, path: str, tree: ast.Module | None = None) -> None:
        """Read and parse the file, unless its syntax tree is given.

        Raises:
            OSError: If the file cannot be read, or is too large.
            SyntaxError: If it has a syntax error.
            ValueError: If Python cannot parse it for another reason.
            RecursionError: If it is nested too deeply.
            MemoryError: If it is nested too deeply.
        """
        self.path = path
        self._content: bytes | None = None
        if tree is None:
            self._content = bounded_bytes(path, most=MOST_OF_PYTHON)
            tree = parse_source(self._content, path)
        self.tree = tree

    @cached_property
    def top_level(self) -> "_TopLevel":
        """What the statements at the top level bind, import and call."""
        return _TopLevel(self.tree)

    @property
    def bindings(self) -> Mapping[str, Sequence[Binding]]:
        """What each name at the top level is bound to, in order."""
        return self.top_level.bindings

    @property
    def stars(self) -> Sequence[Imported]:
        """The imports of all names of a module."""
        return self.top_level.stars

    @property
    def values(self) -> Sequence[ast.expr]:
        """The values of assignments at the top level."""
        return self.top_level.values

    @property
    def calls(self) -> Sequence[ast.Call]:
        """The calls that are statements at the top level."""
        return self.top_level.calls

    def is_read_from(self, text: str) -> bool:
        """Return whether the syntax tree was parsed from exactly this text, in UTF-8."""
        return self._content is not None and self._content == text.encode("utf-8", "surrogatepass")

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the file, outer ones first, without expression contexts such as `ast.Load`."""
        return tuple(nodes_below(self.tree))

    @cached_property
    def statements(self) -> tuple[ast.AST, ...]:
        """Every statement of the file, including blocks such as `except`, outer ones first."""
        return tuple(all_statements_below(self.tree))

    @cached_property
    def imports(self) -> tuple[Imported, ...]:
        """All imports in the file except relative ones, including those inside functions."""
        return tuple(one for one in self.every_import if not one.level)

    @property
    def every_import(self) -> tuple[Imported, ...]:
        """All imports in the file, including those inside functions."""
        return tuple(one for _, one in self._imported)

    def imports_package(self, package: str) -> bool:
        """Return whether the file imports a package, or anything in it."""
        return any(one.module.partition(".")[0] == package for one in self.imports)

    @cached_property
    def imported_names(self) -> Mapping[str, str]:
        """The full names of imported names: `numpy` for `np`, `toolkit.tool` for `tool`."""
        return {name: one.full_name for name, one in self._imported}

    @cached_property
    def _imported(self) -> tuple[tuple[str, Imported], ...]:
        return tuple(pair for node in imports_within(self.tree) for pair in imported_by(node))

    def meaning(self, node: ast.expr) -> str | None:
        """Return the full name of a name or an attribute according to the imports, such as `time.sleep`.

        A name that is not imported is returned as it is; other expressions, such as calls, return None.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return ".".join([self.imported_names.get(node.id, node.id), *parts])

    def short_name(self, node: ast.expr) -> str:
        """Return the last part of a name's meaning, such as `Annotated`; empty if the expression is not a name."""
        return (self.meaning(node) or "").rpartition(".")[2]

    @cached_property
    def assigned(self) -> Mapping[str, ast.expr]:
        """The values of names that the top level of the file binds exactly once."""
        found = {name: [one for one in bound if not is_instance_of_type(one)] for name, bound in self.bindings.items()}
        return {name: one[0] for name, one in found.items() if len(one) == 1 and isinstance(one[0], ast.expr)}

    def resolved(self, node: ast.expr | None) -> ast.expr | None:
        """Return the value of a name that the top level of the file defines; any other expression unchanged."""
        return self.assigned.get(node.id, node) if isinstance(node, ast.Name) else node

    @cached_property
    def only_typed(self) -> dict[str, list[Imported]]:
        """The names that are imported for type checkers only, with their imports."""
        found: dict[str, list[Imported]] = {}
        for node in self.tree.body:
            for statement in node.body if isinstance(node, ast.If) and _is_never_imported(node.test) else ():
                for name, one in imported_by(statement):
                    found.setdefault(name, []).append(one)
        return found

    @cached_property
    def only_gathers(self) -> bool:
        """Whether the file only imports and binds names, to collect what other files define."""
        return all(_gathers(statement) for statement in self.tree.body)

    @cached_property
    def offered(self) -> frozenset[str]:
        """The names in `__all__`."""
        listed = [value for value in self.bindings.get("__all__", ()) if isinstance(value, ast.List | ast.Tuple)]
        return frozenset(str(one.value) for value in listed for one in value.elts if isinstance(one, ast.Constant))

    @cached_property
    def words(self) -> frozenset[str]:
        """The names of all functions and classes, including nested ones, and all strings."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, Definition | ast.Constant)]
        names = {node.name for node in nodes if isinstance(node, Definition)}
        texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        return frozenset(names | texts)

    def top_definitions(self) -> Iterator[Definition]:
        """Yield the functions and classes at the top level."""
        for bindings in self.bindings.values():
            yield from (one for one in bindings if isinstance(one, Definition))


class _TopLevel:
    def __init__(self, tree: ast.Module) -> None:
        self.bindings: dict[str, list[Binding]] = {}
        self.stars: list[Imported] = []
        self.values: list[ast.expr] = []
        self.calls: list[ast.Call] = []
        for statement in statements_below(tree):
            self._bind(statement)

    def _bind(self, statement: ast.stmt) -> None:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._add(statement.name, statement)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, annotation=annotation, value=ast.expr() as value):
                self._assign(target, value)
                self._assign(target, instance_of(annotation))
            case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
                self._add(name, ast.BinOp(target, operator, value))
            case ast.For(target=ast.Name(id=name), iter=values):
                self._add(name, values)  # what is in a list is what it means
            case ast.Expr(value=ast.Call() as call):
                self.calls.append(call)
        for name, imported in imported_by(statement):
            if imported.name == "*":
                self.stars.append(imported)
            else:
                self._add(name, imported)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self._add(name, value)
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                for one, part in zip(names, values, strict=True):
                    self._assign(one, part)
        self.values.append(value)

    def _add(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)


def statements_below(parent: ast.Module | Definition) -> Iterator[ast.stmt]:
    """Yield the statements of a file, function or class, except those of nested functions and classes."""
    waiting: list[ast.AST] = list(reversed(parent.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if isinstance(node, Definition):
            continue
        blocks = _BLOCKS[1:] if isinstance(node, ast.If) and _is_never_imported(node.test) else _BLOCKS
        waiting += [inner for block in blocks for inner in reversed(getattr(node, block, ()))]


def _is_never_imported(test: ast.expr) -> bool:
    """Whether a condition is never true during an import: `__name__ == "__main__"`, or `TYPE_CHECKING`."""
    match test:
        case ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]):
            return True
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
    return False


def imports_within(tree: ast.Module) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield all import statements, including those inside functions."""
    waiting: list[ast.AST] = [tree]
    while waiting:  # only statements contain imports
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        waiting += [inner for block in _BLOCKS for inner in reversed(getattr(node, block, ()))]


class _Instance(ast.Call):
    """An object of an annotated type, which the source does not contain."""


def instance_of(annotation: ast.expr) -> ast.Call:
    """Return an expression for an object of an annotated type, which the source does not contain."""
    return ast.copy_location(_Instance(annotation, [], []), annotation)


def is_instance_of_type(binding: object) -> bool:
    """Whether a binding only stands for the type of an annotated name."""
    return isinstance(binding, _Instance)


def imported_by(node: ast.AST) -> Iterator[tuple[str, Imported]]:
    """Yield the names that an import statement binds, with the imports."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                module = alias.name if alias.asname else alias.name.partition(".")[0]
                yield alias.asname or module, Imported(module)
        case ast.ImportFrom(module=module, names=names, level=level):
            for alias in names:
                is_exported = alias.asname == alias.name
                yield alias.asname or alias.name, Imported(module or "", level, alias.name, is_exported)


def last_name(node: ast.AST | None) -> str:
    """Return the last part of a name or an attribute, such as `wraps` of `functools.wraps`; empty for anything else."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _gathers(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return not any(isinstance(node, ast.Call) for node in ast.walk(value))
    return False
