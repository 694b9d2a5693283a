"""The schema that a model is told, whole, for every type a Python author writes."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, Optional, Required, TypedDict, Union
from uuid import UUID

import jsonschema
import pytest
from pydantic import BaseModel, Field, SecretStr
from typing_extensions import TypedDict as ExtendedTypedDict

from toolkit import from_function

NULL = {"type": "null"}
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Size(StrEnum):
    SMALL = "s"
    LARGE = "l"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Item(BaseModel):
    """One thing to order."""

    sku: str = Field(description="Its number in stock", min_length=1)
    price: Decimal = Field(gt=0)
    tags: list[str] = []


@dataclass
class Address:
    """Where somebody lives."""

    street: str
    zip: int | None = None
    notes: list[str] = field(default_factory=list)


class Options(TypedDict, total=False):
    """How it is done."""

    deep: bool
    level: Required[int]


class Basket(TypedDict):
    items: list[Item]
    options: NotRequired[Options]


class Extended(ExtendedTypedDict):
    name: str


class Point(NamedTuple):
    x: float
    y: float = 0.0


class Node(BaseModel):
    name: str
    children: list["Node"] = []


@dataclass
class Tree:
    value: int
    left: "Tree | None" = None


class Cat(BaseModel):
    kind: Literal["cat"]
    meows: int


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: bool


CAT = {
    "type": "object",
    "properties": {"kind": {"type": "string", "const": "cat"}, "meows": WHOLE},
    "required": ["kind", "meows"],
}
DOG = {
    "type": "object",
    "properties": {"kind": {"type": "string", "const": "dog"}, "barks": {"type": "boolean"}},
    "required": ["kind", "barks"],
}
OPTIONS = {
    "type": "object",
    "description": "How it is done.",
    "properties": {"deep": {"type": "boolean"}, "level": WHOLE},
    "required": ["level"],
}
ITEM: dict[str, Any] = {
    "type": "object",
    "description": "One thing to order.",
    "properties": {
        "sku": {"type": "string", "description": "Its number in stock", "minLength": 1},
        "price": {"type": "number", "exclusiveMinimum": 0},
        "tags": {"type": "array", "items": TEXT, "default": []},
    },
    "required": ["sku", "price"],
}
ADDRESS = {
    "type": "object",
    "description": "Where somebody lives.",
    "properties": {
        "street": TEXT,
        "zip": {"anyOf": [WHOLE, NULL], "default": None},
        "notes": {"type": "array", "items": TEXT},
    },
    "required": ["street"],
}


def schema_of(annotation, *default):
    """Return the schema of a function with one parameter of this type."""

    def probe(x):
        """Probes."""

    probe.__annotations__ = {"x": annotation}
    probe.__defaults__ = default or None
    parameters = from_function(probe).spec.parameters
    jsonschema.Draft202012Validator.check_schema(parameters)
    json.dumps(parameters, allow_nan=False)
    return parameters


TYPES = [
    (str, TEXT),
    (int, WHOLE),
    (float, {"type": "number"}),
    (bool, {"type": "boolean"}),
    (Decimal, {"type": "number"}),
    (UUID, {"type": "string", "format": "uuid"}),
    (date, {"type": "string", "format": "date"}),
    (time, {"type": "string", "format": "time"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (timedelta, {"type": "string", "format": "duration"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (SecretStr, {"type": "string", "format": "password", "writeOnly": True}),
    (Any, {}),
    (object, {}),
    (None, NULL),
    (Color, {"type": "string", "enum": ["red", "blue"]}),
    (Size, {"type": "string", "enum": ["s", "l"]}),
    (Level, {"type": "integer", "description": "1 = LOW, 2 = HIGH", "enum": [1, 2]}),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
    (Literal["only"], {"type": "string", "const": "only"}),
    (Literal[1, 2], {"type": "integer", "enum": [1, 2]}),
    (Literal["a", 1], {"enum": ["a", 1]}),
    (Optional[int], {"anyOf": [WHOLE, NULL]}),  # noqa: UP045 - the older way to write it
    (int | None, {"anyOf": [WHOLE, NULL]}),
    (Union[int, str], {"anyOf": [WHOLE, TEXT]}),  # noqa: UP007 - the older way to write it
    (int | str | None, {"anyOf": [WHOLE, TEXT, NULL]}),
    (list[int], {"type": "array", "items": WHOLE}),
    (list, {"type": "array", "items": {}}),
    (list[list[str]], {"type": "array", "items": {"type": "array", "items": TEXT}}),
    (Sequence[int], {"type": "array", "items": WHOLE}),
    (set[str], {"type": "array", "items": TEXT, "uniqueItems": True}),
    (frozenset[int], {"type": "array", "items": WHOLE, "uniqueItems": True}),
    (tuple[int, str], {"type": "array", "prefixItems": [WHOLE, TEXT], "minItems": 2, "maxItems": 2}),
    (tuple[int, ...], {"type": "array", "items": WHOLE}),
    (dict[str, int], {"type": "object", "additionalProperties": WHOLE}),
    (dict, {"type": "object", "additionalProperties": True}),
    (
        Mapping[str, list[float]],
        {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}},
    ),
    (Item, ITEM),
    (list[Item], {"type": "array", "items": ITEM}),
    (Address, ADDRESS),
    (Address | None, {"anyOf": [ADDRESS, NULL]}),
    (Options, OPTIONS),
    (list[Options] | None, {"anyOf": [{"type": "array", "items": OPTIONS}, NULL]}),
    (
        Basket,
        {
            "type": "object",
            "properties": {"items": {"type": "array", "items": ITEM}, "options": OPTIONS},
            "required": ["items"],
        },
    ),
    (Extended, {"type": "object", "properties": {"name": TEXT}, "required": ["name"]}),
    (Cat | Dog, {"anyOf": [CAT, DOG]}),
    (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
    (Annotated[int, Field(gt=1, lt=9)], {"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 9}),
    (Annotated[int, Field(multiple_of=5)], {"type": "integer", "multipleOf": 5}),
    (Annotated[Decimal, Field(ge=0, lt=Decimal("9.5"))], {"type": "number", "minimum": 0, "exclusiveMaximum": 9.5}),
    (
        Annotated[str, Field(min_length=1, max_length=9, pattern="^a")],
        {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a"},
    ),
    (
        Annotated[list[int], Field(min_length=1, max_length=3)],
        {"type": "array", "items": WHOLE, "minItems": 1, "maxItems": 3},
    ),
    (
        Annotated[int, Field(examples=[1], json_schema_extra={"x-unit": "m"})],
        {"type": "integer", "examples": [1], "x-unit": "m"},
    ),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("annotation", "schema"), TYPES, ids=[str(annotation) for annotation, _ in TYPES])
def test_schema_of_a_required_parameter(annotation, schema):
    assert schema_of(annotation) == {"type": "object", "properties": {"x": schema}, "required": ["x"]}


def test_a_discriminated_union_is_one_of_its_types_told_apart_by_a_constant():
    told = {"type": "object", "properties": {"x": {"oneOf": [CAT, DOG]}}, "required": ["x"]}
    assert schema_of(Annotated[Cat | Dog, Field(discriminator="kind")]) == told
    assert schema_of(Cat | Dog, Field(discriminator="kind")) == told


NODE = {
    "type": "object",
    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}, "default": []}},
    "required": ["name"],
}
TREE = {
    "type": "object",
    "properties": {"value": WHOLE, "left": {"anyOf": [{"$ref": "#/$defs/Tree"}, NULL], "default": None}},
    "required": ["value"],
}


@pytest.mark.parametrize(("annotation", "name", "schema"), [(Node, "Node", NODE), (Tree, "Tree", TREE)])
def test_a_type_that_refers_to_itself_is_a_definition(annotation, name, schema):
    assert schema_of(annotation) == {
        "type": "object",
        "properties": {"x": {"$ref": f"#/$defs/{name}"}},
        "required": ["x"],
        "$defs": {name: schema},
    }


def test_a_type_that_is_used_twice_is_told_once():
    def order(first: Item, second: Item):
        """Orders two things."""

    assert from_function(order).spec.parameters == {
        "type": "object",
        "properties": {"first": {"$ref": "#/$defs/Item"}, "second": {"$ref": "#/$defs/Item"}},
        "required": ["first", "second"],
        "$defs": {"Item": ITEM},
    }


NOT_SHOWN = type("NotShown", (), {"__repr__": lambda _: "an object"})()

DEFAULTS = [
    (str, "x", {**TEXT, "default": "x"}),
    (int, 5, {**WHOLE, "default": 5}),
    (float, 1.5, {"type": "number", "default": 1.5}),
    (float, float("nan"), {"type": "number"}),
    (float, float("inf"), {"type": "number"}),
    (bool, False, {"type": "boolean", "default": False}),
    (int | None, None, {"anyOf": [WHOLE, NULL], "default": None}),
    (int, None, {**WHOLE, "default": None}),
    (Decimal, Decimal("1.10"), {"type": "number", "default": 1.1}),
    (Color, Color.RED, {"type": "string", "enum": ["red", "blue"], "default": "red"}),
    (Size, Size.SMALL, {"type": "string", "enum": ["s", "l"], "default": "s"}),
    (datetime, datetime(2024, 1, 2), {"type": "string", "format": "date-time", "default": "2024-01-02T00:00:00"}),  # noqa: DTZ001
    (UUID, UUID(int=0), {"type": "string", "format": "uuid", "default": "00000000-0000-0000-0000-000000000000"}),
    (list[int], [1], {"type": "array", "items": WHOLE, "default": [1]}),
    (tuple[int, ...], (1, 2), {"type": "array", "items": WHOLE, "default": [1, 2]}),
    (Address, Address("x"), {**ADDRESS, "default": {"street": "x", "zip": None, "notes": []}}),
    (Any, NOT_SHOWN, {}),
    (SecretStr, SecretStr("hunter2"), {"type": "string", "format": "password", "writeOnly": True}),
    (int, Field(5, ge=1), {**WHOLE, "minimum": 1, "default": 5}),
    (Annotated[int, Field(ge=1)], 5, {**WHOLE, "minimum": 1, "default": 5}),
    (Annotated[int, Field(default=7, ge=1)], 5, {**WHOLE, "minimum": 1, "default": 5}),
    (list[str], Field(default_factory=list), {"type": "array", "items": TEXT, "default": []}),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("annotation", "default", "schema"), DEFAULTS, ids=[f"{a} = {d!r}" for a, d, _ in DEFAULTS])
def test_schema_of_a_parameter_that_may_be_left_out(annotation, default, schema):
    assert schema_of(annotation, default) == {"type": "object", "properties": {"x": schema}}


def test_a_field_without_a_default_leaves_its_parameter_required():
    assert schema_of(int, Field(ge=1)) == {
        "type": "object",
        "properties": {"x": {**WHOLE, "minimum": 1}},
        "required": ["x"],
    }


def test_an_alias_is_the_name_in_the_schema():
    def book(
        starts: Annotated[date, Field(alias="from", description="The first day")], days: int = Field(1, alias="for")
    ):
        """Books."""
        return f"{starts} {days}"

    tool = from_function(book)
    assert tool.spec.parameters == {
        "type": "object",
        "properties": {
            "from": {"type": "string", "format": "date", "description": "The first day"},
            "for": {"type": "integer", "default": 1},
        },
        "required": ["from"],
    }
    assert tool.run({"from": "2024-01-02", "for": 3}).output == "2024-01-02 3"
    assert tool.run({"from": "2024-01-02", "for": None}).output == "2024-01-02 1"
    assert (
        tool.run({"starts": "2024-01-02"}).text
        == "Error: Missing required parameter(s): from; Unknown parameter 'starts'"
    )
    assert tool.describe(tool.parse({"from": "2024-01-02"})) == {"from": "2024-01-02"}


def test_a_function_without_parameters_takes_an_empty_object():
    def now():
        """Tells the time."""

    assert from_function(now).spec.parameters == {"type": "object", "properties": {}}


def test_keys_of_a_schema_stand_in_the_order_in_which_people_read():
    assert list(schema_of(Node)) == ["type", "properties", "required", "$defs"]
    assert list(schema_of(Item)["properties"]["x"]) == ["type", "description", "properties", "required"]


WRITTEN_DECIMAL = {"type": "string", "format": "decimal"}
RETURNS = [
    (str, TEXT),
    (int, WHOLE),
    (list[int], {"type": "array", "items": WHOLE}),
    (Item, {**ITEM, "properties": {**ITEM["properties"], "price": WRITTEN_DECIMAL}}),
    (Decimal, WRITTEN_DECIMAL),
    (Node, {**NODE, "$defs": {"Node": NODE}}),
    (None, None),
    (Any, None),
]


@pytest.mark.parametrize(("annotation", "schema"), RETURNS, ids=[str(annotation) for annotation, _ in RETURNS])
def test_schema_of_what_is_returned(annotation, schema):
    def probe():
        """Probes."""

    probe.__annotations__ = {"return": annotation}
    told = deepcopy(from_function(probe).spec.output_schema)
    assert without_defaults_required(told) == schema


def without_defaults_required(told):
    """Return a schema of something written, where members with defaults are always there, as the one of the same read."""
    for part in [told, *(told or {}).get("$defs", {}).values()]:
        if part and "properties" in part:
            part["required"] = [name for name in part["required"] if "default" not in part["properties"][name]]
    return told


def test_what_is_returned_fits_its_schema():
    def order() -> list[Item]:
        """Orders."""
        return [Item(sku="a", price=Decimal("1.50"))]

    tool = from_function(order)
    assert tool.spec.output_schema is not None
    jsonschema.validate(tool.run().structured, tool.spec.output_schema)


def test_no_schema_is_told_of_a_return_type_that_has_none():
    def opaque() -> memoryview:
        """Is opaque."""
        return memoryview(b"")

    assert from_function(opaque).spec.output_schema is None


def test_a_named_tuple_is_an_array():
    assert schema_of(Point)["properties"]["x"]["type"] == "array"
