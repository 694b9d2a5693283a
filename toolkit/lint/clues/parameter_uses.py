"""Which values of a parameter the code can use: the choices, keys and formats that it expects."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined, Meanings, scope_of
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, nodes_below

_DEEPEST = 3
_SAME = {"casefold", "lower", "lstrip", "removeprefix", "removesuffix", "rstrip", "strip", "title", "upper"}
_FOLDING = {"casefold", "lower", "replace", "strip", "title", "capitalize", "upper"}
_TELLING = {"critical", "debug", "error", "exception", "info", "log", "print", "warn", "warning", "write_stdout"}
_ECHOING = {"dumps", "str", "repr", "len", "join", "format"}
_FREE_FORM = {"dump", "dumps", "str", "repr"}
_SEPARATORS = {",", ";", "|"}
_NEUTRAL = {"bool", "isinstance", "len", "type"}
_PARSING = {"fromisoformat", "literal_eval", "loads", "safe_load", "strptime"}
_OF_JSON = {"loads", "literal_eval", "safe_load", "dict", "list"}
"""Calls whose result has the keys that a text of JSON, or another object, has."""
_ALL_NAMES = {"locals", "vars", "eval", "exec"}
_ENUMS = {"Enum", "StrEnum", "IntEnum"}

ANY_KEY = "**"
"""Stands for the keys of objects that are passed on as keyword arguments to code that cannot be followed."""

Place = int | str | None
"""Where a call has an argument: its position or its name; None for `**`."""


@dataclass(slots=True)
class Uses:
    """What the code does with the values of a parameter.

    Attributes:
        choices: The texts with which it compares a value, or which it looks up.
        keys: The keys that it reads from a value.
        is_parsed: Whether it parses texts, such as JSON, dates and lists with commas.
        is_json: Whether it parses texts as JSON, YAML or Python.
        is_folded: Whether it changes the case of texts, or looks them up in a table of other names for values.
        is_passed_on: Whether it passes values to code that cannot be followed.
        matches_keys: Whether it looks up the keys of a value in other objects.
        is_free: Whether it prints or stores whole objects, whatever their keys are.
        has_effect: Whether a value changes anything except for messages and what is returned about the call.
    """

    choices: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    is_parsed: bool = False
    is_json: bool = False
    is_folded: bool = False
    is_passed_on: bool = False
    matches_keys: bool = False
    is_free: bool = False
    has_effect: bool = False


def uses_of(function: PythonFunction, name: str) -> Uses:
    """Return what a function, and the functions and classes of the project that it calls, do with a parameter."""
    uses = Uses()
    body = _Body(function.file, function.body, _scope_of(function), name)
    _Reading(function.file.reader.meanings, uses).read(body)
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
        self.items = _items_of(self.nodes, self)
        self.inert = {id(node) for one in self.nodes for node in _inert_in(one)}

    def has(self, node: ast.expr) -> bool:
        """Return whether an expression is the value of the parameter."""
        return _is_same(node, self.names)

    def has_item(self, node: ast.expr) -> bool:
        """Return whether an expression is an item of the value of the parameter, such as its first one."""
        match node:
            case ast.Name(id=name):
                return name in self.items
            case ast.Subscript(value=whole, slice=ast.Constant(value=int())):
                return self.has(whole)
        return False

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

    def __init__(self, meanings: Meanings, uses: Uses, seen: set[tuple[int, str]] | None = None) -> None:
        self._meanings = meanings
        self.uses = uses
        self._seen = set[tuple[int, str]]() if seen is None else seen

    def read(self, body: _Body, steps: int = 0) -> None:
        """Read one function.

        Args:
            body: Its body.
            steps: How many calls lead to it.
        """
        for node in body.nodes:
            match node:
                case ast.Name(id=name, ctx=ast.Load()) if name in body.names and id(node) not in body.inert:
                    self.uses.has_effect = True
                case ast.Compare(left=left, ops=[operator], comparators=[right]):
                    self.uses.choices |= _compared(body, left, operator, right)
                    self.uses.keys |= _keys_asked_for(body, left, operator, right)
                case ast.Match(subject=subject, cases=cases) if body.has(subject):
                    self.uses.choices |= _texts([one.pattern for one in cases])
                case ast.Subscript(value=table, slice=key) if body.has(key):
                    self.uses.choices |= body.values(table)
                case ast.Subscript(value=whole, slice=ast.Constant(value=str() as key), ctx=ast.Load()) if body.has(
                    whole
                ) or body.has_item(whole):
                    self.uses.keys.add(key)
                case (
                    ast.For(target=ast.Tuple(elts=[ast.Name(id=key), _]), iter=pairs)
                    | ast.comprehension(target=ast.Tuple(elts=[ast.Name(id=key), _]), iter=pairs)
                ) if _are_pairs(body, pairs):
                    self.uses.matches_keys |= any(map(partial(_looks_up, key), body.nodes))
                case ast.Call():
                    self._call(body, node, steps)

    def _call(self, body: _Body, call: ast.Call, steps: int) -> None:
        called = last_name(call.func)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if receiver is not None and (body.has(receiver) or body.has_item(receiver)):
            self._method(called, call)
        elif called == "get" and receiver is not None and call.args and body.has(call.args[0]):
            self.uses.choices |= body.values(receiver)
        elif called in _ALL_NAMES:
            self.uses.has_effect = self.uses.is_passed_on = True
        else:
            self._give_item(body, call, steps)
            given: list[Place] = [at for at, one in enumerate(call.args) if body.has(one)]
            given += [one.arg for one in call.keywords if body.has(one.value)]
            if given and called not in _TELLING | _NEUTRAL:
                self._give(body, call, given, steps)
            elif not given and called not in _TELLING | _NEUTRAL | _ECHOING and _is_within(body, call):
                self.uses.is_passed_on = True

    def _method(self, called: str, call: ast.Call) -> None:
        """Note a method of the value itself."""
        self.uses.is_folded |= called in _FOLDING
        match call.args:
            case [ast.Constant(value=str() as key), *_] if called in {"get", "pop"}:
                self.uses.keys.add(key)
            case [ast.Constant(value=str() as separator), *_] if called == "split" and separator.strip() in _SEPARATORS:
                self.uses.is_parsed = True

    def _give_item(self, body: _Body, call: ast.Call, steps: int) -> None:
        """Note the keys of an item that a call gets: those that a function reads, or the fields of `Model(**item)`."""
        for at, one in [*enumerate(call.args), *((one.arg, one.value) for one in call.keywords)]:
            if not body.has_item(one):
                continue
            found = self._followed(body, call) if steps < _DEEPEST else []
            if at is None:
                self.uses.keys |= {key for target in found for key in _fields_of(target)} or {ANY_KEY}
            for target in found if at is not None else ():
                if not isinstance(target.node, ast.ClassDef):
                    inner = _Reading(self._meanings, Uses(), self._seen)
                    inner.follow(target, target.node, at, steps, is_method=isinstance(call.func, ast.Attribute))
                    self.uses.keys |= inner.uses.keys

    def _followed(self, body: _Body, call: ast.Call) -> list[Defined]:
        """Return the functions and classes of the project that a call may call."""
        if not isinstance(call.func, ast.Name | ast.Attribute):
            return []
        meanings = self._meanings.of(body.source, call.func, body.scope)
        return [one for one in meanings if isinstance(one, Defined)]

    def _give(self, body: _Body, call: ast.Call, places: Iterable[Place], steps: int) -> None:
        """Note what a call does with the value; functions and classes of the project are followed."""
        called = last_name(call.func)
        if called in _FREE_FORM:
            self.uses.is_free = True
            return
        if called in _PARSING:
            self.uses.is_parsed = True
            self.uses.is_json |= called in _OF_JSON
            return
        found = self._followed(body, call) if steps < _DEEPEST else []
        self.uses.is_passed_on |= not found
        for target in found:
            for at in places:
                if at is None:
                    self.uses.keys |= set(_fields_of(target))
                    self.uses.is_passed_on = True
                elif isinstance(target.node, ast.ClassDef):
                    self._class(target.source, target.node, at)
                else:
                    self.follow(target, target.node, at, steps, is_method=isinstance(call.func, ast.Attribute))

    def _class(self, source: SourceFile, node: ast.ClassDef, at: Place) -> None:
        """Read the type of a field of a class, or the members of an `Enum`."""
        if any(last_name(base) in _ENUMS for base in node.bases):
            self.uses.choices |= _texts([one.value for one in node.body if isinstance(one, ast.Assign)])
            return
        self.uses.is_passed_on = True
        fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        for place, one in enumerate(fields):
            if at in (place, last_name(one.target)):
                self.uses.choices |= _literals_in(source, one.annotation)

    def follow(self, target: Defined, node: FunctionNode, at: Place, steps: int, *, is_method: bool) -> None:
        """Read a function that gets the value.

        Args:
            target: The function.
            node: Its syntax tree.
            at: Which argument the value is.
            steps: How many calls lead to the call of the function.
            is_method: Whether it is called as a method, so that its first parameter is the object.
        """
        places = [*node.args.posonlyargs, *node.args.args]
        if is_method and places and places[0].arg in {"self", "cls"}:
            places = places[1:]
        names = [one.arg for one in [*places, *node.args.kwonlyargs]]
        name = places[at].arg if isinstance(at, int) and at < len(places) else at
        if name not in names:
            self.uses.is_passed_on = True
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
        case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called), args=[value, *_]) if called in _OF_JSON:
            return _is_same(value, names)
        case ast.BoolOp(op=ast.Or(), values=[first, *_]):
            return _is_same(first, names)
        case ast.IfExp(body=body):
            return _is_same(body, names)
    return False


def _texts(nodes: Sequence[ast.expr | ast.pattern]) -> set[str]:
    """Return the texts that expressions or patterns list, except for empty ones, and for keys and other arguments."""
    found = set[str]()
    for node in nodes:
        if not isinstance(node, ast.Constant):
            found |= _texts(_listed_in(node))
        elif isinstance(node.value, str) and node.value.strip():
            found.add(node.value)
    return found


def _listed_in(node: ast.expr | ast.pattern) -> Sequence[ast.expr | ast.pattern]:
    """Return what an expression or a pattern has as alternatives; a list in a list is one value."""
    match node:
        case ast.Set(elts=inner) | ast.List(elts=inner) | ast.Tuple(elts=inner):
            return [one for one in inner if not isinstance(one, ast.List | ast.Tuple)]
        case ast.Call(func=ast.Name(id="set" | "frozenset" | "tuple" | "list" | "sorted"), args=inner):
            return inner
        case ast.Dict(keys=keys):
            return [one for one in keys if one is not None]
        case ast.BinOp(left=one, right=other) | ast.IfExp(body=one, orelse=other):
            return [one, other]
        case ast.MatchValue(value=value):
            return [value]
        case ast.MatchOr(patterns=patterns) | ast.MatchSequence(patterns=patterns):
            return patterns
        case ast.MatchAs(pattern=ast.pattern() as pattern):
            return [pattern]
    return []


def _items_of(nodes: list[ast.AST], body: _Body) -> frozenset[str]:
    """Return the variables of loops over the value of a parameter."""
    found = set[str]()
    for node in nodes:
        match node:
            case (
                ast.For(target=ast.Name(id=item), iter=whole) | ast.comprehension(target=ast.Name(id=item), iter=whole)
            ) if body.has(whole):
                found.add(item)
            case (
                ast.For(target=ast.Tuple(elts=[_, ast.Name(id=item)]), iter=whole)
                | ast.comprehension(target=ast.Tuple(elts=[_, ast.Name(id=item)]), iter=whole)
            ) if _is_numbered(body, whole):
                found.add(item)
    return frozenset(found)


def _is_numbered(body: _Body, whole: ast.expr) -> bool:
    """Return whether an expression is `enumerate(…)` of the value."""
    match whole:
        case ast.Call(func=ast.Name(id="enumerate"), args=[listed, *_]):
            return body.has(listed)
    return False


def _keys_asked_for(body: _Body, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> set[str]:
    """Return the key that a comparison looks for in the value: `"city" in options`."""
    is_asked = isinstance(operator, ast.In | ast.NotIn) and (body.has(right) or body.has_item(right))
    return _texts([left]) if is_asked and isinstance(left, ast.Constant) else set()


def _are_pairs(body: _Body, pairs: ast.expr) -> bool:
    """Return whether an expression is `value.items()` of the value."""
    match pairs:
        case ast.Call(func=ast.Attribute(value=whole, attr="items"), args=[]):
            return body.has(whole)
    return False


def _looks_up(key: str, node: ast.AST) -> bool:
    """Return whether a node looks up a key in an object: `order[key]`, `order.get(key)` or `getattr(order, key)`."""
    match node:
        case (
            ast.Subscript(slice=ast.Name(id=name), ctx=ast.Load())
            | ast.Call(func=ast.Attribute(attr="get"), args=[ast.Name(id=name), *_])
            | ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Name(id=name), *_])
        ):
            return name == key
    return False


def _fields_of(target: Defined) -> list[str]:
    """Return the names that `**values` can have for a function or a class of the project."""
    match target.node:
        case ast.ClassDef(body=body):
            fields = [last_name(one.target) for one in body if isinstance(one, ast.AnnAssign)]
            return [name for name in fields if name and not name.startswith("_") and name != "model_config"]
        case node:
            places = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            return [one.arg for one in places if one.arg not in {"self", "cls"}]


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
