"""Where the parts of a query come from: the code itself, a parameter of the tool, or what is not known."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from toolkit.lint.clues.guards import carriers_of, is_checked
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of

_NUMBERS = {"int", "float", "len", "bool", "round", "abs", "ord", "hash"}
_SAME_TEXT = {"str", "join", "format", "lower", "upper", "strip", "title", "replace"}
_SAME_ITEMS = {"list", "tuple", "set", "sorted", "reversed", "keys", "copy", "fromkeys"}
_ADDING = {"append", "extend", "add", "insert", "appendleft"}
_QUOTING = {"quote", "quoted", "identifier", "ident"}
_PLAIN_TYPES = {"int", "float", "bool", "Literal", "Decimal", "UUID", "date", "datetime"}
_AROUND_TYPES = {"Optional", "Union", "Annotated", "Field", "list", "List", "None"}


class Source(Enum):
    """Who decides on a part of a text."""

    PARAMETER = "parameter"
    UNKNOWN = "unknown"


Sources = frozenset[Source]
_CODE: Sources = frozenset()
_UNKNOWN: Sources = frozenset({Source.UNKNOWN})
_PARAMETER: Sources = frozenset({Source.PARAMETER})


class QueryParts:
    """The variables of a function, with what they can contain.

    Lists and dictionaries count by what a loop over them yields: column names that are keys written in the code come
    from the code, whatever their values.
    """

    def __init__(self, function: PythonFunction) -> None:
        """Collect what the variables of a function, and those of its file, are set to."""
        self._function = function
        self._given: dict[str, list[ast.expr]] = defaultdict(list)
        self._looped: dict[str, list[ast.expr]] = defaultdict(list)
        self._mapped: dict[str, list[ast.expr]] = defaultdict(list)
        self._parameters = {one.name: one for one in function.all_parameters}
        for node in (*function.nodes, *function.file.tree.body):
            self._note(node)
        self._open = set[str]()

    def of(self, node: ast.expr) -> Sources:
        """Return who decides on a text, besides the code itself."""
        match node:
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Subscript(value=ast.Name(id=name)):
                return self._of_all(self._mapped[name]) if self._mapped[name] else self._of_name(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                is_own = owner in {"self", "cls"} or name.isupper() or owner[:1].isupper()
                return _CODE if is_own else self._of_name(owner)
            case ast.Call():
                return self._of_call(node)
        inner = _inner(node)
        return _UNKNOWN if inner is None else self._of_all(inner)

    def _of_all(self, nodes: Iterable[ast.expr]) -> Sources:
        return _CODE.union(*map(self.of, nodes))

    def _of_call(self, call: ast.Call) -> Sources:
        name = last_name(call.func)
        receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        if name in _NUMBERS or _QUOTING.intersection(words_of(name)):
            return _CODE
        if name == "get" and receiver and isinstance(receiver[0], ast.Name) and self._mapped[receiver[0].id]:
            return self._of_all([*self._mapped[receiver[0].id], *call.args[1:]])
        if name in _SAME_TEXT | _SAME_ITEMS:
            return self._of_all([*receiver, *call.args, *(one.value for one in call.keywords)])
        return _UNKNOWN

    def _of_name(self, name: str) -> Sources:
        if name in self._open:
            return _CODE  # decided by the rest of the circle, as in `query = query + " LIMIT 1"`
        if parameter := self._parameters.get(name):
            return _CODE if _is_plain(parameter.node.annotation) or self._is_compared(name) else _PARAMETER
        given, looped = self._given[name], self._looped[name]
        if not (given or looped):
            return _CODE if name.isupper() else _UNKNOWN
        self._open.add(name)
        found = self._of_all([*given, *looped])
        self._open.discard(name)
        return _CODE if found and self._is_compared(name) else found

    def _is_compared(self, name: str) -> bool:
        """Whether the function checks a variable, or compares it with a list of what is allowed."""
        for node in self._function.nodes:
            match node:
                case ast.Compare(left=ast.Name(id=compared), ops=[ast.In() | ast.NotIn()]) if compared == name:
                    return True
        return is_checked(self._function, name, carriers_of(self._function, name), ())

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._assign(target, value)
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                self._given[name].append(value)
            case ast.For(target=target, iter=items) | ast.AsyncFor(target=target, iter=items):
                self._loop(target, items)
            case ast.comprehension(target=target, iter=items):
                self._loop(target, items)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[*_, new]) if (
                method in _ADDING
            ):
                self._given[name].append(new)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), _:
                self._given[name].append(value)
                self._mapped[name] += value.values if isinstance(value, ast.Dict) else []
            case ast.Subscript(value=ast.Name(id=name), slice=key), _:
                self._given[name].append(key)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, part in zip(targets, values, strict=True):
                    self._assign(one, part)
            case ast.Tuple(elts=targets), _:
                for one in targets:
                    self._assign(one, value)

    def _loop(self, target: ast.expr, items: ast.expr) -> None:
        match target, items:
            case ast.Name(id=name), _:
                self._looped[name].append(items)
            case ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]), ast.Call(
                func=ast.Attribute(value=table, attr="items")
            ):
                self._looped[key].append(table)
                self._looped[value].append(ast.Call(func=ast.Name(id="?"), args=[], keywords=[]))
            case ast.Tuple(elts=targets), _:
                for position, one in enumerate(targets):
                    self._loop(one, _column(items, position))


def _inner(node: ast.expr) -> Sequence[ast.expr] | None:  # noqa: PLR0911 - a line for each kind of expression
    """Return the parts of an expression that decide on its text or, in a list or a dictionary, on its items."""
    match node:
        case ast.Constant():
            return ()
        case ast.JoinedStr(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return parts
        case ast.BoolOp(values=parts):
            return parts
        case ast.FormattedValue(value=inner) | ast.Starred(value=inner):
            return (inner,)
        case ast.Dict(keys=keys, values=values):
            return [one if one is not None else value for one, value in zip(keys, values, strict=True)]
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return (right if isinstance(right, ast.Constant | ast.List) else left,)
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return (left, right)
        case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.GeneratorExp(elt=item) | ast.DictComp(key=item):
            return (item,)
    return None


def _is_plain(annotation: ast.expr | None) -> bool:
    """Whether a type is a number or one of some values, which change nothing in a query."""
    names = {last_name(one) for one in ast.walk(annotation)} - {""} if annotation is not None else set[str]()
    return bool(names & _PLAIN_TYPES) and names <= _PLAIN_TYPES | _AROUND_TYPES


def _column(items: ast.expr, position: int) -> ast.expr:
    """Return what a loop over a list of tuples yields at a position, as far as it is written there."""
    rows = items.elts if isinstance(items, ast.List | ast.Tuple) else []
    if rows and all(isinstance(row, ast.Tuple) and len(row.elts) > position for row in rows):
        return ast.List(elts=[row.elts[position] for row in rows if isinstance(row, ast.Tuple)])
    return items


def parts_of(query: ast.expr) -> Iterator[ast.expr]:
    """Yield what is put into a query."""
    match query:
        case ast.JoinedStr(values=values):
            yield from (one.value for one in values if isinstance(one, ast.FormattedValue))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (left, right)
        case ast.BinOp(op=ast.Mod(), right=ast.Tuple(elts=parts)):
            yield from parts
        case ast.BinOp(op=ast.Mod(), right=right):
            yield right
        case ast.Call(func=ast.Attribute(attr="format"), args=args, keywords=keywords):
            yield from (*args, *(one.value for one in keywords))
