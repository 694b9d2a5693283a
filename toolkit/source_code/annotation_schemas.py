"""Reads the JSON Schema of a parameter or a result from its source, without running any code.

A schema is exact if it is the one that running the code would show. It is so for well-known types, such as `int`,
`list[str]`, `Literal["a", "b"]` and `Annotated[int, Field(ge=1)]`, and for plain classes (pydantic models, dataclasses
and `TypedDict`). Any other type is kept as its source text, so that a change of it is noticed: the type `Response` is
`{"type": "Response"}`, and a validator is an item of `constraints`. As in pydantic's schemas, a class is inlined where
it is used, or put under `$defs` if it is used several times or refers to itself.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolkit.source_code.constants import Constants, UnknownValueError
from toolkit.source_code.meanings import Defined
from toolkit.source_code.source_files import FUNCTIONS, SourceFile, last_name
from toolkit.source_code.syntax_nodes import is_none, parsed_annotation

Schema = dict[str, Any]

_PLAIN: Final[Mapping[str, Schema]] = {
    "str": {"type": "string"}, "int": {"type": "integer"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "list": {"type": "array", "items": {}}, "dict": {"type": "object", "additionalProperties": True},
}  # fmt: skip
_ROUGHLY: Final[Mapping[str, str]] = {
    "None": "null", "NoneType": "null",
    "dict": "object", "Dict": "object", "Mapping": "object", "MutableMapping": "object",
    "list": "array", "List": "array", "Sequence": "array", "Iterable": "array", "tuple": "array", "Tuple": "array",
    "set": "array", "Set": "array", "frozenset": "array",
}  # fmt: skip
JSON_TYPES: Final = frozenset({"string", "integer", "number", "boolean", *_ROUGHLY.values()})
_KEYWORDS = {
    "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "pattern": "pattern",
    "examples": "examples", "description": "description",
}  # fmt: skip
_TRANSPARENT: Final = {"Required", "NotRequired", "ReadOnly", "ClassVar", "Final", "Awaitable", "Coroutine"}
_FIELDS: Final = {"Field", "field", "SchemaField"}
_ENUMS: Final = {"Enum", "StrEnum", "IntEnum"}
_DEFAULTS: Final = {"default", "default_factory"}
MODEL: Final = "pydantic.BaseModel"
_TYPED_DICTS: Final = {"typing.TypedDict", "typing_extensions.TypedDict"}
_DATACLASS: Final = "dataclasses.dataclass"
_HARMLESS: Final = {"frozen", "slots", "kw_only", "order", "eq"}
_PREFIX: Final = "#/$defs/"
_DEEPEST: Final = 24


class Shape(NamedTuple):
    """What the source shows of a schema, and whether it is exactly the one that running the code would show."""

    schema: Schema
    is_exact: bool

    @property
    def if_exact(self) -> Schema | None:
        """The schema, if it is exact."""
        return self.schema if self.is_exact else None


def is_required(value: ast.expr | None) -> bool:
    """Return whether a parameter or a field is required: it has no default, not even in a call of `Field`."""
    if isinstance(value, ast.Call) and last_name(value.func) in _FIELDS:
        defaults = [one.value for one in value.keywords if one.arg in _DEFAULTS]
        return all(map(_is_ellipsis, (*value.args[:1], *defaults)))
    return value is None or _is_ellipsis(value)


class AnnotationSchemas:
    """Reads the types of one tool, and keeps the classes that they refer to."""

    def __init__(self, constants: Constants, *, is_result: bool = False) -> None:
        """Create an empty table of classes.

        Args:
            constants: Evaluates expressions.
            is_result: Whether the types are those of results, in which texts describe nothing.
        """
        self._constants = constants
        self._is_result = is_result
        self._names: dict[ast.ClassDef, str] = {}
        self._classes: dict[str, Shape] = {}
        self._is_exact = True
        self._depth = 0

    def of(self, source: SourceFile, annotation: ast.expr | None, default: ast.expr | None = None) -> Shape:
        """Return the schema of a parameter or a result, in which classes are references.

        Args:
            source: The file that contains it.
            annotation: Its type; without one, any value is allowed.
            default: Its default, or its call of `Field`, if it has one.
        """

        def read() -> Schema:
            schema = self._schema(source, annotation)
            if isinstance(source.resolved(default), ast.Call) or (self._is_result and not schema):
                self._is_exact = False  # as a default of a parameter, a call of `Field` may mean anything
            return self._with_value(source, schema, default)

        return self._shape(read)

    def complete(self, shape: Shape) -> Shape:
        """Return a schema together with the classes that it refers to."""
        if not self._classes:  # most tools use no classes
            return shape
        uses = self._uses(shape.schema)
        is_exact = shape.is_exact and all(self._classes[name].is_exact for name in uses)
        kept = {name for name, count in uses.items() if count > 1 or name in self._uses(self._classes[name].schema)}
        definitions = {name: self._inline(self._classes[name].schema, kept) for name in kept}
        whole: Schema = self._inline(shape.schema, kept)
        is_exact &= "$ref" not in whole
        return Shape(whole | ({"$defs": definitions} if definitions else {}), is_exact)

    def _shape(self, read: Callable[[], Schema]) -> Shape:
        before, self._is_exact = self._is_exact, True
        schema = read()
        found = Shape(schema, self._is_exact)
        self._is_exact = before
        return found

    def _uses(self, part: Any) -> dict[str, int]:
        """Count the references in a schema and in the classes that it refers to, each of them once."""
        uses: dict[str, int] = {}
        waiting = [part]
        while waiting:
            for name in _references_in(waiting.pop()):
                uses[name] = uses.get(name, 0) + 1
                waiting += [self._classes[name].schema] if uses[name] == 1 else []
        return uses

    def _inline(self, part: Any, kept: set[str]) -> Any:
        match part:
            case {"$ref": str() as reference, **beside}:
                name = reference.removeprefix(_PREFIX)
                return dict(part) if name in kept else self._inline(self._classes[name].schema, kept) | beside
            case dict():
                return {key: self._inline(value, kept) for key, value in part.items()}
            case list():
                return [self._inline(one, kept) for one in part]
        return part

    def _roughly(self, schema: Schema) -> Schema:
        self._is_exact = False
        return schema

    # -------------------------------------------------------------------------------------------------------- types

    def _schema(self, source: SourceFile, node: ast.expr | None) -> Schema:
        node = source.resolved(node)
        if node is None or self._depth > _DEEPEST:
            return self._roughly({})
        self._depth += 1
        try:
            return self._of_type(source, node)
        finally:
            self._depth -= 1

    def _of_type(self, source: SourceFile, node: ast.expr) -> Schema:
        match node:
            case ast.Name(id=name) if name in _PLAIN and name not in source.bindings:
                return dict(_PLAIN[name])
            case ast.Constant(value=None):
                return self._roughly({"type": "null"})
            case ast.Constant(value=str() as quoted):
                return self._schema(source, parsed_annotation(quoted) or ast.Name(quoted))
            case ast.BinOp(op=ast.BitOr()):
                return self._union(source, list(_sides(node)))
            case ast.Subscript(value=outer, slice=inner):
                parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
                return self._subscript(source, source.short_name(outer), node, parts)
            case ast.Name() | ast.Attribute():
                return self._named(source, node)
        return self._roughly({"type": ast.unparse(node)})

    def _named(self, source: SourceFile, node: ast.Name | ast.Attribute) -> Schema:
        for meaning in self._constants.meanings.of(source, node):
            if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef):
                return self._reference(meaning.source, meaning.node)
        name = source.short_name(node)
        if source.meaning(node) == "typing.Any":
            return {}
        if name in {"Any", "object"}:
            return self._roughly({})
        return self._roughly({"type": _ROUGHLY.get(name, ast.unparse(node))})

    def _subscript(  # noqa: PLR0911 - a line for each kind of type
        self, source: SourceFile, outer: str, node: ast.Subscript, parts: list[ast.expr]
    ) -> Schema:
        match outer, parts:
            case "list" | "List", [inner]:
                return {"type": "array", "items": self._schema(source, inner)}
            case "dict" | "Dict", [ast.Name(id="str"), values]:
                return {"type": "object", "additionalProperties": self._schema(source, values) or True}
            case "Optional", _:
                return self._union(source, [*parts, ast.Constant(None)])
            case "Union", _:
                return self._union(source, parts)
            case "Literal", _:
                return self._one_of([self._value(source, part) for part in parts])
            case "Annotated", [plain, *extras]:
                return self._annotated(source, self._schema(source, plain), extras)
        self._is_exact = False
        if outer in _TRANSPARENT:
            return self._schema(source, parts[-1])
        match _ROUGHLY.get(outer):
            case "array":
                return {"type": "array", "items": self._union(source, [one for one in parts if not _is_ellipsis(one)])}
            case "object":
                return {"type": "object", "additionalProperties": self._schema(source, parts[-1])}
        return {"type": ast.unparse(node)}

    def _union(self, source: SourceFile, parts: list[ast.expr]) -> Schema:
        kinds = [one for one in parts if not is_none(one)]
        found = [self._schema(source, one) for one in kinds]
        flat = [inner for one in found for inner in (one["anyOf"] if set(one) == {"anyOf"} else [one])]
        self._is_exact &= len(kinds) == 1 and (len(parts) == 1 or (flat != [{}] and not is_none(parts[0])))
        flat += [{"type": "null"}] if len(kinds) < len(parts) and {"type": "null"} not in flat else []
        return flat[0] if len(flat) == 1 else {"anyOf": flat}

    def _one_of(self, values: list[Any]) -> Schema:
        kinds = {type(value).__name__ for value in values}
        kind = _PLAIN.get(next(iter(kinds))) if len(kinds) == 1 else None
        self._is_exact &= kinds in ({"str"}, {"int"})
        choice: Schema = {"const": values[0]} if len(values) == 1 else {"enum": values}
        return choice | (kind or {})

    def _annotated(self, source: SourceFile, schema: Schema, extras: list[ast.expr]) -> Schema:
        others = []
        for extra in extras:
            if isinstance(extra, ast.Call) and last_name(extra.func) in _FIELDS:
                self._is_exact &= last_name(extra.func) == "Field" and not extra.args
                self._is_exact &= not (self._is_result and "$ref" in schema)
                self._is_exact &= not any(one.arg in _DEFAULTS for one in extra.keywords)
                schema = self._with_field(source, schema, extra)
            elif (text := self._constants.text(source, extra)) is not None:
                self._is_exact &= not self._is_result
                schema = {"description": text, **schema}
            else:
                others.append(ast.unparse(extra))
        return self._roughly({**schema, "constraints": others}) if others else schema

    # ------------------------------------------------------------------------------------------------------- values

    def _with_value(self, source: SourceFile, schema: Schema, value: ast.expr | None) -> Schema:
        """Return a schema with a default, or with the arguments of a `Field` call."""
        value = source.resolved(value)
        if value is None:
            return schema
        if isinstance(value, ast.Call) and last_name(value.func) in _FIELDS:
            return self._with_field(source, schema, value)
        if _is_ellipsis(value):
            return self._roughly(schema)
        return {**schema, "default": self._value(source, value)}

    def _with_field(self, source: SourceFile, schema: Schema, field: ast.Call) -> Schema:
        found = dict(schema)
        for keyword in field.keywords:
            option = keyword.arg or "options"
            if option == "default_factory" or (option == "default" and _is_ellipsis(keyword.value)):
                continue
            key = _key_of_option(option, schema)
            self._is_exact &= key is not None
            found[key or option] = self._value(source, keyword.value)
        if field.args and not _is_ellipsis(field.args[0]):
            found["default"] = self._value(source, field.args[0])
        return found

    def _value(self, source: SourceFile, node: ast.expr) -> Any:
        """Return what an expression is worth, or else how it is written."""
        try:
            value = self._constants.value(source, node)
        except UnknownValueError:
            value = self  # nothing in JSON
        if _is_json(value):
            return value
        self._is_exact = False
        return ast.unparse(node)

    # ------------------------------------------------------------------------------------------------------ classes

    def _reference(self, source: SourceFile, node: ast.ClassDef) -> Schema:
        """Return a reference to the schema of a class."""
        if node not in self._names:
            is_new = node.name not in self._classes
            name = self._names[node] = node.name if is_new else f"{node.name}{len(self._names)}"
            self._classes[name] = Shape({}, is_exact=True)  # while it is read, which ends cycles
            found = self._shape(lambda: self._of_class(source, node))
            self._classes[name] = Shape(found.schema, found.is_exact and is_new)
        return {"$ref": f"{_PREFIX}{self._names[node]}"}

    def _of_class(self, source: SourceFile, node: ast.ClassDef) -> Schema:
        if {source.short_name(base) for base in node.bases} & _ENUMS:
            values = (one.value for one in node.body if isinstance(one, ast.Assign))
            return self._roughly(self._one_of([self._value(source, value) for value in values]))
        self._is_exact &= _is_plain(node, source) and all(map(_is_harmless, node.body))
        properties, required = self._fields(source, node)
        if not properties and not self._is_exact:
            return {"type": node.name}
        described = ast.get_docstring(node)
        found: Schema = {"type": "object", "properties": properties}
        found |= {"required": required} if required else {}
        return found | ({"description": described} if described else {})

    def _fields(self, source: SourceFile, node: ast.ClassDef, depth: int = 10) -> tuple[Schema, list[str]]:
        """Return the fields of a class and its bases, and the names of the required ones."""
        properties: Schema = {}
        required: list[str] = []
        for base in node.bases if depth else ():
            for found in self._constants.meanings.of(source, base):
                if isinstance(found, Defined) and isinstance(found.node, ast.ClassDef):
                    inherited, needed = self._fields(found.source, found.node, depth - 1)
                    properties |= inherited
                    required += needed
        is_total = not any(one.arg == "total" and _is_false(one.value) for one in node.keywords)
        for statement in node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    annotation, is_wanted = _presence(source, annotation, is_total=is_total)
                    self._is_exact &= not name.startswith(("_", "model_")) and _is_known_field(source, value)
                    properties[name] = self._with_value(source, self._schema(source, annotation), value)
                    required += [name] if is_wanted and is_required(value) and name not in required else []
        return properties, required


def _presence(source: SourceFile, annotation: ast.expr, *, is_total: bool) -> tuple[ast.expr, bool]:
    """Return the type inside `Required[…]` or `NotRequired[…]`, and whether the member is required."""
    if isinstance(annotation, ast.Subscript) and (outer := source.short_name(annotation.value)).endswith("Required"):
        return annotation.slice, outer == "Required"
    return annotation, is_total


def _is_known_field(source: SourceFile, value: ast.expr | None) -> bool:
    """Whether a value in a class is a constant, or a call of a function that describes the field."""
    return not isinstance(value, ast.Call) or source.meaning(value.func) in {"pydantic.Field", "dataclasses.field"}


def _is_plain(node: ast.ClassDef, source: SourceFile) -> bool:
    """Whether a class is of a known kind, and nothing in its header may give it another form."""
    bases = [source.meaning(base) for base in node.bases]
    match node.decorator_list, bases:
        case [], [base] if base == MODEL or base in _TYPED_DICTS:
            return all(one.arg == "total" and isinstance(one.value, ast.Constant) for one in node.keywords)
        case [mark], [] if not node.keywords:
            options = mark.keywords if isinstance(mark, ast.Call) else []
            meaning = source.meaning(mark.func if isinstance(mark, ast.Call) else mark)
            return meaning == _DATACLASS and all(one.arg in _HARMLESS for one in options)
    return False


def _is_harmless(statement: ast.stmt) -> bool:
    """Whether a statement in a class is a field, a method, or does not affect the schema."""
    if isinstance(statement, FUNCTIONS):
        return not statement.name.startswith("__") and not statement.decorator_list
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.AnnAssign | ast.Pass)


def _key_of_option(option: str, schema: Mapping[str, Any]) -> str | None:
    """Return the JSON Schema keyword for an option of `Field`; None if it is unknown."""
    measured = {"string": "Length", "array": "Items"}.get(schema.get("type", ""))
    if measured and option in {"min_length", "max_length"}:
        return option[:3] + measured
    return option if option == "default" else _KEYWORDS.get(option)


def _references_in(part: Any) -> Iterable[str]:
    match part:
        case {"$ref": str() as reference}:
            return [reference.removeprefix(_PREFIX)]
        case dict():
            return [name for value in part.values() for name in _references_in(value)]
        case list():
            return [name for one in part for name in _references_in(one)]
    return []


def _is_json(value: object) -> bool:
    match value:
        case None | bool() | int() | float() | str():
            return True
        case list():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
    return False


def _sides(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _sides(node.left)
        yield from _sides(node.right)
    else:
        yield node


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
