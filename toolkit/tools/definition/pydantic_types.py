"""Converts Python types to shapes with pydantic, for all types that `plain_types` does not support."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from decimal import Decimal
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import typing_extensions
from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema, to_jsonable_python
from typing_extensions import TypedDict

from toolkit.schemas.schema import joined_sentences, parts_of, put_in_order, tidied
from toolkit.tools.definition.signatures import Parameter, texts_of
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError

_IS_NEEDED = sys.version_info < (3, 12)


def readable(annotation: Any) -> Any:
    """Return a type in which pydantic supports every `TypedDict`, except those that refer to themselves.

    Raises:
        UnfitTypeError: If an annotation of a `TypedDict` cannot be evaluated.
    """
    return _readable(annotation, ()) if _IS_NEEDED else annotation


def _readable(annotation: Any, around: tuple[Any, ...]) -> Any:
    if is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return annotation if annotation in around else _recreate(annotation, (*around, annotation))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[_readable(arguments[0], around), *annotation.__metadata__]
    if not arguments or origin is Literal:
        return annotation
    parts = tuple(_readable(argument, around) for argument in arguments)
    if all(new is old for new, old in zip(parts, arguments, strict=True)):
        return annotation
    make: Any = Union if origin is UnionType else origin
    return make[parts[0] if len(parts) == 1 else parts]


def _recreate(standard: Any, around: tuple[Any, ...]) -> Any:
    members = {
        name: _presence_of_key(standard, name, _readable(annotation, around))
        for name, annotation in _hints(standard).items()
    }
    make: Any = typing_extensions.TypedDict
    made = make(standard.__name__, members)
    made.__doc__ = standard.__doc__
    return made


def _hints(standard: Any) -> dict[str, Any]:
    try:
        return get_type_hints(standard, include_extras=True)
    except Exception as error:  # a quoted annotation is the user's code, which can raise anything
        raise UnfitTypeError(f"an annotation of '{standard.__name__}' cannot be read: {error}") from error


def _presence_of_key(standard: Any, name: str, annotation: Any) -> Any:
    if get_origin(annotation) in (Required, NotRequired):
        return annotation
    return Required[annotation] if name in standard.__required_keys__ else NotRequired[annotation]


_NAMES = "x-names"
_UNFIT = (PydanticUserError, PydanticSchemaGenerationError, PydanticUndefinedAnnotation, TypeError, NameError)


def shape_of_members(name: str, parameters: Sequence[Parameter]) -> Shape:
    """Return the shape of an object with a member for each parameter.

    Raises:
        UnfitTypeError: If the type of a parameter is not supported.
    """
    make: Any = TypedDict
    members = make(name, {parameter.name: _presence(parameter) for parameter in parameters})
    members.__pydantic_config__ = ConfigDict(coerce_numbers_to_str=True)
    core, schema = _describe(members, "validation", change=_leave_defaults_out)
    schema.setdefault("properties", {})
    return Shape(schema, lambda: core)


def _presence(parameter: Parameter) -> Any:
    annotation = readable(parameter.annotation)
    try:
        return Required[annotation] if parameter.required else NotRequired[annotation]
    except TypeError as error:  # such as `Final[int]`
        raise UnfitTypeError(str(error)) from error


def _leave_defaults_out(core: Any) -> None:
    """Remove the defaults of `Field(…)` from an object's members: the function sets omitted parameters itself."""
    for member in core.get("schema", core)["fields"].values():
        if member["schema"]["type"] == "default":
            member["schema"] = member["schema"]["schema"]


def shape_of_annotation(annotation: Any) -> Shape:
    """Return the shape of any type.

    Raises:
        UnfitTypeError: If the type is not supported for arguments.
    """
    core, schema = _describe(readable(annotation), "validation")
    describe_enum_names(schema)
    return Shape(schema, lambda: core)


def serialized_schema(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type in its serialized form.

    Raises:
        UnfitTypeError: If the type cannot be serialized as JSON.
    """
    schema = _describe(readable(annotation), "serialization")[1]
    describe_enum_names(schema)
    return schema


def describe_enum_names(schema: dict[str, Any]) -> None:
    """Append the names of enum members to the descriptions of enums, at any depth."""
    for part in parts_of(schema):
        if names := part.pop(_NAMES, None):
            part["description"] = joined_sentences(part.get("description", ""), names)
            put_in_order(part)


def plain_default(schema: dict[str, Any], default: Any) -> None:
    """Add a default to its schema as plain data, unless it is secret or cannot be written as JSON."""
    schema.pop("default", None)
    if not schema.get("writeOnly"):
        with suppress(ValueError):
            plain = to_jsonable_python(float(default) if isinstance(default, Decimal) else default)
            json.dumps(plain, allow_nan=False)
            schema["default"] = plain


def _describe(
    annotation: Any, mode: JsonSchemaMode, change: Callable[[Any], None] = lambda _: None
) -> tuple[Any, dict[str, Any]]:
    try:
        core = TypeAdapter(annotation).core_schema
        change(core)
        return core, tidied(_JsonSchema().generate(core, mode))
    except _UNFIT as error:
        raise UnfitTypeError(_words(error)) from error


def _words(error: Exception) -> str:
    """Return what pydantic objects to, without its advice, which is for authors of models."""
    if getattr(error, "code", None) == "class-not-fully-defined":
        return "an annotation uses a name that is not defined"
    words = str(error).splitlines()[0].partition(". Set `arbitrary_types_allowed")[0]
    return words.replace("Unable to generate pydantic-core schema for ", "unsupported type ")


class _JsonSchema(GenerateJsonSchema):
    """pydantic's generator without titles, with decimals as numbers, and with descriptions from annotations."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as in the base class

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Omit titles, which repeat the name and cost a model tokens."""
        return False

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Describe a dataclass, without the fields that it sets itself when arguments create it."""
        described = super().dataclass_schema(schema)
        if self.mode == "validation":
            _remove(described, [field.name for field in fields(schema["cls"]) if not field.init])
        return _described_members(described, schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return _described_members(super().typed_dict_schema(schema), schema.get("cls"))

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _described_members(super().model_schema(schema), schema["cls"])

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Describe an enum; if no value is a string, keep the member names for `describe_enum_names`."""
        described = super().enum_schema(schema)
        named = [(member.value, member.name) for member in schema["members"] if not isinstance(member.value, str)]
        if len(named) == len(schema["members"]):
            described[_NAMES] = ", ".join(f"{to_jsonable_python(value)} = {name}" for value, name in named)
        return described

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:  # limits count bytes
        """Describe bytes as base64, in both directions."""
        return {"type": "string", "contentEncoding": "base64"}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Describe a decimal as a number for input, which may also be a string, and as an exact string for output."""
        if self.mode == "serialization":
            return {"type": "string", "format": "decimal"}
        limits = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
        bounds = {name: float(schema[key]) for key, name in limits.items() if key in schema}  # type: ignore[literal-required]
        return {"type": "number", **bounds}


def _remove(schema: JsonSchemaValue, names: Sequence[str]) -> None:
    """Remove members from the schema of an object."""
    for name in names:
        schema.get("properties", {}).pop(name, None)
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in names]


def _described_members(schema: JsonSchemaValue, cls: type | None) -> JsonSchemaValue:
    """Add descriptions written as `name: Annotated[str, "description"]`, which pydantic ignores."""
    try:
        hints = get_type_hints(cls, include_extras=True) if cls is not None else {}
    except Exception:  # noqa: BLE001 - annotations are the user's code
        return schema
    for name, annotation in hints.items():
        bare = get_args(annotation)[0] if get_origin(annotation) in (Required, NotRequired) else annotation
        texts = texts_of(bare)
        if texts and name in schema.get("properties", {}):
            schema["properties"][name].setdefault("description", texts[0])
    return schema
