"""Derives the JSON Schema of a parameter or a result from its source, without running any code.

Only well-known types are supported, such as `int`, `list[str]`, `Literal["a", "b"]`, `Annotated[int, Field(ge=1)]` and
the plain classes of the file (pydantic models, dataclasses and `TypedDict`); any other type is unknown. As in
pydantic's schemas, a class is inlined where it is used, or put under `$defs` if it is used several times
or refers to itself.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final

from toolkit.source_code.constants import UnknownValueError
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.syntax_nodes import parsed_annotation

_PLAIN: Mapping[str, "Schema"] = {
    "str": {"type": "string"}, "int": {"type": "integer"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
    "list": {"type": "array", "items": {}}, "dict": {"type": "object", "additionalProperties": True},
}  # fmt: skip
_KEYWORDS = {
    "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "pattern": "pattern",
    "examples": "examples",
}  # fmt: skip
_MODEL: Final = {"pydantic.BaseModel"}
_TYPED_DICT: Final = {"typing.TypedDict", "typing_extensions.TypedDict"}
_DATACLASS: Final = {"dataclasses.dataclass"}
_HARMLESS: Final = {"frozen", "slots", "kw_only", "order", "eq"}
_PREFIX: Final = "#/$defs/"

Schema = dict[str, Any]
ClassReader = Callable[[ast.ClassDef], Schema | None]
"""Returns the schema of a class of the file, or a reference to it; None if the source does not show it."""


def written_schema(
    annotation: ast.expr | None, default: ast.expr | None, file: PythonSource, of_class: ClassReader = lambda _: None
) -> Schema | None:
    """Return the schema of a parameter; None if the source does not show it.

    Args:
        annotation: Its type.
        default: Its default, or None.
        file: The file that contains both.
        of_class: Reads the classes of the file; by default, they are unknown.
    """
    schema = schema_of_annotation(annotation, file, of_class)
    default = file.resolved(default)
    if schema is None or default is None:
        return schema
    if isinstance(default, ast.Call):
        return None  # it may be a call of `Field`
    return with_default(schema, default, file)


def with_default(schema: Schema, default: ast.expr, file: PythonSource) -> Schema | None:
    """Return a schema with the value of an expression as its default; None if the source does not show the value."""
    try:
        value = file.value(default)
    except UnknownValueError:
        return None
    return {**schema, "default": value} if _is_json(value) else None


def schema_of_annotation(annotation: ast.expr | None, file: PythonSource, of_class: ClassReader) -> Schema | None:
    """Return the schema of a type; None if the source does not show it."""
    return _Reader(file, of_class).schema(file.resolved(annotation))


def with_field(schema: Schema, keywords: list[ast.keyword], file: PythonSource) -> Schema | None:
    """Return a schema with the options of a `Field`; None if one of them is unknown."""
    added: Schema = {}
    for keyword in keywords:
        key = key_of_option(keyword.arg or "", schema)
        try:
            value = file.value(keyword.value)
        except UnknownValueError:
            return None
        if key is None or not _is_json(value):
            return None
        added[key] = value
    return {**schema, **added}


def key_of_option(option: str, schema: Schema) -> str | None:
    """Return the JSON Schema keyword for an option of `Field`; None if it is unknown."""
    if option == "description":
        return option
    measured = {"string": "Length", "array": "Items"}.get(schema.get("type", ""))
    if measured and option in {"min_length", "max_length"}:
        return option[:3] + measured
    return _KEYWORDS.get(option)


class _Reader:
    def __init__(self, file: PythonSource, of_class: ClassReader) -> None:
        self._file = file
        self._of_class = of_class

    def schema(self, annotation: ast.expr | None) -> Schema | None:
        match annotation:
            case ast.Name(id=name) if name in self._file.classes:
                return self._of_class(self._file.classes[name])
            case ast.Name(id=name) if name in _PLAIN:
                return dict(_PLAIN[name])
            case ast.Name() | ast.Attribute() if self._file.meaning(annotation) == "typing.Any":
                return {}
            case ast.Constant(value=str() as quoted):
                return self.schema(parsed_annotation(quoted))
            case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
                return _or_nothing(self.schema(left))
            case ast.Subscript(value=outer, slice=inner):
                return self._subscript(self._file.short_name(outer), inner)
        return None

    def _subscript(self, outer: str, inner: ast.expr) -> Schema | None:
        match outer, inner:
            case "list" | "List", _:
                return None if (items := self.schema(inner)) is None else {"type": "array", "items": items}
            case "dict" | "Dict", ast.Tuple(elts=[ast.Name(id="str"), values]):
                found = self.schema(values)
                return None if found is None else {"type": "object", "additionalProperties": found or True}
            case "Optional", _:
                return _or_nothing(self.schema(inner))
            case "Literal", ast.Tuple(elts=values):
                return _one_of(values)
            case "Literal", _:
                return _one_of([inner])
            case "Annotated", ast.Tuple(elts=[plain, *extras]):
                return self._annotated(self.schema(plain), extras)
        return None

    def _annotated(self, schema: Schema | None, extras: list[ast.expr]) -> Schema | None:
        for extra in extras:
            match extra:
                case _ if schema is None:
                    return None
                case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), args=[]):
                    schema = with_field(schema, extra.keywords, self._file)
                case _ if (text := self._file.text_of(extra)) is not None:
                    schema = {"description": text, **schema}
                case _:
                    return None
        return schema


def _or_nothing(schema: Schema | None) -> Schema | None:
    return {"anyOf": [schema, {"type": "null"}]} if schema else None


def _one_of(values: list[ast.expr]) -> Schema | None:
    found = [one.value for one in values if isinstance(one, ast.Constant)]
    kinds = {type(value) for value in found}
    if len(found) < len(values) or len(kinds) != 1 or not kinds <= {str, int}:
        return None
    choice: Schema = {"const": found[0]} if len(found) == 1 else {"enum": found}
    return choice | _PLAIN[kinds.pop().__name__]


def _is_json(value: object) -> bool:
    match value:
        case None | bool() | int() | float() | str():
            return True
        case list():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
    return False


class WrittenClasses:
    """The classes that the parameters of one tool refer to."""

    def __init__(self, file: PythonSource) -> None:
        """Create an empty table for the classes of a file."""
        self._file = file
        self._found: dict[str, Schema | None] = {}

    def reference(self, node: ast.ClassDef) -> Schema | None:
        """Return a reference to the schema of a class; None if the source does not show it."""
        if node.name not in self._found:
            self._found[node.name] = {}
            self._found[node.name] = self._schema(node)
        return None if self._found[node.name] is None else {"$ref": f"{_PREFIX}{node.name}"}

    def complete(self, schema: Schema) -> Schema | None:
        """Return a schema with the classes that it refers to; None if one of them is unknown."""
        if not self._found:  # most tools use no classes
            return schema
        uses: dict[str, int] = {}
        self._count(schema, uses)
        if any(self._found[name] is None for name in uses):
            return None
        kept = {name for name, count in uses.items() if count > 1 or self._leads_to_itself(name)}
        definitions = {name: self._inline(self._found[name], kept) for name in kept}
        whole: Schema = self._inline(schema, kept)
        return whole | ({"$defs": definitions} if definitions else {})

    def _count(self, part: Any, uses: dict[str, int]) -> None:
        """Count the references in a schema and in the classes that it refers to, each of them once."""
        for name in _names_in(part):
            uses[name] = uses.get(name, 0) + 1
            if uses[name] == 1:
                self._count(self._found[name], uses)

    def _leads_to_itself(self, name: str) -> bool:
        reached: dict[str, int] = {}
        self._count(self._found[name], reached)
        return name in reached

    def _inline(self, part: Any, kept: set[str]) -> Any:
        match part:
            case {"$ref": str() as reference, **beside}:
                name = reference.removeprefix(_PREFIX)
                return dict(part) if name in kept else self._inline(self._found[name], kept) | beside
            case dict():
                return {key: self._inline(value, kept) for key, value in part.items()}
            case list():
                return [self._inline(one, kept) for one in part]
        return part

    # -------------------------------------------------------------------------------------------------- one class

    def _schema(self, node: ast.ClassDef) -> Schema | None:
        base = _base_of(node, self._file)
        if base is None or any(not _is_harmless(statement) for statement in node.body):
            return None
        is_total = not any(keyword.arg == "total" for keyword in node.keywords)
        properties, required = {}, []
        for statement in node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    annotation, is_wanted = self._presence(annotation, is_total=is_total)
                    schema = self._field(annotation, value)
                    if schema is None or name.startswith(("_", "model_")):
                        return None
                    properties[name] = schema
                    required += [name] if is_wanted and _has_no_default(value) else []
        found: Schema = {"type": "object", "properties": properties}
        found |= {"required": required} if required else {}
        described = ast.get_docstring(node)
        return found | ({"description": described} if described else {})

    def _presence(self, annotation: ast.expr, *, is_total: bool) -> tuple[ast.expr, bool]:
        """Return the type inside `Required[…]` or `NotRequired[…]`, and whether the member is required."""
        if isinstance(annotation, ast.Subscript):
            outer = self._file.short_name(annotation.value)
            if outer in {"Required", "NotRequired"}:
                return annotation.slice, outer == "Required"
        return annotation, is_total

    def _field(self, annotation: ast.expr, value: ast.expr | None) -> Schema | None:
        schema = schema_of_annotation(annotation, self._file, self.reference)
        if schema is None or value is None:
            return schema
        if not isinstance(value, ast.Call):
            return with_default(schema, value, self._file)
        if (self._file.meaning(value.func) or "") not in {"pydantic.Field", "dataclasses.field"}:
            return None
        return self._with_options(schema, value)

    def _with_options(self, schema: Schema, field: ast.Call) -> Schema | None:
        given = {keyword.arg: keyword.value for keyword in field.keywords}
        default = field.args[0] if field.args else given.get("default")
        others = [keyword for keyword in field.keywords if keyword.arg not in {"default", "default_factory"}]
        found = with_field(schema, others, self._file)
        if found is None or default is None:
            return found
        return with_default(found, default, self._file)


def _has_no_default(value: ast.expr | None) -> bool:
    match value:
        case ast.Call(args=[], keywords=keywords):
            return not any(keyword.arg in {"default", "default_factory"} for keyword in keywords)
    return value is None


def _base_of(node: ast.ClassDef, file: PythonSource) -> str | None:
    """Return which kind of plain class this is; None if it is none, or may have another form."""
    bases = [file.meaning(base) for base in node.bases]
    if not node.decorator_list and len(bases) == 1:
        [base] = bases
        is_plain = all(keyword.arg == "total" and base in _TYPED_DICT for keyword in node.keywords)
        return base if base in _MODEL | _TYPED_DICT and is_plain else None
    if len(node.decorator_list) == 1 and not bases and not node.keywords:
        mark = node.decorator_list[0]
        options = mark.keywords if isinstance(mark, ast.Call) else []
        meaning = file.meaning(mark.func if isinstance(mark, ast.Call) else mark)
        return meaning if meaning in _DATACLASS and all(one.arg in _HARMLESS for one in options) else None
    return None


def _is_harmless(statement: ast.stmt) -> bool:
    """Return whether a statement in a class is a field, a method, or does not affect the schema."""
    match statement:
        case ast.AnnAssign() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return True
        case (
            ast.FunctionDef(name=name, decorator_list=decorators)
            | ast.AsyncFunctionDef(name=name, decorator_list=decorators)
        ):
            return not name.startswith("__") and not decorators
    return False


def _names_in(part: Any) -> list[str]:
    match part:
        case {"$ref": str() as reference}:
            return [reference.removeprefix(_PREFIX)]
        case dict():
            return [name for value in part.values() for name in _names_in(value)]
        case list():
            return [name for one in part for name in _names_in(one)]
    return []
