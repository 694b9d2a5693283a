"""Derives the JSON Schema of a plain class (a pydantic model, a dataclass or a `TypedDict`) from its source.

As in pydantic's schemas, a class is inlined where it is used, or put under `$defs` if it is used several times or
refers to itself.
"""

import ast
from typing import Any, Final

from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.written_schemas import Schema, schema_of_annotation, with_default, with_field

_MODEL: Final = {"pydantic.BaseModel"}
_TYPED_DICT: Final = {"typing.TypedDict", "typing_extensions.TypedDict"}
_DATACLASS: Final = {"dataclasses.dataclass"}
_HARMLESS: Final = {"frozen", "slots", "kw_only", "order", "eq"}
_PREFIX: Final = "#/$defs/"


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
