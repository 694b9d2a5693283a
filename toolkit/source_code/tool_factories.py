"""Find the functions of a project that make tools of what they receive, such as a name or a function.

Other calls register tools that the source does not show, such as what a loop receives.
"""

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolkit.codes import NO_TOOLS
from toolkit.problems import Location, Problem, Severity
from toolkit.source_code.class_tools import fields_of
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.describers import kept_by
from toolkit.source_code.list_elements import elements_of
from toolkit.source_code.local_names import Local, LocalNames, scope_around
from toolkit.source_code.meanings import Defined, Meaning, Meanings
from toolkit.source_code.registrations import Registered, Registrations, described
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile, last_name, statements_below
from toolkit.source_code.syntax_nodes import calls_and_definitions, own_nodes, parts_by_key, placed
from toolkit.source_code.written_calls import argument_of, is_super_init, places_of
from toolkit.tools.foreign.frameworks import is_mark
from toolkit.tools.foreign.source_marks import Place, Registration, Way

_LISTED = ("tool", "function")
"""What the names of parameters and fields contain that may have a list of tools."""
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


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
        loops = (one for one in source.nodes if isinstance(one, _LOOPS))
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
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
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
    loops = (one for one in own_nodes(function.body) if isinstance(one, _LOOPS))
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


_FOLLOW = (
    "import the file where the framework is installed, name a decorator of the project in 'tool-decorators', or name "
    "the JSON file that has the definitions"
)
_OF_PROTOCOL = "inputSchema"
"""The schema of a tool that a client has received from a server."""
_SAVE = "save the definitions that the program sends as JSON: `toolkit lint tools.json` checks them"
LISTING = "list_tools"


class Unfollowed(NamedTuple):
    """A call that registers a tool of a framework, given by its title, but of what is only known at run time.

    A conversion of other objects, such as a dictionary, may be made of tools that are found elsewhere, so it only
    matters if none is found. It is minor if the call makes tools of what whoever calls it knows, or of what is one
    already: see `is_minor` and `is_relayed`.
    """

    call: ast.Call | ast.Dict
    framework: str
    is_minor: bool = False
    is_conversion: bool = False

    def problem_in(self, file: str) -> Problem:
        """Return the problem that not all tools of a file are known."""
        place = Location(file, self.call.lineno, self.call.col_offset + 1)
        severity: Severity = "info" if self.is_minor else "warning"
        if isinstance(self.call, ast.Dict):
            pairs = zip(self.call.keys, self.call.values, strict=True)
            named = [value for key, value in pairs if isinstance(key, ast.Constant) and key.value == "name"]
            written = ", ".join(map(ast.unparse, named))
            message = f"no tools were found: the source does not show the names of those with {{'name': {written}, …}}"
            return Problem(NO_TOOLS, message, place, severity, _SAVE)
        written = ast.unparse(self.call.func)
        message = f"{self.framework} may have more tools: the source does not show what '{written}(…)' registers"
        return Problem(NO_TOOLS, message, place, severity, _FOLLOW)


def is_minor(source: SourceFile, call: ast.AST, names: LocalNames | None) -> bool:
    """Return whether a call that registers tools for a program's own agent hides none of the project.

    It makes a tool of what its function receives, of what it tests to be one already, or only if the file is run.
    """
    used = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    through = {
        part.id
        for name in used
        for one in iterated(source, name, names)
        for part in ast.walk(one)
        if isinstance(part, ast.Name)
    }
    if names is not None and any(map(names.is_parameter, used | through)):
        return True
    tests = [one.test for one in ast.walk(source.tree) if isinstance(one, ast.If | ast.IfExp) and _has(one, call)]
    return any(_tests_kind(one, used) or _tests_program(one) for one in tests)


def is_relayed(converted: ast.Dict, names: LocalNames | None) -> bool:
    """Return whether a dictionary describes a tool of a server to which the program is a client."""
    named = parts_by_key(converted).get("name")
    if not (isinstance(named, ast.Attribute) and isinstance(named.value, ast.Name)):
        return False
    schema = ast.dump(ast.Attribute(named.value, _OF_PROTOCOL, ast.Load()))
    around = ast.walk(converted if names is None else names.node)
    return any(isinstance(one, ast.Attribute) and ast.dump(one) == schema for one in around)


def _has(node: ast.AST, call: ast.AST) -> bool:
    return any(one is call for one in ast.walk(node))


def _tests_kind(test: ast.expr, names: Collection[str]) -> bool:
    """Whether a condition is about the class of one of some variables."""
    calls = (one for one in ast.walk(test) if isinstance(one, ast.Call) and last_name(one.func) == "isinstance")
    return any(isinstance(one, ast.Name) and one.id in names for call in calls for one in call.args[:1])


def _tests_program(test: ast.expr) -> bool:
    """Whether a condition is that the file is run as a program."""
    return isinstance(test, ast.Compare) and last_name(test.left) == "__name__"


def copied_from(call: ast.Call, registration: Registration) -> ast.Name | None:
    """Return the variable from which a definition takes its name: `tool` of `tool.name` or `tool["name"]`."""
    match argument_of(call, registration.name):
        case ast.Attribute(value=ast.Name(id=name) as other) | ast.Subscript(value=ast.Name(id=name) as other):
            return None if name in {"self", "cls"} else other
    return None


def is_named_by_attribute(call: ast.Call, registration: Registration) -> bool:
    """Return whether a definition takes its name from the object whose method makes it: `name=self.name`."""
    match argument_of(call, registration.name):
        case ast.Attribute(value=ast.Name(id="self" | "cls")):
            return True
    return False


def is_received(source: SourceFile, name: str, names: LocalNames | None) -> bool:
    """Return whether a function receives a variable, or a loop or a comprehension yields it."""
    if names is not None and names.is_parameter(name):
        return True
    return any(_binds(one.target, name) for one in _loops(source, names))


def is_parameter(node: ast.expr, names: LocalNames | None) -> bool:
    """Return whether a node is a parameter of a function around it, or passes all of `*args` on."""
    node = node.value if isinstance(node, ast.Starred) else node
    return isinstance(node, ast.Name) and names is not None and names.is_parameter(node.id)


def takes_parameter(given: ast.expr, names: LocalNames) -> bool:
    """Return whether an expression is an item of a parameter, or a variable that a call makes of a parameter."""
    match given:
        case ast.Subscript(value=ast.Name(id=name)):
            return names.is_parameter(name)
        case ast.Name(id=name):
            calls = (one.binding for one in names.find(name) or () if isinstance(one.binding, ast.Call))
            passed = (one for call in calls for one in call.args if isinstance(one, ast.Name))
            return any(names.is_parameter(one.id) for one in passed)
    return False


def iterated(source: SourceFile, name: str, names: LocalNames | None) -> list[ast.expr]:
    """Return what the loops and comprehensions of a scope that yield a variable go through."""
    return [one.iter for one in _loops(source, names) if _binds(one.target, name)]


def rows_of(meanings: Meanings, source: SourceFile, call: ast.Call, names: LocalNames | None) -> list[ast.Dict]:
    """Return the definitions in a table of this file, for each of which a loop or a comprehension runs a call."""
    used = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
    found: list[ast.Dict] = []
    for loop in _loops(source, names):
        match (loop.target, loop.iter):
            case (ast.Tuple(elts=[ast.Name(id=key), ast.Name()]), ast.Call(func=ast.Attribute(owner, "items"))):
                found += _by_key(meanings, source, owner, names) if key in used else ()
            case (ast.Name(id=name), listed) if name in used:
                found += dictionaries_in(meanings, source, listed, names)
    return found


def dictionaries_in(
    meanings: Meanings, source: SourceFile, given: ast.expr, names: LocalNames | None
) -> list[ast.Dict]:
    """Return the definitions of tools in a list of this file: dictionaries with a name and a schema of MCP."""
    found: list[ast.Dict] = []
    for home, one, scope in elements_of(meanings, (source, given, names)):
        named = meanings.values_of(home, one, scope) if isinstance(one, ast.Name) else [(home, one, scope)]
        found += [node for place, node, _ in named if place is source and isinstance(node, ast.Dict)]
    return [one for one in found if {"name", "inputSchema"} <= _keys(one)]


def _by_key(meanings: Meanings, source: SourceFile, owner: ast.expr, names: LocalNames | None) -> Iterator[ast.Dict]:
    """Yield the definitions in a dictionary of this file, each with the name that is its key."""
    tables = meanings.values_of(source, owner, names) if isinstance(owner, ast.Name | ast.Attribute) else ()
    for home, table, _ in tables:
        pairs = zip(table.keys, table.values, strict=True) if isinstance(table, ast.Dict) and home is source else ()
        for key, one in pairs:
            if isinstance(key, ast.Constant) and isinstance(one, ast.Dict) and "inputSchema" in _keys(one):
                yield placed(ast.Dict([ast.Constant("name"), *one.keys], [key, *one.values]), one)


def _keys(node: ast.Dict) -> set[object]:
    return {one.value for one in node.keys if isinstance(one, ast.Constant)}


def is_of_marked(source: SourceFile, names: LocalNames | None) -> bool:
    """Return whether a scope tests the attribute with which a framework marks functions, which are tools already."""
    tests = (one for one in _nodes(source, names) if isinstance(one, ast.Call) and last_name(one.func) == "hasattr")
    return any(isinstance(one, ast.Constant) and is_mark(str(one.value)) for call in tests for one in call.args[1:])


def lists_tools(names: LocalNames | None) -> bool:
    """Return whether a scope is a function that lists the tools of a server."""
    while names is not None:
        if LISTING in (names.node.name, *(last_name(_without_call(one)) for one in names.node.decorator_list)):
            return True
        names = names.outer
    return False


def wrapped_by(function: Definition) -> ast.expr | None:
    """Return the function whose name and parameters another one copies with `functools.wraps`, or `None`."""
    calls = (one for one in function.decorator_list if isinstance(one, ast.Call))
    return next((one.args[0] for one in calls if one.args and last_name(one.func) == "wraps"), None)


def _without_call(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _loops(source: SourceFile, names: LocalNames | None) -> Iterator[ast.For | ast.AsyncFor | ast.comprehension]:
    return (one for one in _nodes(source, names) if isinstance(one, _LOOPS))


def _nodes(source: SourceFile, names: LocalNames | None) -> Iterator[ast.AST]:
    """Yield the nodes of a scope; those of the top level are without functions and classes."""
    outer = [one for one in statements_below(source.tree) if not isinstance(one, Definition)]
    return (part for one in (outer if names is None else [names.node]) for part in ast.walk(one))


def _binds(target: ast.expr, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(target))
