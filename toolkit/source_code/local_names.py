"""Resolve names inside the functions and classes of a Python file."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from toolkit.source_code.source_files import FUNCTIONS, Binding, Definition, imported_by, instance_of, statements_below


class Local(NamedTuple):
    """A binding of a name, and the scope in which to resolve it."""

    binding: Binding
    names: "LocalNames | None"


class LocalNames:
    """The scope of a function or class, with its enclosing scopes."""

    def __init__(self, node: Definition, outer: "LocalNames | None") -> None:
        self.node = node
        self.outer = outer

    def find(self, name: str) -> tuple[Local, ...] | None:
        """Return the bindings of a name in the nearest scope that has it, or `None`."""
        if name in self.bound:
            return self.bound[name]
        return None if self.outer is None else self.outer.find(name)

    def attribute(self, node: ast.Attribute) -> tuple[Local, ...]:
        """Return the bindings of `self.name` in the enclosing class of a method."""
        inner = self._class_of(node.value)
        return () if inner is None else (inner.bound.get(node.attr) or inner.attributes.get(node.attr, ()))

    def enclosing_class(self, node: ast.expr) -> ast.ClassDef | None:
        """Return the class of the method around an expression, if it is `self` or `cls`."""
        inner = self._class_of(node)
        return inner.node if inner is not None and isinstance(inner.node, ast.ClassDef) else None

    def _class_of(self, node: ast.expr) -> "LocalNames | None":
        inner: LocalNames | None = self if isinstance(node, ast.Name) and node.id in {"self", "cls"} else None
        while inner is not None and not isinstance(inner.node, ast.ClassDef):
            inner = inner.outer
        return inner

    def is_parameter(self, name: str) -> bool:
        """Whether a name is a parameter in the nearest scope that has it."""
        if name in self.bound:
            return isinstance(self.node, FUNCTIONS) and any(one.arg == name for one in _parameters(self.node))
        return self.outer is not None and self.outer.is_parameter(name)

    @cached_property
    def bound(self) -> Mapping[str, tuple[Local, ...]]:
        """The bindings of the function or class itself, including parameters."""
        found: dict[str, list[Local]] = {}
        if isinstance(self.node, FUNCTIONS):
            for one in _parameters(self.node):
                annotated = [] if one.annotation is None else [Local(instance_of(one.annotation), self.outer)]
                found[one.arg] = annotated
        for statement in statements_below(self.node):
            for name, binding in _bindings(statement):
                found.setdefault(name, []).append(Local(binding, self))
        return {name: tuple(locals_) for name, locals_ in found.items()}

    @cached_property
    def attributes(self) -> Mapping[str, tuple[Local, ...]]:
        """The attributes that the methods of a class assign to `self`."""
        found: dict[str, list[Local]] = {}
        for method in self.node.body:
            if not isinstance(method, FUNCTIONS):
                continue
            names = LocalNames(method, self)
            for statement in statements_below(method):
                for attribute, value in _given(statement):
                    found.setdefault(attribute, []).append(Local(value, names))
        return {name: tuple(locals_) for name, locals_ in found.items()}


def scope_around(tree: ast.Module, node: ast.AST) -> LocalNames | None:
    """Return the scope that contains a node of a file; `None` for the top level, or if the file does not have it."""
    names: LocalNames | None = None
    parent: ast.Module | Definition | None = tree
    line = getattr(node, "lineno", 0)
    while parent is not None:
        inner = (one for one in statements_below(parent) if isinstance(one, Definition) and one is not node)
        parent = next((one for one in inner if one.lineno <= line <= (one.end_lineno or 0)), None)
        names = names if parent is None else LocalNames(parent, names)
    return names


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.arg]:
    given = function.args
    yield from (*given.posonlyargs, *given.args, *given.kwonlyargs)
    yield from (one for one in (given.vararg, given.kwarg) if one is not None)


def _bindings(statement: ast.stmt) -> Iterable[tuple[str, Binding]]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [(statement.name, statement)]
        case ast.Assign(targets=targets, value=value):
            return [(one.id, value) for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
            typed: list[tuple[str, Binding]] = [(name, instance_of(annotation))]
            return typed if value is None else [(name, value), *typed]
        case ast.AugAssign(target=ast.Name(id=name) as target, op=operator, value=value):
            return [(name, ast.BinOp(target, operator, value))]
        case ast.For(target=ast.Name(id=name), iter=ast.List(elts=values) | ast.Tuple(elts=values)):
            return [(name, value) for value in values]
        case ast.For(target=ast.Name(id=name), iter=values):
            return [(name, values)]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            pairs = ((one.optional_vars, one.context_expr) for one in items)
            return [(target.id, value) for target, value in pairs if isinstance(target, ast.Name)]
    return imported_by(statement)


def _given(statement: ast.stmt) -> Iterable[tuple[str, ast.expr]]:
    """Return the attributes of `self` that a statement assigns, with their values."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            return [(one.attr, value) for one in targets if _is_own(one) and isinstance(one, ast.Attribute)]
        case ast.AnnAssign(target=ast.Attribute(attr=name) as target, annotation=annotation, value=value):
            typed = instance_of(annotation)
            return [(name, one) for one in (value, typed) if one is not None] if _is_own(target) else []
    return []


def _is_own(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
