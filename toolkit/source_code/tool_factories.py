"""Find the functions and classes of a project that make tools of what they receive, such as a name or a function."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toolkit.source_code.call_scopes import LOOPS
from toolkit.source_code.class_tools import fields_of
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.describers import kept_by
from toolkit.source_code.local_names import Local, LocalNames, scope_around
from toolkit.source_code.meanings import Defined, Meaning, Meanings
from toolkit.source_code.registrations import Registered, Registrations, described
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile, last_name
from toolkit.source_code.syntax_nodes import calls_and_definitions, own_nodes
from toolkit.source_code.wrappers import wrapped_by
from toolkit.source_code.written_calls import argument_of, is_super_init, places_of
from toolkit.tools.foreign.source_marks import Place, Way

_LISTED = ("tool", "function")
"""What the names of parameters and fields contain that may have a list of tools."""


class Factory(NamedTuple):
    """A tool that a function makes each time it is called.

    Attributes:
        mark: The decorator or call in the function that registers the tool.
        registered: How a call of the function registers it: the places of its arguments are parameters of the function.
        function: The function that the tool runs, if the factory names it.
    """

    mark: ast.expr
    registered: Registered
    function: Defined | None = None


class Factories:
    """Finds what the functions and classes of a project make; results are cached."""

    def __init__(self, registrations: Registrations, uses: ClassUses) -> None:
        """Create an empty cache."""
        self._registrations = registrations
        self._describers = registrations.describers
        self._uses = uses
        self._known: dict[Definition, tuple[Factory, ...]] = {}

    def of_call(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Sequence[Factory]:
        """Return the tools that a call of a function, or of a class, makes of its arguments."""
        called = self._registrations.meanings.of(source, function, names)
        if is_super_init(function):
            called = self._bases_around(source, names)
        return [factory for one in called if isinstance(one, Defined) for factory in self._of(one)]

    def of_mapped(self, source: SourceFile, call: ast.Call, names: LocalNames | None) -> Iterator[Factory]:
        """Yield the tools that `map(function, tools)` makes of the elements of a list."""
        match call:
            case ast.Call(func=ast.Name(id="map"), args=[function, _]):
                for one in self.of_call(source, function, names):
                    registration = one.registered.registration
                    if registration.way == "function" and 0 in registration.function:
                        held = registration._replace(way="holder", function=(1,))
                        yield one._replace(registered=one.registered._replace(registration=held))

    def _of(self, defined: Defined) -> Sequence[Factory]:
        if defined.node not in self._known:
            self._known[defined.node] = ()  # during the search, which ends cycles
            find = self._made_by_class if isinstance(defined.node, ast.ClassDef) else self._made_by
            self._known[defined.node] = (*find(defined), *self._described_by(defined))
        return self._known[defined.node]

    def _described_by(self, defined: Defined) -> Iterator[Factory]:
        for one in self._describers.of(defined):
            if not one.is_decorator:
                yield Factory(one.node, described(defined, one, "function"))

    def _bases_around(self, source: SourceFile, names: LocalNames | None) -> Iterator[Meaning]:
        cls = None if names is None else names.enclosing_class(ast.Name("self"))
        if cls is not None:
            found = (one for base in cls.bases for one in self._registrations.meanings.of(source, base))
            yield from (one for one in found if one != Defined(source, cls))

    def _made_by_class(self, cls: Defined) -> Iterator[Factory]:
        """Yield the lists of tools that objects of a class give to agents, of which its creation receives each."""
        meanings = self._registrations.meanings
        line = [*_lines(meanings, cls)]
        owner, init = next(((one, found) for one in line if (found := _init_of(one)) is not None), (cls, None))
        places = {name: at for name, at in fields_of(line).items() if _may_list_tools(name)}
        if not places or any(meanings.made_from(cls)):
            return
        scope = LocalNames(owner.node, None)
        kept = {f"self.{name}": at for name, given in scope.attributes.items() for at in _kept(given, places)}
        kept |= {f"self.{name}": at for name, at in _stored(init, places)} if init is not None else {}
        if init is None:
            kept |= {f"self.{name}": at for name, at in places.items()}
        for method in owner.node.body:
            if isinstance(method, FUNCTIONS):
                own = places if method is init else {}
                yield from self._lists_in(Defined(owner.source, method), scope, own | kept)
        fields = {name.removeprefix("self."): at for name, at in kept.items()}
        for source in self._uses.looping(cls):
            yield from self._in_loops_of(source, fields)

    def _in_loops_of(self, source: SourceFile, fields: Mapping[str, tuple[Place, ...]]) -> Iterator[Factory]:
        """Yield what a file registers in loops over such lists of objects: `for one in agent.tools`."""
        loops = (one for one in source.nodes if isinstance(one, LOOPS))
        turns = {_variable_of(one): at for one in loops if (at := _place_of_field(one.iter, fields))}
        for call in source.nodes if turns else ():
            if isinstance(call, ast.Call) and (at := _turn_given(call, turns)):
                yield from self._held_at(source, call, scope_around(source.tree, call), at)

    def _lists_in(
        self, defined: Defined, outer: LocalNames | None, places: Mapping[str, tuple[Place, ...]]
    ) -> Iterator[Factory]:
        """Yield the lists of tools in a function that are at these places when it, or its class, is called.

        An agent receives them, or a loop registers each of their elements.
        """
        if not places:
            return
        names = LocalNames(defined.node, outer)
        yield from self._in_turns(defined, names, _turns_over(defined.node, places))
        for call in calls_and_definitions(defined.node):
            if not isinstance(call, ast.Call) or not _mentions_list(call, places):
                continue
            for one in self._ways_of(defined.source, call.func, names):
                listed = argument_of(call, one.registration.function)
                if one.registration.way == "holder" and (at := _place_in_list(listed, places)):
                    yield Factory(call, one._replace(registration=one.registration._replace(function=at)))

    def _ways_of(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> list[Registered]:
        """Return how a call of a function registers tools itself, or else in a function of the project."""
        found = self._registrations.of_call(source, function, names)
        return [one.registered for one in self.of_call(source, function, names)] if found is None else [found]

    def _in_turns(
        self, defined: Defined, names: LocalNames, turns: Mapping[str, tuple[Place, ...]]
    ) -> Iterator[Factory]:
        """Yield the registrations of the variables of loops over such lists."""
        for call in calls_and_definitions(defined.node) if turns else ():
            if isinstance(call, ast.Call) and (at := _turn_given(call, turns)):
                yield from self._held_at(defined.source, call, names, at)

    def _held_at(
        self, source: SourceFile, call: ast.Call, names: LocalNames | None, at: tuple[Place, ...]
    ) -> Iterator[Factory]:
        """Yield the registration of each element of a list that is at these places."""
        for one in self._ways_of(source, call.func, names):
            if one.registration.way == "function":
                held = one.registration._replace(way="holder", function=at)
                yield Factory(call, one._replace(registration=held))

    def _made_by(self, defined: Defined) -> Iterator[Factory]:
        places = places_of(defined.node)
        yield from self._lists_in(defined, None, _places_of_lists(defined.node))
        yield from self._passed_on(defined, places)
        for mark, registered, function in self._registered_in(defined.source, defined.node, None) if places else ():
            registration = registered.registration
            by_name = _place(argument_of(mark, registration.name), places)
            by_function = _place(function, places) if isinstance(function, ast.expr) else ()
            if not (by_name or by_function):
                continue
            schema = argument_of(mark, registration.schema)
            by_schema = _place(schema, places)
            is_described_by_function = by_function and (schema is None or by_schema)
            own = self._named(defined, function)
            otherwise: Way = "definition" if own is None or registration.way == "definition" else "mark"
            found = registration._replace(
                way="function" if is_described_by_function else otherwise,
                function=by_function,
                name=by_name,
                description=_place(argument_of(mark, registration.description), places),
                schema=by_schema,
            )
            within = (defined.source.path, mark.lineno)
            yield Factory(mark, registered._replace(registration=found, within=within), own)

    def _passed_on(self, defined: Defined, places: Mapping[str, tuple[Place, ...]]) -> Iterator[Factory]:
        """Yield what other functions of the project make of a function that one passes on to them."""
        names = LocalNames(defined.node, scope_around(defined.source.tree, defined.node))
        for call in calls_and_definitions(defined.node) if places else ():
            if not isinstance(call, ast.Call) or self._registrations.of_call(defined.source, call.func, names):
                continue
            for one in self.of_call(defined.source, call.func, names):
                registration = one.registered.registration
                by_function = _place(argument_of(call, registration.function), places)
                if registration.way == "function" and by_function:
                    by_name = _place(argument_of(call, registration.name), places)
                    given = registration._replace(function=by_function, name=by_name, description=())
                    yield Factory(one.mark, one.registered._replace(registration=given))

    def _named(self, factory: Defined, function: ast.expr | Definition | None) -> Defined | None:
        """Return the function that a factory registers; `None` if it is what it receives, or not shown."""
        if isinstance(function, Definition):
            return Defined(factory.source, function)
        if function is None:
            return None
        scope = LocalNames(factory.node, None)
        found = self._registrations.meanings.of(factory.source, function, scope)
        return next((one for one in found if isinstance(one, Defined) and isinstance(one.node, FUNCTIONS)), None)

    def _registered_in(
        self, source: SourceFile, function: Definition, outer: LocalNames | None
    ) -> Iterator[tuple[ast.expr, Registered, ast.expr | Definition | None]]:
        """Yield each registration in a function, with the function that it registers."""
        names = LocalNames(function, outer)
        for inner in calls_and_definitions(function):
            if isinstance(inner, Definition):
                for decorator in inner.decorator_list:
                    if found := self._registrations.of_decorator(source, decorator, names):
                        yield decorator, found, wrapped_by(inner) or inner
                yield from self._registered_in(source, inner, names)
            elif isinstance(inner.func, ast.Call):
                marked = self._registrations.of_decorator(source, inner.func, names) if inner.args else None
                if marked is not None:
                    yield inner, marked, inner.args[0]
            else:
                registered = self._registrations.of_call(source, inner.func, names)
                if registered is not None and registered.registration.way != "holder":
                    yield inner, registered, argument_of(inner, registered.registration.function)


def _place(node: ast.expr | None, places: Mapping[str, tuple[Place, ...]]) -> tuple[Place, ...]:
    return places.get(node.id, ()) if isinstance(node, ast.Name) else ()


def _place_in_list(node: ast.expr | None, places: Mapping[str, tuple[Place, ...]]) -> tuple[Place, ...]:
    """Return the place of a parameter, or of an attribute that keeps one, whose elements a list has."""
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
            return places.get(ast.unparse(node), ())
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            inner = [one.value if isinstance(one, ast.Starred) else one for one in parts]
            found = inner if isinstance(node, ast.BoolOp) else [one for one in inner if one not in parts]
        case ast.BinOp(left=first, op=ast.Add(), right=second) | ast.IfExp(body=first, orelse=second):
            found = [first, second]
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner_list]):
            found = [inner_list]
        case ast.Call(func=ast.Attribute(value=table, attr="values"), args=[]):
            found = [table]
        case _:
            found = []
    return next(filter(None, (_place_in_list(one, places) for one in found)), ())


def _places_of_lists(function: Definition) -> dict[str, tuple[Place, ...]]:
    """Return where a call has the argument for each parameter of a function that may be a list of tools."""
    return {name: at for name, at in places_of(function).items() if _may_list_tools(name)}


def _may_list_tools(name: str) -> bool:
    return any(word in name.lower() for word in _LISTED)


def _mentions_list(call: ast.Call, places: Mapping[str, tuple[Place, ...]]) -> bool:
    given = (*call.args, *(one.value for one in call.keywords))
    return any(_place_in_list(one, places) for one in given)


def _turns_over(function: Definition, places: Mapping[str, tuple[Place, ...]]) -> dict[str, tuple[Place, ...]]:
    """Return the variables of the loops over such lists, with the places of the lists."""
    loops = (one for one in own_nodes(function.body) if isinstance(one, LOOPS))
    return {_variable_of(one): at for one in loops if (at := _place_in_list(one.iter, places))}


def _variable_of(loop: ast.For | ast.AsyncFor | ast.comprehension) -> str:
    return loop.target.id if isinstance(loop.target, ast.Name) else ""


def _place_of_field(listed: ast.expr, fields: Mapping[str, tuple[Place, ...]]) -> tuple[Place, ...]:
    """Return the place of the field of an object whose elements a loop goes through: `agent.tools or []`."""
    options = listed.values if isinstance(listed, ast.BoolOp) else [listed]
    named = (one.attr for one in options if isinstance(one, ast.Attribute) and last_name(one.value) != "self")
    return next((fields[one] for one in named if one in fields), ())


def _turn_given(call: ast.Call, turns: Mapping[str, tuple[Place, ...]]) -> tuple[Place, ...]:
    """Return the place of the list whose element a call receives, in one of its turns."""
    given = (*call.args, *(one.value for one in call.keywords))
    return next((turns[one.id] for one in given if isinstance(one, ast.Name) and one.id in turns), ())


def _kept(given: Sequence[Local], places: Mapping[str, tuple[Place, ...]]) -> Iterator[tuple[Place, ...]]:
    """Yield the places of the parameters that an attribute keeps."""
    values = (one.binding for one in given if isinstance(one.binding, ast.expr))
    yield from filter(None, (_place_in_list(one, places) for one in values))


def _stored(init: Definition, places: Mapping[str, tuple[Place, ...]]) -> Iterator[tuple[str, tuple[Place, ...]]]:
    """Yield the attributes in which loops of `__init__` store what such lists have, with the places of the lists."""
    turns = _turns_over(init, places)
    for attribute, _, kept in kept_by(init) if turns else ():
        if isinstance(kept, ast.Name) and kept.id in turns:
            yield attribute, turns[kept.id]


def _init_of(cls: Defined) -> Definition | None:
    return next((one for one in cls.node.body if isinstance(one, FUNCTIONS) and one.name == "__init__"), None)


def _lines(meanings: Meanings, cls: Defined, depth: int = 10) -> Iterator[Defined]:
    """Yield a class of the project, and its base classes, nearest first."""
    yield cls
    for base in cls.node.bases if isinstance(cls.node, ast.ClassDef) and depth else ():
        for one in meanings.of(cls.source, base):
            if isinstance(one, Defined) and isinstance(one.node, ast.ClassDef) and one != cls:
                yield from _lines(meanings, one, depth - 1)
