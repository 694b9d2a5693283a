"""Find the functions and classes of a project that describe a function which they receive to a model.

They make a definition that has its name: `{"name": func.__name__, "description": func.__doc__, "parameters": …}`.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from toolkit.source_code.class_tools import fields_of
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.local_names import Local, LocalNames, scope_around
from toolkit.source_code.meanings import Defined
from toolkit.source_code.own_bases import FRAMEWORK_OF_KEY, ITSELF, WrittenDefinition, definitions_among
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile, last_name
from toolkit.source_code.syntax_nodes import own_nodes, placed
from toolkit.source_code.written_calls import places_of
from toolkit.tools.foreign.source_marks import Place, Registration, SourceMarks

_NAME = "__name__"
_Places = Mapping[str, tuple[Place, ...]]


class Describer(NamedTuple):
    """How a call of a function or a class describes the function that it is given.

    Attributes:
        marks: The framework whose form the definition has.
        node: The definition.
        registration: Where the call has the function, and another name and description.
        is_decorator: Whether what the call returns is given the function: `@described(name="find")`.
    """

    marks: SourceMarks
    node: ast.expr
    registration: Registration
    is_decorator: bool = False


class Describers:
    """Finds them; results are cached."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._known: dict[Definition, tuple[Describer, ...]] = {}

    def of(self, defined: Defined) -> tuple[Describer, ...]:
        """Return how a function or a class describes a function that it receives; nothing for most."""
        if defined.node not in self._known:
            self._known[defined.node] = tuple(_found_in(defined))
        return self._known[defined.node]


def _found_in(defined: Defined) -> Iterator[Describer]:
    node = defined.node
    if isinstance(node, ast.ClassDef):
        fields, scope = fields_of([defined]), LocalNames(node, None)
        for method in node.body if fields else ():
            if isinstance(method, FUNCTIONS):
                yield from _made_in(defined, LocalNames(method, scope), fields, fields)
        return
    yield from _kept_in_class(defined)
    outer = LocalNames(node, None)
    yield from _made_in(defined, outer, places_of(node), places_of(node))
    for inner in own_nodes(node.body):
        if isinstance(inner, FUNCTIONS) and len(places_of(inner)) == 1:
            found = _made_in(defined, LocalNames(inner, outer), places_of(inner), places_of(node))
            yield from (one._replace(is_decorator=True) for one in found)


def _made_in(defined: Defined, names: LocalNames, places: _Places, given: _Places) -> Iterator[Describer]:
    """Yield how a function describes what it receives at some places, with a name that may be given at others."""
    nodes = own_nodes(names.node.body)
    for one in (*definitions_among(defined.source, nodes), *_objects_among(defined.source, nodes)):
        marks = marks_of(one.framework)
        ends = [*_ends(one.parts["name"], names)]
        functions = [place for end in ends if (place := places.get(_function_in(end)))]
        if marks is not None and functions:
            yield Describer(marks, one.node, _registration(one, names, functions[0], given))


def _objects_among(source: SourceFile, nodes: Sequence[ast.AST]) -> Iterator[WrittenDefinition]:
    """Yield the calls by which a class method makes an object with a name and a description: `cls(name=…, …)`."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cls":
            parts = {one.arg: one.value for one in node.keywords if one.arg is not None}
            key = next((one for one in FRAMEWORK_OF_KEY if one in parts), None)
            if key is not None and {"name", "description"} <= parts.keys():
                yield WrittenDefinition(FRAMEWORK_OF_KEY[key], parts, key, (source.path, node.lineno), node)


def _kept_in_class(defined: Defined) -> Iterator[Describer]:
    """Yield how a method keeps a function in an attribute of its object, whose entries the class describes."""
    scope = scope_around(defined.source.tree, defined.node)
    if scope is None or not isinstance(scope.node, ast.ClassDef):
        return
    places, names = places_of(defined.node), LocalNames(defined.node, scope)
    for attribute, key, kept in kept_by(defined.node):
        keys = () if key is None else [one.id for one in ast.walk(key) if isinstance(one, ast.Name)]
        given = [one.id for one in ast.walk(kept) if isinstance(one, ast.Name) and one.id in places]
        functions = [places[one] for one in sorted(given, key=keys.__contains__)]  # it may be kept with its name
        for one in _descriptions_of(defined.source, scope.node, attribute) if functions else ():
            if (marks := marks_of(one.framework)) is not None:
                name = () if key is None else _places_behind(key, names, places)
                yield Describer(marks, one.node, Registration((), "function", function=functions[0], name=name))


def kept_by(method: Definition) -> Iterator[tuple[str, ast.expr | None, ast.expr]]:
    """Yield the attributes of `self` to which a method adds something, each with the key (or `None`), and that."""
    for node in own_nodes(method.body):
        match node:
            case ast.Assign(targets=[ast.Subscript(ast.Attribute(ast.Name(id="self"), attr), key)], value=kept):
                yield attr, key, kept
            case ast.Call(func=ast.Attribute(ast.Attribute(ast.Name(id="self"), attr), "append"), args=[kept]):
                yield attr, None, kept


def _descriptions_of(source: SourceFile, cls: ast.ClassDef, attribute: str) -> Iterator[WrittenDefinition]:
    """Yield the definitions that the methods of a class make in loops over an attribute of its objects."""
    loops = (one for one in ast.walk(cls) if isinstance(one, ast.For | ast.AsyncFor | ast.comprehension))
    over = [one for one in loops if _is_of_attribute(one.iter, attribute)]
    variables = {part.id for one in over for part in ast.walk(one.target) if isinstance(part, ast.Name)}
    for made in definitions_among(source, ast.walk(cls)) if variables else ():
        used = {part.id for part in ast.walk(made.parts["name"]) if isinstance(part, ast.Name)}
        if not used.isdisjoint(variables):
            yield made


def _is_of_attribute(listed: ast.expr, attribute: str) -> bool:
    """Return whether a loop goes through an attribute of `self`, or its values or pairs."""
    owner = listed.func.value if isinstance(listed, ast.Call) and isinstance(listed.func, ast.Attribute) else listed
    return isinstance(owner, ast.Attribute) and owner.attr == attribute and last_name(owner.value) == "self"


def _registration(
    one: WrittenDefinition, names: LocalNames, function: tuple[Place, ...], given: _Places
) -> Registration:
    name, description = (_places_behind(one.parts[part], names, given) for part in ("name", "description"))
    return Registration((), "function", function=function, name=name, description=description)


def _places_behind(node: ast.expr, names: LocalNames, given: _Places) -> tuple[Place, ...]:
    """Return where a call has what an expression may be."""
    ends = (end.id for end in _ends(node, names) if isinstance(end, ast.Name))
    return tuple(place for name in ends for place in given.get(name, ()))


def _ends(node: ast.expr, names: LocalNames) -> Iterator[ast.expr]:
    """Yield what an expression may be in the end: parameters, fields of `self`, their attributes, and anything else."""
    yield from _Ends().of(node, names)


class _Ends:
    """Follows variables and attributes, each of their values once."""

    def __init__(self) -> None:
        self._seen: set[ast.AST] = set()

    def of(self, node: ast.expr, names: LocalNames) -> Iterator[ast.expr]:
        match node:
            case ast.BoolOp(values=values):
                yield from (end for one in values for end in self.of(one, names))
            case ast.IfExp(body=first, orelse=second):
                yield from (end for one in (first, second) for end in self.of(one, names))
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str() as name), *_]):
                yield from self.of(placed(ast.Attribute(owner, name, ast.Load()), node), names)
            case ast.Attribute(value=owner, attr="__name__"):
                yield from (ast.Attribute(one, _NAME) for one in self.of(owner, names))
            case ast.Name(id=name):
                yield from [node] if names.is_parameter(name) else ()
                yield from self._bound_to(names.find(name) or ())
            case ast.Attribute(value=ast.Name(id=owner)) if owner in ITSELF:
                bound = names.attribute(node)
                yield from self._bound_to(bound) if bound else [node]
            case _:
                yield node

    def _bound_to(self, bound: Sequence[Local]) -> Iterator[ast.expr]:
        for one in bound:
            if one.names is None or one.binding in self._seen:
                continue
            if isinstance(one.binding, ast.expr):
                self._seen.add(one.binding)
                yield from self.of(one.binding, one.names)
            elif isinstance(one.binding, FUNCTIONS):  # a property
                self._seen.add(one.binding)
                inner = LocalNames(one.binding, one.names)
                returned = (each.value for each in own_nodes(one.binding.body) if isinstance(each, ast.Return))
                yield from (end for each in returned if each is not None for end in self.of(each, inner))


def _function_in(named: ast.expr) -> str:
    """Return the parameter or the field with the function whose name an expression is, or an empty text."""
    match named:
        case ast.Attribute(value=ast.Name(id=name), attr="__name__"):
            return name
        case ast.Attribute(value=ast.Attribute(attr=name), attr="__name__"):
            return name
    return ""
