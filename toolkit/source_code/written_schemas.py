"""Derives the JSON Schema of a parameter from its source, without running any code.

Only well-known types are supported, such as `int`, `list[str]`, `Literal["a", "b"]`, `Annotated[int, Field(ge=1)]` and
the plain classes of the file; any other type is unknown.
"""

import ast
from collections.abc import Callable, Mapping
from typing import Any

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
