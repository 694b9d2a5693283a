"""Find the tools of a class in its source: a class that is a tool, or that lists its methods as tools."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolkit.source_code.annotation_schemas import MODEL
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants, value_in
from toolkit.source_code.meanings import Defined
from toolkit.source_code.source_files import FUNCTIONS, instance_of, last_name
from toolkit.source_code.syntax_nodes import is_none, placed
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.source_marks import Place, ToolClasses

Method = ast.FunctionDef | ast.AsyncFunctionDef


class ClassTool(NamedTuple):
    """A tool of a class.

    Attributes:
        node: The class.
        kind: How classes of this kind define tools.
        name: The name of the tool, or `None` if only running the file would show it.
        method: The method that a call runs.
        home: The file of the method.
    """

    node: ast.ClassDef
    kind: ToolClasses
    name: str | None
    method: Method | None
    home: str | None

    def value(self, attribute: str) -> ast.expr | None:
        """Return the value of an attribute in the class body, or what a method sets if that is blank, or `None`."""
        written = value_in(self.node, attribute)
        found = plain(written) if written is not None else None
        if found is not None and not (isinstance(found, ast.Constant) and not found.value):
            return found
        later = given_in_init(self.node, attribute, self.kind.passed) or _set_later(self.node, attribute) or found
        return later or _returned(self.node, attribute)


def class_tools(constants: Constants, uses: ClassUses, cls: Defined, kind: ToolClasses) -> Iterator[ClassTool]:
    """Yield the tools of a class that is derived from one of the base classes of its kind.

    A class whose name no source shows is none if it is the base of others, or if the calls that create its instances
    name them.
    """
    node = cls.node
    if not isinstance(node, ast.ClassDef):
        return
    line = constants.meanings.line_of(cls)
    if kind.listing:
        yield from _listed(line, node, kind)
        return
    if _is_abstract(node):
        return
    method = next((found for name in kind.methods if (found := _method(line, name))), None)
    description = own_name(line, kind)
    if description is None and (method is None or _is_meant_as_base(node) or _is_named_elsewhere(uses, line, kind)):
        return
    name = None if description is None else constants.text(description[0].source, description[1])
    if name is None and uses.derived_from(cls):  # the subclasses have the names that its code puts together
        return
    yield ClassTool(node, kind, name or None, *(method or (None, None)))


def own_name(line: list[Defined], kind: ToolClasses) -> tuple[Defined, ast.expr] | None:
    """Return the nearest class of a line that sets its name, and the value; `None` if whoever makes an instance does.

    A name that `__init__` receives is set by its default.
    """
    found = _describe(line, kind)
    parameters = {} if found is None else _parameters_of(found[0])
    if found is None or not (isinstance(found[1], ast.Name) and found[1].id in parameters):
        return found
    default = parameters[found[1].id]
    return None if default is None or is_none(default) else (found[0], default)


def name_place(line: list[Defined], kind: ToolClasses) -> tuple[Place, ...]:
    """Return where a call that creates an instance of a class has the name."""
    made = next(filter(None, map(_parameters_of, line)), {})
    return (kind.name, *(at for at, name in enumerate(made) if name == kind.name))


def fields_of(line: list[Defined]) -> dict[str, tuple[Place, ...]]:
    """Return where a call that creates an object of a class has each field: by `__init__`, or else by annotations."""
    names = [*next(filter(None, map(_parameters_of, line)), {})]
    if not names:
        bodies = (one for cls in reversed(line) for one in cls.node.body)
        names = [one.target.id for one in bodies if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    return {name: (name, at) for at, name in enumerate(dict.fromkeys(names))}


def _parameters_of(cls: Defined) -> dict[str, ast.expr | None]:
    """Return the parameters of `__init__`, except the first, with their defaults; `None` if they have none."""
    found = (one.args for one in cls.node.body if isinstance(one, FUNCTIONS) and one.name == "__init__")
    given = next(found, None)
    if given is None:
        return {}
    positional = [*given.posonlyargs, *given.args]
    defaults = [*([None] * (len(positional) - len(given.defaults))), *given.defaults]
    named = [*zip(positional, defaults, strict=True), *zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return {one.arg: default for one, default in named[1:]}


def plain(value: ast.expr) -> ast.expr | None:
    """Return the value of an attribute, which can be written as the default of a `Field`."""
    match value:
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), args=[default, *_]):
            return default
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), keywords=keywords):
            return next((one.value for one in keywords if one.arg == "default"), None)
    return value


def given_in_init(node: ast.ClassDef, attribute: str, passed: Sequence[str] = ()) -> ast.expr | None:
    """Return the value that `__init__` assigns to an attribute: `self.name = …`, or `super().__init__(name=…)`.

    Args:
        node: The class.
        attribute: The attribute.
        passed: The parameters of `__init__` of the base class, in order.
    """
    places: list[Place] = [attribute, *(at for at, one in enumerate(passed) if one == attribute)]
    for method in node.body:
        if not (isinstance(method, FUNCTIONS) and method.name == "__init__"):
            continue
        for inner in ast.walk(method):
            match inner:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                    if name == attribute:
                        return value
                case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__")):
                    if (given := argument_of(inner, places)) is not None:
                        return given
    return None


def _returned(node: ast.ClassDef, member: str) -> ast.expr | None:
    """Return what the method or property of a class returns, also if that is an attribute of `self`, or `None`."""
    methods = (one for one in node.body if isinstance(one, FUNCTIONS) and one.name == member)
    found = next(map(returned_by, methods), None)
    match found:
        case ast.Attribute(value=ast.Name(id="self"), attr=attribute):
            return value_in(node, attribute) or given_in_init(node, attribute) or found
    return found


def _set_later(node: ast.ClassDef, attribute: str) -> ast.expr | None:
    """Return an expression that only running shows, if a method sets an attribute: `self.description = …`."""
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()) if name == attribute:
                return instance_of(inner)
    return None


def _listed(line: list[Defined], node: ast.ClassDef, kind: ToolClasses) -> Iterator[ClassTool]:
    listed = value_in(node, str(kind.listing))
    for one in listed.elts if isinstance(listed, ast.List | ast.Tuple) else ():
        first = one.elts[0] if isinstance(one, ast.Tuple | ast.List) and one.elts else one
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield ClassTool(node, kind, first.value, *(_method(line, first.value) or (None, None)))


def is_model(constants: Constants, cls: Defined) -> bool:
    """Return whether a class is derived from pydantic's `BaseModel`."""
    line = constants.meanings.line_of(cls)
    bases = ((one.source, base) for one in line if isinstance(one.node, ast.ClassDef) for base in one.node.bases)
    return any(source.meaning(base) == MODEL for source, base in bases)


def _method(line: list[Defined], name: str) -> tuple[Method, str] | None:
    for cls in line:
        for one in cls.node.body:
            if isinstance(one, FUNCTIONS) and one.name == name:
                return one, cls.source.path
    return None


def _describe(line: list[Defined], kind: ToolClasses) -> tuple[Defined, ast.expr] | None:
    """Return the nearest class that sets the name of the tool, and the value."""
    attribute = kind.name
    for at, cls in enumerate(line, 1):
        if not isinstance(cls.node, ast.ClassDef):
            continue
        written = value_in(cls.node, attribute)
        passed = next(filter(None, map(_parameters_of, line[at:])), kind.passed)
        found = given_in_init(cls.node, attribute, [*passed]) if written is None else plain(written)
        if found is not None:
            return cls, found
        for one in cls.node.body:
            if isinstance(one, FUNCTIONS) and one.name == attribute:  # a property
                return cls, returned_by(one)
    return None


def returned_by(method: Method) -> ast.expr:
    """Return the only expression that a method returns, or one that only running shows."""
    returned = [one.value for one in ast.walk(method) if isinstance(one, ast.Return) and one.value is not None]
    return returned[0] if len(returned) == 1 else instance_of(placed(ast.Name(method.name), method))


def _is_abstract(node: ast.ClassDef) -> bool:
    if any(last_name(base) in {"ABC", "ABCMeta"} for base in (*node.bases, *(one.value for one in node.keywords))):
        return True
    decorators = (one for method in node.body if isinstance(method, FUNCTIONS) for one in method.decorator_list)
    return any(last_name(one) == "abstractmethod" for one in decorators)


def _is_named_elsewhere(uses: ClassUses, line: list[Defined], kind: ToolClasses) -> bool:
    """Whether the first class is the base of others, or gets its name from each call that creates an instance."""
    cls = line[0]
    if uses.derived_from(cls):
        return True
    place = name_place(line, kind)
    made = [one.node for one in uses.instances_of(cls)]
    return bool(made) and all(argument_of(one, place) is not None for one in made)


def _is_meant_as_base(node: ast.ClassDef) -> bool:
    name = node.name.lstrip("_")
    return name.startswith(("Base", "Abstract")) or name.endswith(("Base", "BaseTool", "Mixin"))
