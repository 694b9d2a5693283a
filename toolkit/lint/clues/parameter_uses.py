"""Which values of a parameter the code can use: the choices, keys and formats that it expects."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, nodes_below
from toolkit.source_code.tool_reader import scope_of

_DEEPEST = 3
_SAME = {"casefold", "lower", "lstrip", "removeprefix", "removesuffix", "rstrip", "strip", "title", "upper"}
_TELLING = {"critical", "debug", "error", "exception", "info", "log", "print", "warn", "warning", "write_stdout"}
_ECHOING = {"dumps", "str", "repr", "len", "join", "format"}
_FREE_FORM = {"dump", "dumps", "str", "repr"}
_SEPARATORS = {",", ";", "|"}
_NEUTRAL = {"bool", "isinstance", "len", "type"}
_PARSING = {"fromisoformat", "literal_eval", "loads", "safe_load", "strptime"}
_ALL_NAMES = {"locals", "vars", "eval", "exec"}
_ENUMS = {"Enum", "StrEnum", "IntEnum"}

Place = int | str | None
"""Where a call has an argument: its position or its name; None for `**`."""


@dataclass(slots=True)
class Uses:
    """What the code does with the values of a parameter.

    Attributes:
        choices: The texts with which it compares a value, or which it looks up.
        keys: The keys that it reads from a value.
        is_parsed: Whether it parses texts, such as JSON, dates and lists with commas.
        is_passed_on: Whether it passes values to code that cannot be followed.
        is_free: Whether it prints or stores whole objects, whatever their keys are.
        has_effect: Whether a value changes anything except for messages and what is returned about the call.
    """

    choices: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    is_parsed: bool = False
    is_passed_on: bool = False
    is_free: bool = False
    has_effect: bool = False


def uses_of(function: PythonFunction, name: str) -> Uses:
    """Return what a function, and the functions and classes of the project that it calls, do with a parameter."""
    uses = Uses()
    body = _Body(function.file, function.body, _scope_of(function), name)
    _Reading(function, uses).read(body)
    uses.has_effect |= bool(uses.choices or uses.keys or uses.is_parsed)
    return uses


def _scope_of(function: PythonFunction) -> LocalNames:
    """Return the scope of the body of a function."""
    registered = function.registered
    if registered is not None and registered.kind == "decorator":
        return LocalNames(function.node, registered.scope)
    return scope_of(Defined(function.file, function.node))


class _Body:
    """The body of a function that is read for one parameter."""

    def __init__(self, source: SourceFile, body: Sequence[ast.stmt], scope: LocalNames, name: str) -> None:
        self.source = source
        self.scope = scope
        self.nodes = [node for statement in body for node in nodes_below(statement)]
        self.names = _same_values(self.nodes, name)
        self.inert = {id(node) for one in self.nodes for node in _inert_in(one)}

    def has(self, node: ast.expr) -> bool:
        """Return whether an expression is the value of the parameter."""
        return _is_same(node, self.names)

    def values(self, listed: ast.expr) -> set[str]:
        """Return the texts in a list, or the keys of a table, that the function or its file contains."""
        options = [listed]
        if isinstance(listed, ast.Name):
            given = [one for one in self.nodes if isinstance(one, ast.Assign)]
            local = [one.value for one in given if any(last_name(to) == listed.id for to in one.targets)]
            options = local or [self.source.resolved(listed) or listed]
        found = set[str]()
        for one in options:
            match one:
                case ast.Dict(keys=keys):
                    found |= _texts([key for key in keys if key is not None])
                case ast.List() | ast.Tuple() | ast.Set():
                    found |= _texts([one])
        return found


class _Reading:
    """Reads what functions do with one parameter, and follows it into others."""

    def __init__(self, function: PythonFunction, uses: Uses) -> None:
        self._meanings = function.file.reader.meanings
        self._uses = uses
        self._seen: set[tuple[int, str]] = set()

    def read(self, body: _Body, steps: int = 0) -> None:
        """Read one function.

        Args:
            body: Its body.
            steps: How many calls lead to it.
        """
        for node in body.nodes:
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in body.names and id(node) not in body.inert:
                    self._uses.has_effect = True
                case ast.Compare(left=left, ops=[operator], comparators=[right]):
                    self._uses.choices |= _compared(body, left, operator, right)
                case ast.Match(subject=subject, cases=cases) if body.has(subject):
                    self._uses.choices |= _texts([one.pattern for one in cases])
                case ast.Subscript(value=table, slice=key) if body.has(key):
                    self._uses.choices |= body.values(table)
                case ast.Subscript(value=whole, slice=ast.Constant(value=str() as key)) if body.has(whole):
                    self._uses.keys.add(key)
                case (
                    ast.For(target=ast.Name(id=item), iter=whole)
                    | ast.comprehension(target=ast.Name(id=item), iter=whole)
                ) if body.has(whole):
                    self._uses.keys |= set(_keys_read(body.nodes, item))
                case ast.Call():
                    self._call(body, node, steps)

    def _call(self, body: _Body, call: ast.Call, steps: int) -> None:
        called = last_name(call.func)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is not None and body.has(receiver):
            self._method(called, call)
        elif called == "get" and receiver is not None and call.args and body.has(call.args[0]):
            self._uses.choices |= body.values(receiver)
        elif called in _ALL_NAMES:
            self._uses.has_effect = self._uses.is_passed_on = True
        else:
            given: list[Place] = [at for at, one in enumerate(call.args) if body.has(one)]
            given += [one.arg for one in call.keywords if body.has(one.value)]
            if given and called not in _TELLING | _NEUTRAL:
                self._give(body, call, given, steps)
            elif not given and called not in _TELLING | _NEUTRAL | _ECHOING and _is_within(body, call):
                self._uses.is_passed_on = True

    def _method(self, called: str, call: ast.Call) -> None:
        """Note a method of the value itself."""
        match call.args:
            case [ast.Constant(value=str() as key), *_] if called in {"get", "pop"}:
                self._uses.keys.add(key)
            case [ast.Constant(value=str() as separator), *_] if called == "split" and separator.strip() in _SEPARATORS:
                self._uses.is_parsed = True

    def _give(self, body: _Body, call: ast.Call, places: Iterable[Place], steps: int) -> None:
        """Note what a call does with the value; functions and classes of the project are followed."""
        called = last_name(call.func)
        if called in _FREE_FORM:
            self._uses.is_free = True
            return
        if called in _PARSING:
            self._uses.is_parsed = True
            return
        is_name = isinstance(call.func, ast.Name | ast.Attribute) and steps < _DEEPEST
        meanings = self._meanings.of(body.source, call.func, body.scope) if is_name else ()
        found = [one for one in meanings if isinstance(one, Defined)]
        self._uses.is_passed_on |= not found
        for target in found:
            for at in places:
                if isinstance(target.node, ast.ClassDef):
                    self._class(target.source, target.node, at)
                else:
                    self._function(target, target.node, at, steps, is_method=isinstance(call.func, ast.Attribute))

    def _class(self, source: SourceFile, node: ast.ClassDef, at: Place) -> None:
        """Read the type of a field of a class, or the members of an `Enum`."""
        if any(last_name(base) in _ENUMS for base in node.bases):
            self._uses.choices |= _texts([one.value for one in node.body if isinstance(one, ast.Assign)])
            return
        self._uses.is_passed_on = True
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        for place, one in enumerate(fields):
            if at in (place, last_name(one.target)):
                self._uses.choices |= _literals_in(source, one.annotation)

    def _function(self, target: Defined, node: FunctionNode, at: Place, steps: int, *, is_method: bool) -> None:
        places = [*node.args.posonlyargs, *node.args.args]
        if is_method and places and places[0].arg in {"self", "cls"}:
            places = places[1:]
        names = [one.arg for one in [*places, *node.args.kwonlyargs]]
        name = places[at].arg if isinstance(at, int) and at < len(places) else at
        if name not in names:
            self._uses.is_passed_on = True
        elif (id(node), str(name)) not in self._seen:
            self._seen.add((id(node), str(name)))
            self.read(_Body(target.source, node.body, scope_of(target), str(name)), steps + 1)


def _is_within(body: _Body, call: ast.Call) -> bool:
    """Return whether the value is a part of an argument, such as an object or a text."""
    arguments = [*call.args, *(one.value for one in call.keywords)]
    parts = [one for one in arguments if isinstance(one, ast.Dict | ast.List | ast.Tuple | ast.JoinedStr)]
    return any(isinstance(node, ast.Name) and node.id in body.names for one in parts for node in ast.walk(one))


def _compared(body: _Body, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> set[str]:
    """Return the texts with which a comparison compares the value."""
    if isinstance(operator, ast.Eq | ast.NotEq):
        others = [right] if body.has(left) else [left] if body.has(right) else []
        return _texts(others)
    return body.values(right) if isinstance(operator, ast.In | ast.NotIn) and body.has(left) else set()


def _literals_in(source: SourceFile, annotation: ast.expr) -> set[str]:
    """Return the texts that an annotation lists, such as `Literal["a", "b"]`."""
    parts = [source.resolved(node) for node in ast.walk(annotation) if isinstance(node, ast.Subscript | ast.Name)]
    return _texts([one.slice for one in parts if isinstance(one, ast.Subscript) and last_name(one.value) == "Literal"])


def _same_values(nodes: list[ast.AST], name: str) -> frozenset[str]:
    """Return a parameter and the variables that have the same value, but for its case and spaces."""
    names = {name}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if _is_same(value, names):
                names.add(target)
    return frozenset(names)


def _is_same(node: ast.expr, names: "set[str] | frozenset[str]") -> bool:
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.Call(func=ast.Attribute(value=value, attr=attribute)) if attribute in _SAME:
            return _is_same(value, names)
        case ast.BoolOp(op=ast.Or(), values=[first, *_]):
            return _is_same(first, names)
        case ast.IfExp(body=body):
            return _is_same(body, names)
    return False


def _texts(nodes: Sequence[ast.expr | ast.pattern]) -> set[str]:
    """Return the texts in expressions or patterns, except for empty ones."""
    return {
        one.value
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.strip()
    }


def _keys_read(nodes: list[ast.AST], item: str) -> Iterator[str]:
    """Yield the keys that are read from each item of a list; `**item` reads all."""
    for node in nodes:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)) if name == item:
                yield key
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[ast.Constant(value=str() as key), *_]
            ) if name == item:
                yield key
            case ast.keyword(arg=None, value=ast.Name(id=name)) if name == item:
                yield "**"


def _inert_in(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement that only tell about a call: messages, and texts and objects that are returned."""
    match node:
        case ast.Call(func=func) if last_name(func) in _TELLING:
            yield from ast.walk(node)
        case ast.Return(value=ast.expr() as value) if not _works(value):
            yield from ast.walk(value)


def _works(value: ast.expr) -> bool:
    """Return whether an expression calls anything that does more than to make a text, or is one value."""
    calls = (one for one in ast.walk(value) if isinstance(one, ast.Call))
    is_told = isinstance(value, ast.Dict | ast.JoinedStr | ast.Call)
    return not is_told or any(last_name(one.func) not in _ECHOING | _SAME for one in calls)
