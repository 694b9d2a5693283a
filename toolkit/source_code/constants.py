"""Evaluate expressions in Python files without running them, even if another file defines their parts."""

import ast
import textwrap
from collections.abc import Iterable
from inspect import cleandoc
from typing import Any

from toolkit.source_code.inherited_values import inherited_values
from toolkit.source_code.local_names import Local, LocalNames
from toolkit.source_code.meanings import Defined, Meanings, Module
from toolkit.source_code.source_files import Binding, Definition, Imported, SourceFile, is_instance_of_type, last_name

_DEEPEST = 50
_LONGEST = 100_000
_CHANGING = {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}
"""The methods that change a dictionary or a list."""


class UnknownValueError(ValueError):
    """The source does not show the value of an expression."""


class Constants:
    """Evaluates constant expressions."""

    def __init__(self, meanings: Meanings) -> None:
        self.meanings = meanings

    def value(self, source: SourceFile, node: ast.expr, names: LocalNames | None = None) -> Any:
        """Return the value of an expression.

        Supported are constants, lists, tuples and dictionaries of them, names and attributes that are bound once,
        entries of dictionaries, members of enumerations, the `__name__` and `__doc__` of functions and classes, `+`,
        `*`, f-strings, `"…".join([…])`, `textwrap.dedent(…)`, `inspect.cleandoc(…)` and `.strip()`.

        Args:
            source: The file that contains the expression.
            node: The expression.
            names: The scope of the expression; by default, the top level of the file.

        Raises:
            UnknownValueError: If it is any other expression, or if its value is too large.
        """
        try:
            return _Evaluation(self.meanings, source, names).value(node, _DEEPEST)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise UnknownValueError from error

    def text(self, source: SourceFile, node: ast.expr, names: LocalNames | None = None) -> str | None:
        """Return the value of a string expression, or `None` if only running the file would show it."""
        try:
            value = self.value(source, node, names)
        except UnknownValueError:
            return None
        return value if isinstance(value, str) else None


class _Evaluation:
    """The evaluation of expressions in one scope."""

    def __init__(self, meanings: Meanings, source: SourceFile, names: LocalNames | None) -> None:
        self._meanings = meanings
        self._source = source
        self._names = names

    def value(self, node: ast.expr, depth: int) -> Any:
        if depth == 0:
            raise UnknownValueError
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._of_name(name, depth - 1)
            case ast.Attribute(value=ast.Attribute() as member, attr="value"):
                return self.value(member, depth - 1)
            case ast.Attribute():
                return self._of_member(node, depth - 1)
            case ast.JoinedStr() | ast.BinOp(op=ast.Add() | ast.Mult()):
                return _short(self._put_together(node, depth - 1))
            case ast.Call(keywords=[]):
                return _short(self._called(node, depth - 1))
            case ast.Subscript(value=owner, slice=key):
                inner, entry = self._entry(owner, self.value(key, depth - 1), depth - 1)
                return inner.value(entry, depth - 1)
        return self._collected(node, depth - 1)

    def _entry(self, owner: ast.expr, key: Any, depth: int) -> tuple["_Evaluation", ast.expr]:
        """Return the value of a key in a dictionary that is bound once, with the evaluation of its scope."""
        if depth == 0:
            raise UnknownValueError
        match owner:
            case ast.Dict(keys=keys, values=values) if all(keys):
                pairs = zip(keys, values, strict=True)
                return self, _only(one for name, one in pairs if isinstance(name, ast.Constant) and name.value == key)
            case ast.Name() | ast.Attribute():
                found = self._meanings.values_of(self._source, owner, self._names)
                source, value, names = _only(one for one in found if not is_instance_of_type(one[1]))
                return self._in(source, names)._entry(value, key, depth - 1)  # noqa: SLF001 - the same class
            case ast.Subscript(value=outer, slice=first):
                inner, value = self._entry(outer, self.value(first, depth - 1), depth - 1)
                return inner._entry(value, key, depth - 1)  # noqa: SLF001 - the same class
        raise UnknownValueError

    def _collected(self, node: ast.expr, depth: int) -> Any:
        match node:
            case ast.List(elts=parts):
                return [self.value(part, depth) for part in parts]
            case ast.Tuple(elts=parts):
                return tuple(self.value(part, depth) for part in parts)
            case ast.Dict(keys=keys, values=values) if all(keys):
                pairs = zip(keys, values, strict=True)
                return {self.value(key, depth): self.value(one, depth) for key, one in pairs if key is not None}
        return ast.literal_eval(node)

    def _put_together(self, node: ast.expr, depth: int) -> str:
        match node:
            case ast.JoinedStr(values=parts):
                return "".join(self._text(part, depth) for part in parts)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._text(left, depth) + self._text(right, depth)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                text, count = self._text(left, depth), self.value(right, depth)
                if isinstance(count, int) and len(text) * count <= _LONGEST:
                    return text * count
        raise UnknownValueError

    def _called(self, call: ast.Call, depth: int) -> str:
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as between), attr="join"), args=[parts]):
                return between.join(self.value(parts, depth))
            case ast.Call(func=ast.Attribute(value=inner, attr="strip"), args=[]):
                return self._text(inner, depth).strip()
            case ast.Call(args=[inner]) if self._source.meaning(call.func) == "textwrap.dedent":
                return textwrap.dedent(self._text(inner, depth))
            case ast.Call(args=[inner]) if self._source.meaning(call.func) == "inspect.cleandoc":
                return cleandoc(self._text(inner, depth))
        raise UnknownValueError

    def _text(self, node: ast.expr, depth: int) -> str:
        match node:
            case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
                value = self.value(inner, depth)
                if type(value) in (str, int, bool):
                    return str(value)
            case _:
                value = self.value(node, depth)
                if isinstance(value, str):
                    return value
        raise UnknownValueError

    def _of_name(self, name: str, depth: int) -> Any:
        if self._names is not None and (local := self._names.find(name)) is not None:
            bound = local
        else:
            bound = tuple(Local(one, None) for one in self._source.bindings.get(name, ()))
        return _same(self._of_local(name, one, depth) for one in bound if not is_instance_of_type(one.binding))

    def _of_local(self, name: str, local: Local, depth: int) -> Any:
        self._refuse_changed(name, local.binding, None if local.names is None else local.names.node)
        return self._bound_to(local.binding, self._source, local.names, depth)

    def _refuse_changed(self, name: str, binding: Binding, scope: Definition | None) -> None:
        """Raise an error if statements change the dictionary or the list that a variable is bound to."""
        if isinstance(binding, ast.Dict | ast.List):
            nodes = self._source.nodes if scope is None else ast.walk(scope)
            if any(_changes(node, name) for node in nodes):
                raise UnknownValueError

    def _bound_to(self, binding: Binding, source: SourceFile, names: LocalNames | None, depth: int) -> Any:
        match binding:
            case ast.expr():
                return self._in(source, names).value(binding, depth)
            case Imported():
                for other, inner in self._meanings.taken(source, binding):
                    return self._in(other)._of_name(inner, depth)  # noqa: SLF001 - the same class
        raise UnknownValueError

    def _of_member(self, node: ast.Attribute, depth: int) -> Any:
        """Return the value of a member of a class or module, or of `self`."""
        if node.attr in {"__name__", "__doc__"}:
            return self._of_definition(node.value, node.attr)
        if self._names is not None and (own := self._names.enclosing_class(node.value)) is not None:
            return self._of_own(own, node.attr, self._names.attribute(node), depth)
        for meaning in self._meanings.of(self._source, node.value, self._names):
            match meaning:
                case Module(source=other):
                    return self._in(other)._of_name(node.attr, depth)  # noqa: SLF001 - the same class
                case Defined(source=other, node=ast.ClassDef() as found) if (
                    value := value_in(found, node.attr)
                ) is not None:
                    return self._in(other).value(value, depth)
        raise UnknownValueError

    def _of_definition(self, owner: ast.expr, attribute: str) -> str:
        """Return the name or the docstring of a function or a class."""
        found = (one for one in self._meanings.of(self._source, owner, self._names) if isinstance(one, Defined))
        node = _only(found).node
        text = node.name if attribute == "__name__" else ast.get_docstring(node, clean=False)
        if text is None:
            raise UnknownValueError
        return text

    def _of_own(self, own: ast.ClassDef, attribute: str, bindings: Iterable[Local], depth: int) -> Any:
        """Return the value that a class sets once, unless the file has a subclass, which may set another one."""
        classes = (one for one in ast.walk(self._source.tree) if isinstance(one, ast.ClassDef))
        if any(last_name(base) == own.name for one in classes for base in one.bases):
            raise UnknownValueError
        set_here = [(self._source, one) for one in bindings]
        values = set_here or inherited_values(self._meanings, self._source, own, attribute)
        source, found = _only(one for one in values if not is_instance_of_type(one[1].binding))
        return self._bound_to(found.binding, source, found.names, depth)

    def _in(self, source: SourceFile, names: LocalNames | None = None) -> "_Evaluation":
        is_here = source is self._source and names is self._names
        return self if is_here else _Evaluation(self._meanings, source, names)


def value_in(node: Definition, name: str) -> ast.expr | None:
    """Return the value that the body of a class assigns to a name."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return value
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                return value
    return None


def _only(found: Iterable[Any]) -> Any:
    """Return the only item."""
    match list(found):
        case [one]:
            return one
    raise UnknownValueError


def _same(found: Iterable[Any]) -> Any:
    """Return the only value, which several statements may set."""
    first, *others = list(found) or [None]
    if first is None or any(type(one) is not type(first) or one != first for one in others):
        raise UnknownValueError
    return first


def _changes(node: ast.AST, name: str) -> bool:
    """Return whether a node sets an entry in what a variable is bound to, or calls a method that changes it."""
    match node:
        case ast.Subscript(value=inner, ctx=ast.Store() | ast.Del()):
            changed = inner
        case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in _CHANGING:
            changed = inner
        case _:
            return False
    while isinstance(changed, ast.Subscript):
        changed = changed.value
    return isinstance(changed, ast.Name) and changed.id == name


def _short(text: str) -> str:
    if len(text) > _LONGEST:
        raise UnknownValueError
    return text
