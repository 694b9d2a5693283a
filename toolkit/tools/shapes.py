"""Shapes: what arguments must look like, once as a validator and once as a JSON Schema.

Both come from the same Python types through pydantic. Over pydantic's own rules stand a few of ours, since a model
writes the arguments: numbers may come as text and text as numbers, a whole number may be written `5.0`, but a boolean
is `true` or `false` and never a number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NotRequired, Required

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import SchemaValidator, core_schema, to_jsonable_python
from typing_extensions import TypedDict

from toolkit.tools.schemas import tidied
from toolkit.tools.signatures import MISSING, Parameter

_LENIENT_TEXT = ConfigDict(coerce_numbers_to_str=True)

UNFIT = (PydanticUserError, PydanticSchemaGenerationError, PydanticUndefinedAnnotation, TypeError, NameError)
"""What pydantic raises for a type that it cannot validate or describe."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a value must look like.

    Attributes:
        validate_text: Reads JSON text and returns the value, or raises pydantic's ValidationError.
        validate_data: The same from plain data.
        schema: The same as a JSON Schema.
    """

    validate_text: Callable[[str], Any]
    validate_data: Callable[[Any], Any]
    schema: dict[str, Any]


def shape_of_parameters(name: str, parameters: Sequence[Parameter]) -> Shape:
    """Return the shape of a call's arguments: an object with a member for each parameter.

    Raises:
        PydanticUserError: If a type cannot be validated or described; see `UNFIT` for what else.
    """
    fields = {
        parameter.name: Required[parameter.annotation] if parameter.required else NotRequired[parameter.annotation]
        for parameter in parameters
    }
    make: Any = TypedDict
    arguments = make(name, fields)
    arguments.__pydantic_config__ = _LENIENT_TEXT
    shape = _shape(arguments)
    properties = shape.schema.setdefault("properties", {})
    for parameter in parameters:
        _explain(properties[parameter.name], parameter)
    return shape


def shape_of_type(annotation: Any) -> Shape:
    """Return the shape of any one type; for errors see `shape_of_parameters`."""
    return _shape(annotation)


def output_schema(annotation: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of what a function returns, or `None` where its annotation does not tell."""
    if annotation in (MISSING, None, Any):
        return None
    try:
        generator = _JsonSchema()
        return tidied(generator.generate(TypeAdapter(annotation).core_schema, "serialization"))
    except UNFIT:
        return None


def _shape(annotation: Any) -> Shape:
    adapter = TypeAdapter(annotation)
    schema = tidied(_JsonSchema().generate(adapter.core_schema))
    # A model's own ready validator would bring pydantic's rules back.
    validator = SchemaValidator(with_our_rules(adapter.core_schema), None, _use_prebuilt=False)
    return Shape(validator.validate_json, validator.validate_python, schema)


def _explain(schema: dict[str, Any], parameter: Parameter) -> None:
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is not MISSING:
        default = float(parameter.default) if isinstance(parameter.default, Decimal) else parameter.default
        try:
            schema["default"] = to_jsonable_python(default)
        except ValueError:
            schema.pop("default", None)  # a default that JSON cannot say is the function's own affair


class _JsonSchema(GenerateJsonSchema):
    """pydantic's generator, without titles and with decimals as the numbers that they are."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - as declared there

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the name says it already
        """Set no title: it repeats the name and costs a model tokens."""
        return False

    def decimal_schema(self, schema: core_schema.DecimalSchema) -> JsonSchemaValue:
        """Describe a decimal as a number; text is accepted too."""
        limits = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
        bounds = {name: float(schema[key]) for key, name in limits.items() if key in schema}  # type: ignore[literal-required]
        return {"type": "number", **bounds}


_OPAQUE = {"default", "metadata", "expected", "serialization", "cls", "config"}


def with_our_rules(schema: Any) -> Any:
    """Return a copy of a pydantic-core schema in which numbers and booleans are read as we want."""
    if isinstance(schema, list | tuple):
        return type(schema)(with_our_rules(item) for item in schema)
    if not isinstance(schema, Mapping):
        return schema
    copy = {key: value if key in _OPAQUE else with_our_rules(value) for key, value in schema.items()}
    match copy.get("type"):
        case "bool":
            copy["strict"] = True
        case "int" if not copy.get("strict"):
            return _after(_WHOLE_NUMBER, {**copy, "strict": True})
        case "float" if not copy.get("strict"):
            return _after(_NUMBER, {**copy, "strict": True})
    return copy


def _after(first: Any, then: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that reads by one and bounds by the other; a reference stays on the outside."""
    outer: dict[str, Any] = {key: then.pop(key) for key in ("ref", "metadata", "serialization") if key in then}
    return {"type": "chain", "steps": [first, then], **outer}


_FROM_TEXT = core_schema.str_schema(strict=True, strip_whitespace=True)
_WHOLE_NUMBER = core_schema.union_schema(
    [
        core_schema.int_schema(strict=True),
        core_schema.chain_schema([core_schema.float_schema(strict=True), core_schema.int_schema()]),
        core_schema.chain_schema([_FROM_TEXT, core_schema.int_schema()]),
    ],
    mode="left_to_right",
    custom_error_type="whole_number",
    custom_error_message="must be a whole number",
)
_NUMBER = core_schema.union_schema(
    [core_schema.float_schema(strict=True), core_schema.chain_schema([_FROM_TEXT, core_schema.float_schema()])],
    mode="left_to_right",
    custom_error_type="number",
    custom_error_message="must be a number",
)
