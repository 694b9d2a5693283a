"""Approximate schemas of types, read from the source, for comparison only; they are never sent to a model.

Every part of a type is represented. A type without a schema is kept as its source text, so that a change is noticed:
the type `Response` is `{"type": "Response"}`, and a validator is an item of `constraints`.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolkit.source_code.annotation_schemas import Schema, key_of_option
from toolkit.source_code.constants import UnknownValueError
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import parsed_annotation

FindClass = Callable[[PythonSource, ast.expr], tuple[PythonSource, ast.ClassDef] | None]
"""Returns the class for a name in a file, with the file that defines it; None if it was not found."""

_PLAIN: Mapping[str, str] = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null", "NoneType": "null",
    "dict": "object", "Dict": "object", "Mapping": "object", "MutableMapping": "object",
    "list": "array", "List": "array", "Sequence": "array", "Iterable": "array", "tuple": "array", "Tuple": "array",
    "set": "array", "Set": "array", "frozenset": "array",
}  # fmt: skip
JSON_TYPES = frozenset(_PLAIN.values())
_ANYTHING = frozenset({"Any", "object"})
_TRANSPARENT = frozenset({"Required", "NotRequired", "ReadOnly", "ClassVar", "Final", "Awaitable", "Coroutine"})
_FIELDS = frozenset({"Field", "field", "SchemaField"})
_ENUMS = frozenset({"Enum", "StrEnum", "IntEnum"})
_DEEPEST = 12


class RoughSchemas:
    """Creates rough schemas of the types in some files."""

    def __init__(self, find_class: FindClass) -> None:
        """Create it with a function that finds classes, which may be in other files."""
        self._find_class = find_class

    def of(self, annotation: ast.expr | None, value: ast.expr | None, file: PythonSource) -> Schema:
        """Return the schema of a parameter, a field or a result.

        Args:
            annotation: Its type; None allows any value.
            value: Its default, or its call of `Field`, if it has one.
            file: The file that contains both.
        """
        return self._with_value(self._schema(annotation, file, ()), value, file)

    def of_class(self, node: ast.ClassDef, file: PythonSource) -> Schema:
        """Return the schema of a class: its fields, or the values of an enumeration."""
        return self._class(node, file, ())

    def _schema(self, node: ast.expr | None, file: PythonSource, inside: tuple[str, ...]) -> Schema:
        node = file.resolved(node)
        if len(inside) > _DEEPEST:
            return {}
        match node:
            case None:
                return {}
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Constant(value=str() as quoted):
                return self._schema(parsed_annotation(quoted) or ast.Name(quoted), file, (*inside, ""))
            case ast.BinOp(op=ast.BitOr()):
                return self._union(list(_sides(node)), file, inside)
            case ast.Subscript(value=outer, slice=inner):
                parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
                return self._subscript(file.short_name(outer), node, parts, file, inside)
            case ast.Name() | ast.Attribute():
                return self._named(node, file, inside)
        return {"type": ast.unparse(node)}

    def _named(self, node: ast.Name | ast.Attribute, file: PythonSource, inside: tuple[str, ...]) -> Schema:
        name = file.short_name(node)
        if found := self._find_class(file, node):
            home, cls = found
            return {"type": name} if cls.name in inside else self._class(cls, home, inside)
        if name in _ANYTHING:
            return {}
        return {"type": _PLAIN.get(name, ast.unparse(node))}

    def _subscript(
        self, outer: str, node: ast.expr, parts: list[ast.expr], file: PythonSource, inside: tuple[str, ...]
    ) -> Schema:
        match outer:
            case "Optional":
                return self._union([*parts, ast.Constant(None)], file, inside)
            case "Union":
                return self._union(parts, file, inside)
            case "Literal":
                return _one_of([_value(part, file) for part in parts])
            case "Annotated":
                return self._annotated(parts, file, inside)
            case _ if outer in _TRANSPARENT:
                return self._schema(parts[-1], file, inside)
        match _PLAIN.get(outer):
            case "array":
                inner = [part for part in parts if not _is_ellipsis(part)]
                return {"type": "array", "items": self._union(inner, file, (*inside, ""))}
            case "object":
                return {"type": "object", "additionalProperties": self._schema(parts[-1], file, (*inside, ""))}
        return {"type": ast.unparse(node)}

    def _union(self, parts: list[ast.expr], file: PythonSource, inside: tuple[str, ...]) -> Schema:
        found = [self._schema(part, file, (*inside, "")) for part in parts]
        flat = [inner for one in found for inner in (one["anyOf"] if set(one) == {"anyOf"} else [one])]
        return flat[0] if len(flat) == 1 else {"anyOf": flat}

    def _annotated(self, parts: list[ast.expr], file: PythonSource, inside: tuple[str, ...]) -> Schema:
        schema = self._schema(parts[0], file, inside)
        others = []
        for extra in parts[1:]:
            if _is_field(extra):
                schema = self._with_value(schema, extra, file)
            elif (text := file.text_of(extra)) is not None:
                schema = {"description": text, **schema}
            else:
                others.append(ast.unparse(extra))
        return schema | ({"constraints": others} if others else {})

    def _with_value(self, schema: Schema, value: ast.expr | None, file: PythonSource) -> Schema:
        """Return a schema with a default, or with the arguments of a `Field` call."""
        if value is None or _is_ellipsis(value):
            return schema
        if not (isinstance(value, ast.Call) and _is_field(value)):
            return {**schema, "default": _value(file.resolved(value) or value, file)}
        found = dict(schema)
        if value.args and not _is_ellipsis(value.args[0]):
            found["default"] = _value(value.args[0], file)
        for keyword in value.keywords:
            if not (keyword.arg in {None, "default"} and _is_ellipsis(keyword.value)):
                option = (keyword.arg or "options").replace("default_factory", "default")
                found[key_of_option(option, schema) or option] = _value(keyword.value, file)
        return found

    def _class(self, node: ast.ClassDef, file: PythonSource, inside: tuple[str, ...]) -> Schema:
        names = {file.short_name(base) for base in node.bases}
        if names & _ENUMS:
            values = (one.value for one in node.body if isinstance(one, ast.Assign))
            return _one_of([_value(value, file) for value in values])
        properties, required = self._fields(node, file, (*inside, node.name))
        if not properties:
            return {"type": node.name}
        described = ast.get_docstring(node)
        found: Schema = {"type": "object", "properties": properties}
        found |= {"required": required} if required else {}
        return found | ({"description": described} if described else {})

    def _fields(self, node: ast.ClassDef, file: PythonSource, inside: tuple[str, ...]) -> tuple[Schema, list[str]]:
        """Return the fields of a class and its bases, and the names of the required ones."""
        properties: Schema = {}
        required: list[str] = []
        for base in node.bases:
            if (found := self._find_class(file, base)) and found[1].name not in inside:
                inherited, needed = self._fields(found[1], found[0], (*inside, found[1].name))
                properties |= inherited
                required += needed
        is_total = not any(one.arg == "total" and _is_false(one.value) for one in node.keywords)
        for statement in node.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    schema = self._schema(annotation, file, inside)
                    properties[name] = self._with_value(schema, value, file)
                    is_needed = is_total and is_required(value) and _outer(annotation) != "NotRequired"
                    required += [name] if is_needed and name not in required else []
        return properties, required


def is_required(value: ast.expr | None) -> bool:
    """Return whether a parameter or a field is required: it has no default, not even in a call of `Field`."""
    if isinstance(value, ast.Call) and _is_field(value):
        defaults = [one.value for one in value.keywords if one.arg in {"default", "default_factory"}]
        return all(map(_is_ellipsis, (*value.args[:1], *defaults)))
    return value is None or _is_ellipsis(value)


def _value(node: ast.expr, file: PythonSource) -> Any:
    """Return what an expression is worth, or else how it is written."""
    try:
        return file.value(node)
    except UnknownValueError:
        return ast.unparse(node)


def _one_of(values: list[Any]) -> Schema:
    kinds = {type(value).__name__ for value in values}
    kind = _PLAIN.get(kinds.pop()) if len(kinds) == 1 else None
    return {"enum": values} | ({"type": kind} if kind else {})


def _sides(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _sides(node.left)
        yield from _sides(node.right)
    else:
        yield node


def _outer(annotation: ast.expr) -> str:
    value = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return last_name(value)


def _is_field(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in _FIELDS


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
