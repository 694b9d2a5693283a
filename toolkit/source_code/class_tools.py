"""Find the tools of a class in its source: a class that is a tool, or that lists its methods as tools."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from toolkit.source_code.constants import Constants, value_in
from toolkit.source_code.meanings import Defined
from toolkit.source_code.source_files import FUNCTIONS, SourceFile, last_name
from toolkit.tools.foreign.source_marks import ToolClasses

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
        return given_in_init(self.node, attribute) or _set_later(self.node, attribute) or found


def class_tools(constants: Constants, cls: Defined, kind: ToolClasses) -> Iterator[ClassTool]:
    """Yield the tools of a class that is derived from one of the base classes of its kind."""
    node = cls.node
    if not isinstance(node, ast.ClassDef):
        return
    line = [cls, *bases_of(constants, cls)]
    if kind.listing:
        yield from _listed(line, node, kind)
        return
    if _is_abstract(node):
        return
    method = next((found for name in kind.methods if (found := _method(line, name))), None)
    description = _describe(line, kind.name)
    if description is None and (method is None or _is_meant_as_base(node) or _is_base(cls.source, node)):
        return
    name = None if description is None else constants.text(description[0].source, description[1])
    yield ClassTool(node, kind, name or None, *(method or (None, None)))


def plain(value: ast.expr) -> ast.expr | None:
    """Return the value of an attribute, which can be written as the default of a `Field`."""
    match value:
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), args=[default, *_]):
            return default
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), keywords=keywords):
            return next((one.value for one in keywords if one.arg == "default"), None)
    return value


def given_in_init(node: ast.ClassDef, attribute: str) -> ast.expr | None:
    """Return the value that `__init__` assigns to an attribute: `self.name = …`, or `super().__init__(name=…)`."""
    for method in node.body:
        if not (isinstance(method, FUNCTIONS) and method.name == "__init__"):
            continue
        for inner in ast.walk(method):
            match inner:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value):
                    if name == attribute:
                        return value
                case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__")):
                    for keyword in inner.keywords:
                        if keyword.arg == attribute:
                            return keyword.value
    return None


def _set_later(node: ast.ClassDef, attribute: str) -> ast.expr | None:
    """Return an expression that only running shows, if a method sets an attribute: `self.description = …`."""
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()) if name == attribute:
                return ast.Call(inner, [], [])
    return None


def _listed(line: list[Defined], node: ast.ClassDef, kind: ToolClasses) -> Iterator[ClassTool]:
    listed = value_in(node, str(kind.listing))
    for one in listed.elts if isinstance(listed, ast.List | ast.Tuple) else ():
        first = one.elts[0] if isinstance(one, ast.Tuple | ast.List) and one.elts else one
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield ClassTool(node, kind, first.value, *(_method(line, first.value) or (None, None)))


def bases_of(constants: Constants, cls: Defined, depth: int = 10) -> list[Defined]:
    """Return the base classes of a class that the project defines, nearest first."""
    found: list[Defined] = []
    for base in cls.node.bases if isinstance(cls.node, ast.ClassDef) and depth else ():
        for meaning in constants.meanings.of(cls.source, base):
            if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef) and meaning != cls:
                found += [meaning, *bases_of(constants, meaning, depth - 1)]
    return found


def _method(line: list[Defined], name: str) -> tuple[Method, str] | None:
    for cls in line:
        for one in cls.node.body:
            if isinstance(one, FUNCTIONS) and one.name == name:
                return one, cls.source.path
    return None


def _describe(line: list[Defined], attribute: str) -> tuple[Defined, ast.expr] | None:
    """Return the nearest class that sets an attribute, and the value."""
    for cls in line:
        if not isinstance(cls.node, ast.ClassDef):
            continue
        written = value_in(cls.node, attribute)
        found = given_in_init(cls.node, attribute) if written is None else plain(written)
        if found is not None:
            return cls, found
        for one in cls.node.body:
            if isinstance(one, FUNCTIONS) and one.name == attribute:  # a property
                return cls, ast.Call(ast.Name(attribute), [], [])
    return None


def _is_abstract(node: ast.ClassDef) -> bool:
    if any(last_name(base) in {"ABC", "ABCMeta"} for base in (*node.bases, *(one.value for one in node.keywords))):
        return True
    decorators = (one for method in node.body if isinstance(method, FUNCTIONS) for one in method.decorator_list)
    return any(last_name(one) == "abstractmethod" for one in decorators)


def _is_base(source: SourceFile, node: ast.ClassDef) -> bool:
    """Whether another class of the file is derived from a class."""
    others = (one for one in source.top_definitions() if isinstance(one, ast.ClassDef))
    return any(last_name(base) == node.name for one in others for base in one.bases)


def _is_meant_as_base(node: ast.ClassDef) -> bool:
    name = node.name.lstrip("_")
    return name.startswith(("Base", "Abstract")) or name.endswith(("Base", "BaseTool", "Mixin"))
