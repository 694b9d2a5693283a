"""Find the classes of a project that are tools because their base class describes its objects to a model.

The base class is the project's own. A method of it makes a definition of the attributes of `self`, such as
`{"type": "function", "function": {"name": self.name, …}}`, and the classes derived from it set these attributes.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from toolkit.source_code.class_tools import ClassTool, bases_of, class_tools, own_name
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
_FRAMEWORK_OF_KEY = {"parameters": "openai_api", "input_schema": "anthropic_sdk", "inputSchema": "mcp_sdk"}
"""The frameworks whose definitions have a schema under these keys."""
_LISTS = (ast.List, ast.ListComp, ast.Constant)
"""Values that are not schemas: a dictionary with one of them lists something for people, and no model receives it."""
_OURS = "toolkit"
_BEDROCK = "toolSpec"


class OwnBase(NamedTuple):
    """A class that describes its objects to a model.

    Attributes:
        cls: The class.
        framework: The framework whose form the definition has.
        kind: How the classes derived from it define tools.
        line: The line of the definition.
    """

    cls: Defined
    framework: str
    kind: ToolClasses
    line: int


class OwnBases:
    """Finds such classes; results are cached."""

    def __init__(self, constants: Constants, uses: ClassUses) -> None:
        """Create an empty cache."""
        self._constants = constants
        self._uses = uses
        self._known: dict[ast.AST, OwnBase | None] = {}

    def tool_of(self, cls: Defined) -> tuple[OwnBase, ClassTool] | None:
        """Return the tool that a class is, and the class that describes it; `None` if it is none, or has no name.

        It has a name and a description of its own, and a schema or a method that runs a call.
        """
        line = [cls, *bases_of(self._constants, cls)]
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
        """Return whether a class, or a base class of it, describes its objects."""
        return self._nearest_in([cls, *bases_of(self._constants, cls)]) is not None

    def _nearest_in(self, line: Sequence[Defined]) -> OwnBase | None:
        """Return the nearest class that describes its objects; none for a class in a file that uses our package."""
        if line[0].source.imports_package(_OURS):
            return None
        return next(filter(None, map(self._describing, line)), None)

    def _describing(self, cls: Defined) -> OwnBase | None:
        if cls.node not in self._known:
            self._known[cls.node] = next(_definitions_in(cls), None)
        return self._known[cls.node]


class _Definition(NamedTuple):
    framework: str
    parts: Mapping[str, ast.expr]
    key: str
    line: int


def _definitions_in(cls: Defined) -> Iterator[OwnBase]:
    """Yield how the methods of a class describe its objects, in the order of the source."""
    init = next((one.args for one in _methods_of(cls) if one.name == "__init__"), None)
    passed = () if init is None else tuple(one.arg for one in (*init.posonlyargs, *init.args)[1:])
    for method in _methods_of(cls):
        for one in _written_in(cls.source, method):
            name, description = _own(one.parts["name"]), _own(one.parts.get("description"))
            schema = _first_own(one.parts[one.key])
            if name is None or description is None or not (schema or _is_put_together(one)):
                continue
            kind = ToolClasses(
                (),
                _METHODS,
                name=name,
                description=description,
                schema=(schema,) if schema else (),
                passed=passed,
                takes_call=schema is None or not _is_worked_out(cls, schema),
            )
            yield OwnBase(cls, one.framework, kind, one.line)


def _written_in(source: SourceFile, method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[_Definition]:
    """Yield the dictionaries and calls in a method that may be definitions."""
    of_bedrock: set[ast.AST] = set()
    for node in ast.walk(method):
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
        key = next((one for one in _FRAMEWORK_OF_KEY if one in parts), None)
        if key is not None and {"name", "description"} <= parts.keys() and not isinstance(parts[key], _LISTS):
            yield _Definition(framework or _FRAMEWORK_OF_KEY[key], parts, key, node.lineno)


def _may_define(call: ast.Call) -> bool:
    made = last_name(call.func).lower()
    return "tool" in made or "function" in made


def _framework_of_call(source: SourceFile, call: ast.Call) -> str | None:
    if last_name(call.func) == "FunctionDeclaration":
        return "gemini_api"
    return framework_of(source.meaning(call.func) or "")


def _own(node: ast.expr | None) -> str | None:
    """Return the attribute of `self` that an expression is, or the method that it calls, or `None`."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            return name
        case ast.Call(func=function, args=[], keywords=[]):
            return _own(function)
    return None


def _first_own(node: ast.expr) -> str | None:
    """Return the first attribute of `self` in an expression, such as `schema` of `self.schema.model_json_schema()`."""
    return next((found for one in ast.walk(node) if isinstance(one, ast.expr) and (found := _own(one))), None)


def _is_put_together(definition: _Definition) -> bool:
    """Whether a definition has a schema that its method makes of what it knows of the parameters."""
    schema = definition.parts[definition.key]
    return lists_properties(schema) or (definition.key != "parameters" and isinstance(schema, ast.Name))


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


def _nearest_first(kind: ToolClasses, cls: Defined) -> ToolClasses:
    """Return a kind for which the methods of a class itself count before those that it inherits."""
    own = {one.name for one in _methods_of(cls)}
    return kind._replace(methods=tuple(sorted(kind.methods, key=lambda name: name not in own)))
