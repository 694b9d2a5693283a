"""The long way from Python types to shapes: through pydantic, for every type that is not plain."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any, NotRequired, Required, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema, to_jsonable_python
from typing_extensions import TypedDict

from toolkit.schemas.tidying import joined_sentences, parts_of, put_in_order, tidied
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError
from toolkit.tools.shapes.typed_dicts import readable
from toolkit.tools.signatures import Parameter

_NAMES = "x-names"
_UNFIT = (PydanticUserError, PydanticSchemaGenerationError, PydanticUndefinedAnnotation, TypeError, NameError)


def shape_of_members(name: str, parameters: Sequence[Parameter]) -> Shape:
    """Return the shape of an object with a member for each parameter.

    Raises:
        UnfitTypeError: If a parameter can be no argument.
    """
    make: Any = TypedDict
    members = make(name, {parameter.name: _presence(parameter) for parameter in parameters})
    members.__pydantic_config__ = ConfigDict(coerce_numbers_to_str=True)
    core, schema = _describe(members, "validation", change=_leave_defaults_out)
    schema.setdefault("properties", {})
    return Shape(schema, lambda: core)


def _presence(parameter: Parameter) -> Any:
    annotation = readable(parameter.annotation)
    return Required[annotation] if parameter.required else NotRequired[annotation]


def _leave_defaults_out(core: Any) -> None:
    """Take the defaults of `Field(…)` out of an object's members: a parameter left out is the function's own affair."""
    for member in core.get("schema", core)["fields"].values():
        if member["schema"]["type"] == "default":
            member["schema"] = member["schema"]["schema"]


def shape_of_annotation(annotation: Any) -> Shape:
    """Return the shape of any one type.

    Raises:
        UnfitTypeError: If no argument can have it.
    """
    core, schema = _describe(readable(annotation), "validation")
    tell_names(schema)
    return Shape(schema, lambda: core)


def serialized_schema(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type as it is written out.

    Raises:
        UnfitTypeError: If it cannot be written as JSON.
    """
    schema = _describe(readable(annotation), "serialization")[1]
    tell_names(schema)
    return schema


def tell_names(schema: dict[str, Any]) -> None:
    """Append the names of the values of enumerations, at any depth, to their descriptions."""
    for part in parts_of(schema):
        if names := part.pop(_NAMES, None):
            part["description"] = joined_sentences(part.get("description", ""), names)
            put_in_order(part)


def plain_default(schema: dict[str, Any], default: Any) -> None:
    """Put a default into its schema as plain data, unless it is secret or JSON cannot say it."""
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
        raise UnfitTypeError(str(error).splitlines()[0]) from error


class _JsonSchema(GenerateJsonSchema):
    """pydantic's generator, without titles and with decimals as the numbers that they are."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as declared there

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the name shows it already
        """Set no title: it repeats the name and costs a model tokens."""
        return False

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Describe a dataclass, its fields in the words that stand beside their types."""
        return _described_members(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        """Describe a TypedDict, its members in the words that stand beside their types."""
        return _described_members(super().typed_dict_schema(schema), schema.get("cls"))

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Describe a model, its fields in the words that stand beside their types."""
        return _described_members(super().model_schema(schema), schema["cls"])

    def enum_schema(self, schema: core_schema.EnumSchema) -> JsonSchemaValue:
        """Describe an enumeration; values that are not text say little, so their names are kept for `tell_names`."""
        described = super().enum_schema(schema)
        named = [(member.value, member.name) for member in schema["members"] if not isinstance(member.value, str)]
        if len(named) == len(schema["members"]):
            described[_NAMES] = ", ".join(f"{to_jsonable_python(value)} = {name}" for value, name in named)
        return described

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:  # noqa: ARG002 - limits count bytes
        """Describe bytes as what they are in JSON, in both directions."""
        return {"type": "string", "contentEncoding": "base64"}

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Describe a decimal as a number, where text is accepted too; it is written out as text, which is exact."""
        if self.mode == "serialization":
            return {"type": "string", "format": "decimal"}
        limits = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
        bounds = {name: float(schema[key]) for key, name in limits.items() if key in schema}  # type: ignore[literal-required]
        return {"type": "number", **bounds}


def _described_members(schema: JsonSchemaValue, cls: type | None) -> JsonSchemaValue:
    """Add the texts of `name: Annotated[str, "what it is"]`, which pydantic passes over."""
    try:
        hints = get_type_hints(cls, include_extras=True) if cls is not None else {}
    except Exception:  # noqa: BLE001 - annotations are foreign code
        return schema
    for name, annotation in hints.items():
        bare = get_args(annotation)[0] if get_origin(annotation) in (Required, NotRequired) else annotation
        texts = [extra for extra in getattr(bare, "__metadata__", ()) if isinstance(extra, str)]
        if texts and name in schema.get("properties", {}):
            schema["properties"][name].setdefault("description", texts[0])
    return schema
