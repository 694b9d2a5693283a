"""Written schemas: the JSON Schema of a parameter as far as its source shows it, without running anything.

Only well-known types are read, such as `int`, `list[str]`, `Literal["a", "b"]` and `Annotated[int, Field(ge=1)]`.
Whatever else there may be is unknown.
"""

import ast
from typing import Any

from toolkit.lint.python_files import PythonFile

_PLAIN = {
    "str": {"type": "string"}, "int": {"type": "integer"}, "float": {"type": "number"}, "bool": {"type": "boolean"},
}  # fmt: skip
_KEYWORDS = {
    "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum", "pattern": "pattern",
    "examples": "examples",
}  # fmt: skip

Schema = dict[str, Any]


def written_schema(annotation: ast.expr | None, default: ast.expr | None, file: PythonFile) -> Schema | None:
    """Return the schema of a parameter; None where the source does not show it."""
    schema = _schema(file.resolved(annotation), file)
    default = file.resolved(default)
    if schema is None or default is None:
        return schema
    if isinstance(default, ast.Call):
        return None  # it may be a `Field`
    try:
        value = ast.literal_eval(default)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return {**schema, "default": value} if _is_json(value) else None


def _schema(annotation: ast.expr | None, file: PythonFile) -> Schema | None:
    match annotation:
        case ast.Name(id=name) if name in _PLAIN and name not in file.classes:
            return dict(_PLAIN[name])
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _or_nothing(_schema(left, file))
        case ast.Subscript(value=outer, slice=inner):
            return _subscript((file.meaning(outer) or "").rpartition(".")[2], inner, file)
    return None


def _subscript(outer: str, inner: ast.expr, file: PythonFile) -> Schema | None:
    match outer, inner:
        case "list" | "List", _:
            return None if (items := _schema(inner, file)) is None else {"type": "array", "items": items}
        case "Optional", _:
            return _or_nothing(_schema(inner, file))
        case "Literal", ast.Tuple(elts=values):
            return _one_of(values)
        case "Literal", _:
            return _one_of([inner])
        case "Annotated", ast.Tuple(elts=[plain, *extras]):
            return _annotated(_schema(plain, file), extras)
    return None


def _or_nothing(schema: Schema | None) -> Schema | None:
    return None if schema is None else {"anyOf": [schema, {"type": "null"}]}


def _one_of(values: list[ast.expr]) -> Schema | None:
    found = [one.value for one in values if isinstance(one, ast.Constant)]
    kinds = {type(value) for value in found}
    if len(found) < len(values) or len(kinds) != 1 or not kinds <= {str, int}:
        return None
    return {"enum": found, **_PLAIN[kinds.pop().__name__]}


def _annotated(schema: Schema | None, extras: list[ast.expr]) -> Schema | None:
    for extra in extras:
        match extra:
            case ast.Constant(value=str() as text) if schema is not None:
                schema = {"description": text, **schema}
            case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), args=[]) if schema is not None:
                schema = _with_field(schema, extra.keywords)
            case _:
                return None
    return schema


def _with_field(schema: Schema, keywords: list[ast.keyword]) -> Schema | None:
    """Return a schema with what a `Field` adds; None if not all of that is known."""
    added: Schema = {}
    for keyword in keywords:
        key = "description" if keyword.arg == "description" else _KEYWORDS.get(keyword.arg or "")
        try:
            value = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
        if key is None or not _is_json(value):
            return None
        added[key] = value
    return {**schema, **added}


def _is_json(value: object) -> bool:
    match value:
        case None | bool() | int() | float() | str():
            return True
        case list():
            return all(map(_is_json, value))
        case dict():
            return all(isinstance(key, str) and _is_json(one) for key, one in value.items())
    return False
