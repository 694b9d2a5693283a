"""Find the classes of a project that are tools because it describes the objects of their base class to a model.

The base class is the project's own. A method of it makes a definition of the attributes of `self`, such as
`{"type": "function", "function": {"name": self.name, …}}`, or a file that knows it, such as a registry, makes one of
those of an object. The classes derived from it set these attributes.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from toolkit.source_code.class_tools import ClassTool, class_tools, own_name
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants
from toolkit.source_code.meanings import Defined
from toolkit.source_code.registry_calls import lists_properties
from toolkit.source_code.source_files import FUNCTIONS, SourceFile, last_name
from toolkit.source_code.syntax_nodes import parts_by_key
from toolkit.tools.foreign.frameworks import framework_of
from toolkit.tools.foreign.source_marks import ToolClasses

_METHODS = (
    "execute", "_execute", "run", "_run", "call", "_call", "invoke", "_invoke", "handle", "forward", "__call__",
    "aexecute", "arun", "_arun", "acall", "ainvoke",
)  # fmt: skip
FRAMEWORK_OF_KEY = {"parameters": "openai_api", "input_schema": "anthropic_sdk", "inputSchema": "mcp_sdk"}
"""The frameworks whose definitions have a schema under these keys."""
_LISTS = (ast.List, ast.ListComp, ast.Constant)
"""Values that are not schemas: a dictionary with one of them lists something for people, and no model receives it."""
_KEYS = {
    "name", "description", *FRAMEWORK_OF_KEY, "type", "title", "strict", "annotations", "outputSchema", "icons",
    "cache_control", "_meta", "required",
}  # fmt: skip
"""The keys of a definition in the forms of frameworks."""
_DESCRIBED = {"name", "description"}
"""What a class has whose objects others describe; looking for these reads the whole project."""
ITSELF = ("self", "cls")
"""The names of the object, or the class, of a method."""
_OURS = "toolkit"
_BEDROCK = "toolSpec"


class OwnBase(NamedTuple):
    """A class whose objects are described to a model.

    Attributes:
        cls: The class.
        framework: The framework whose form the definition has.
        kind: How the classes derived from it define tools.
        place: The file and the line of the definition.
    """

    cls: Defined
    framework: str
    kind: ToolClasses
    place: tuple[str, int]

    @property
    def parts(self) -> tuple[str, ...]:
        """The attributes that the definition is made of."""
        return (self.kind.name, self.kind.description, *self.kind.schema)


class OwnBases:
    """Finds such classes; results are cached."""

    def __init__(self, constants: Constants, uses: ClassUses) -> None:
        """Create an empty cache."""
        self._constants = constants
        self._uses = uses
        self._known: dict[ast.AST, OwnBase | None] = {}
        self._forms: dict[tuple[ast.AST, bool], str | None] = {}

    def tool_of(self, cls: Defined) -> tuple[OwnBase, ClassTool] | None:
        """Return the tool that a class is, and the class that describes it; `None` if it is none, or has no name.

        It has a name and a description of its own, and a schema or a method that runs a call.
        """
        line = self._constants.meanings.line_of(cls)
        base = self._nearest_in(line)
        if base is None or (base.cls.node is cls.node and self._uses.derived_from(cls)):
            return None
        kind = _nearest_first(base.kind, cls)
        found = next(class_tools(self._constants, self._uses, cls, kind), None)
        if found is None or found.name is None or own_name([cls], kind) is None:
            return None
        below = list(takewhile(lambda one: one.node is not base.cls.node, line)) or [cls]
        parts = [found._replace(node=one.node) for one in below if isinstance(one.node, ast.ClassDef)]
        is_described = any(one.value(kind.description) is not None for one in parts)
        has_schema = any(one.value(name) is not None for one in parts for name in kind.schema)
        is_run = found.method is not None and not _is_abstract(found.method)
        return (base, found) if is_described and (has_schema or is_run) else None

    def describes(self, cls: Defined) -> bool:
        """Return whether the objects of a class, or of a base class of it, are described to a model."""
        return self._nearest_in(self._constants.meanings.line_of(cls)) is not None

    def framework_of(self, cls: Defined, *, has_function: bool = False) -> str | None:
        """Return the framework in whose form a model receives the objects of a class, or `None`.

        A method of the class describes them, or another file does. The latter only counts if the class is named after
        tools, since files describe many other things that have a name. So does a method if what it returns has other
        parts, too, as that of a step of a plan, unless the object has a function.
        """
        if cls.source.imports_package(_OURS):
            return None
        is_alone = not (has_function or _is_named_after_tools(cls))
        if (cls.node, is_alone) not in self._forms:
            own = (one.framework for one in _definitions_in(cls, is_alone=is_alone))
            self._forms[cls.node, is_alone] = next(own, None) or next(self._forms_of_objects(cls), None)
        return self._forms[cls.node, is_alone]

    def _forms_of_objects(self, cls: Defined) -> Iterator[str]:
        """Yield the frameworks whose definitions the files that know a class make of its objects."""
        members = _members_of(cls)
        may_be = members >= _DESCRIBED and _is_named_after_tools(cls)
        for source in self._uses.describing(cls) if may_be else ():
            for one in definitions_among(source, source.nodes):
                owners = _variable_in(one.parts["name"])
                if {_member(one.parts[part], owners) for part in _DESCRIBED} <= members:
                    yield one.framework

    def _nearest_in(self, line: Sequence[Defined]) -> OwnBase | None:
        """Return the nearest class whose objects are described; none for a class in a file that uses our package."""
        if line[0].source.imports_package(_OURS):
            return None
        return next(filter(None, map(self._describing, line)), None)

    def _describing(self, cls: Defined) -> OwnBase | None:
        if cls.node not in self._known:
            self._known[cls.node] = None  # during the search, which ends cycles
            found = next(_definitions_in(cls), None)
            self._known[cls.node] = found or next(self._described_by_others(cls), None)
        return self._known[cls.node]

    def _described_by_others(self, cls: Defined) -> Iterator[OwnBase]:
        """Yield how the files that know a class describe its objects, if it has what they need, and can be run."""
        members = _members_of(cls)
        may_be = members >= _DESCRIBED and not members.isdisjoint(_METHODS)
        for source in self._uses.describing(cls) if may_be else ():
            for one in definitions_among(source, source.nodes):
                found = _described(cls, one, _variable_in(one.parts["name"]))
                if found is not None and members.issuperset(found.parts):
                    yield found


class WrittenDefinition(NamedTuple):
    """A definition that code makes, of the attributes of an object or of variables.

    Attributes:
        framework: The framework whose form it has.
        parts: Its parts by their names.
        key: The name of its schema.
        place: The file and the line.
        node: The dictionary or the call.
    """

    framework: str
    parts: Mapping[str, ast.expr]
    key: str
    place: tuple[str, int]
    node: ast.expr


def _is_named_after_tools(cls: Defined) -> bool:
    return "tool" in cls.node.name.lower()


def _definitions_in(cls: Defined, *, is_alone: bool = False) -> Iterator[OwnBase]:
    """Yield how the methods of a class describe its objects, in the order of the source.

    If `is_alone`, definitions with parts that no framework knows do not count.
    """
    init = next((one.args for one in _methods_of(cls) if one.name == "__init__"), None)
    passed = () if init is None else tuple(one.arg for one in (*init.posonlyargs, *init.args)[1:])
    for method in _methods_of(cls):
        for one in definitions_among(cls.source, ast.walk(method)):
            found = _described(cls, one, ITSELF, passed)
            if found is not None and not (is_alone and one.parts.keys() - _KEYS):
                yield found


def _described(
    cls: Defined, one: WrittenDefinition, owners: Collection[str], passed: tuple[str, ...] = ()
) -> OwnBase | None:
    """Return how a definition describes the objects of a class, of whose attributes it is made, or `None`."""
    name, description = _member(one.parts["name"], owners), _member_in(one.parts["description"], owners)
    schema = _member_in(one.parts[one.key], owners)
    if name is None or description is None or not (schema or _is_put_together(one)):
        return None
    kind = ToolClasses(
        (),
        _METHODS,
        name=name,
        description=description,
        schema=(schema,) if schema else (),
        passed=passed,
        takes_call=schema is None or not _is_worked_out(cls, schema),
    )
    return OwnBase(cls, one.framework, kind, one.place)


def definitions_among(source: SourceFile, nodes: Iterable[ast.AST]) -> Iterator[WrittenDefinition]:
    """Yield the dictionaries and calls among some nodes that may be definitions."""
    of_bedrock: set[ast.AST] = set()
    for node in nodes:
        framework = None
        if isinstance(node, ast.Dict):
            parts = parts_by_key(node)
            of_bedrock |= {parts[_BEDROCK]} if _BEDROCK in parts else set()
            framework = "bedrock_api" if node in of_bedrock else None
        elif isinstance(node, ast.Call) and _may_define(node):
            parts = {one.arg: one.value for one in node.keywords if one.arg is not None}
            framework = _framework_of_call(source, node)
        else:
            continue
        key = next((one for one in FRAMEWORK_OF_KEY if one in parts), None)
        if key is not None and {"name", "description"} <= parts.keys() and not isinstance(parts[key], _LISTS):
            place = source.path, node.lineno
            yield WrittenDefinition(framework or FRAMEWORK_OF_KEY[key], parts, key, place, node)


def _may_define(call: ast.Call) -> bool:
    made = last_name(call.func).lower()
    return "tool" in made or "function" in made


def _framework_of_call(source: SourceFile, call: ast.Call) -> str | None:
    if last_name(call.func) == "FunctionDeclaration":
        return "gemini_api"
    return framework_of(source.meaning(call.func) or "")


def _member(node: ast.expr, owners: Collection[str]) -> str | None:
    """Return the attribute of one of some variables that an expression is, or the method that it calls, or `None`."""
    match _or_else(node):
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in owners:
            return name
        case ast.Call(func=function, args=[], keywords=[]):
            return _member(function, owners)
    return None


def _member_in(node: ast.expr, owners: Collection[str]) -> str | None:
    """Return the first attribute of one of some variables that an expression is made of, or `None`."""
    inner = (one for one in ast.walk(node) if isinstance(one, ast.expr))
    return next((found for one in inner if (found := _member(one, owners))), None)


def _variable_in(node: ast.expr) -> tuple[str, ...]:
    """Return the variable whose attribute an expression is, such as `tool` of `tool.name`; else nothing."""
    match _or_else(node):
        case ast.Attribute(value=ast.Name(id=name)) if name not in ITSELF:
            return (name,)
    return ()


def _or_else(node: ast.expr) -> ast.expr:
    """Return what an expression is in the end: `tool.name` for `given.get("name", tool.name)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(), otherwise], keywords=[]):
            return otherwise
        case ast.BoolOp(op=ast.Or(), values=[*_, otherwise]) if not isinstance(otherwise, ast.Constant):
            return otherwise
        case ast.BoolOp(op=ast.Or(), values=[first, ast.Constant()]):
            return first
    return node


def _is_put_together(definition: WrittenDefinition) -> bool:
    """Whether a definition has a schema that its method makes of what it knows of the parameters."""
    schema = definition.parts[definition.key]
    is_given = isinstance(schema, ast.Name | ast.Call)
    return lists_properties(schema) or (definition.key != "parameters" and is_given)


def _is_worked_out(cls: Defined, member: str) -> bool:
    """Whether a member is a method that makes the schema of something else, such as the signature of a method."""
    found = next((one for one in _methods_of(cls) if one.name == member), None)
    if found is None or _is_abstract(found):
        return False
    return not any(last_name(one).endswith("property") for one in found.decorator_list)


def _is_abstract(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(last_name(one) == "abstractmethod" for one in method.decorator_list)


def _methods_of(cls: Defined) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [one for one in cls.node.body if isinstance(one, FUNCTIONS)]


def _members_of(cls: Defined) -> set[str]:
    """Return the names of what the body of a class defines or declares."""
    found = {one.name for one in _methods_of(cls)}
    for one in cls.node.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
    return found


def _nearest_first(kind: ToolClasses, cls: Defined) -> ToolClasses:
    """Return a kind for which the methods of a class itself count before those that it inherits."""
    own = {one.name for one in _methods_of(cls)}
    return kind._replace(methods=tuple(sorted(kind.methods, key=lambda name: name not in own)))
