"""What arguments a call may carry, and the one message that names everything wrong with them."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, field_validator, model_validator
from typing_extensions import TypedDict

from toolkit import Tool, ToolResult, TypedTool, WrappedTool, from_function


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Number(Enum):
    ONE = 1


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Item(BaseModel):
    sku: str = Field(min_length=1)
    price: Decimal = Field(gt=0)
    tags: list[str] = []


@dataclass
class Address:
    street: str
    zip: int | None = None


class Options(TypedDict, total=False):
    deep: bool
    level: int


class Cat(BaseModel):
    kind: Literal["cat"]
    meows: int


class Dog(BaseModel):
    kind: Literal["dog"]
    barks: bool


class Even(BaseModel):
    half: int = 1
    whole: int = 2

    @field_validator("whole")
    @classmethod
    def be_even(cls, whole: int) -> int:
        if whole % 2:
            raise ValueError("must be even")
        return whole

    @model_validator(mode="after")
    def agree(self) -> "Even":
        if self.half * 2 != self.whole:
            raise ValueError("half and whole disagree")
        return self


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    number: int


class Node(BaseModel):
    name: str
    children: list["Node"] = []


def taking(annotation, *default):
    """Return a tool with one parameter of this type, which says what it was given."""

    def probe(x):
        """Probes."""
        return repr(x)

    probe.__annotations__ = {"x": annotation}
    probe.__defaults__ = default or None
    return from_function(probe)


OLD, NEW = UUID(int=0), "00000000-0000-0000-0000-000000000000"

ACCEPTED = [
    (int, "5", 5),
    (int, '"5"', 5),
    (int, '" 5 "', 5),
    (int, "5.0", 5),
    (int, '"5.0"', 5),
    (int, "9.223372036854776e+18", 2**63),
    (int, "-1e+30", -(10**30) - 19_884_624_838_656),
    (int, '"+5"', 5),
    (int, '"-5"', -5),
    (int, "1e3", 1000),
    (int, "9007199254740993", 9007199254740993),
    (int, '"9007199254740993"', 9007199254740993),
    (int, "9" * 40, int("9" * 40)),
    (float, "5", 5.0),
    (float, '"5"', 5.0),
    (float, '"1e3"', 1000.0),
    (int, '"1e3"', 1000),
    (int, '"1E+3"', 1000),
    (float, '".5"', 0.5),
    (Decimal, '"1e3"', Decimal("1e3")),
    (float, "0.1", 0.1),
    (Decimal, '"2.10"', Decimal("2.10")),
    (Decimal, "2", Decimal(2)),
    (bool, "true", True),
    (bool, "false", False),
    (str, '"x"', "x"),
    (str, "5", "5"),
    (str, "1.5", "1.5"),
    (str, '""', ""),
    (str, "true", "true"),
    (str, "false", "false"),
    (list[str], "[true, 1]", ["true", "1"]),
    (Address, '{"street": true, "zip": 7}', Address("true", 7)),
    (bool | str, "true", True),
    (str | bool, "true", True),
    (date, '"2024-01-15"', date(2024, 1, 15)),
    (time, '"10:30"', time(10, 30)),
    (datetime, '"2024-01-15T10:30:00"', datetime(2024, 1, 15, 10, 30)),  # noqa: DTZ001
    (UUID, f'"{NEW}"', OLD),
    (Color, '"red"', Color.RED),
    (Level, "2", Level.HIGH),
    (Level, "2.0", Level.HIGH),
    (Number, "1", Number.ONE),
    (Literal["a", 1], "1", 1),
    (Literal[True, 1], "true", True),
    (int | str, "5", 5),
    (int | str, '"5"', "5"),
    (int | None, "null", None),
    (bool | int, "true", True),
    (bool | int, "1", 1),
    (list[int], '[1, "2", 3.0]', [1, 2, 3]),
    (set[str], '["a", "a"]', {"a"}),
    (tuple[int, str], '[1, "b"]', (1, "b")),
    (tuple[int, ...], '["1", 2]', (1, 2)),
    (dict[str, int], '{"a": "1"}', {"a": 1}),
    (dict[int, list[float]], '{"5": [1]}', {5: [1.0]}),
    (Any, '{"a": [1, null]}', {"a": [1, None]}),
    (Address, '{"street": 5, "zip": "7", "unknown": 1}', Address("5", 7)),
    (Item, '{"sku": 5, "price": "1.50", "unknown": 1}', Item(sku="5", price=Decimal("1.50"))),
    (Options, '{"level": "5", "unknown": 1}', {"level": 5}),
    (list[Address], '[{"street": "a"}]', [Address("a")]),
    (Cat | Dog, '{"kind": "dog", "barks": true}', Dog(kind="dog", barks=True)),
    (Annotated[Cat | Dog, Field(discriminator="kind")], '{"kind": "cat", "meows": 1}', Cat(kind="cat", meows=1)),
    (Node, '{"name": "a", "children": [{"name": "b"}]}', Node(name="a", children=[Node(name="b")])),
    (Annotated[int, Field(ge=1, le=9)], '"9"', 9),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("annotation", "sent", "received"), ACCEPTED, ids=[f"{a} {s[:20]}" for a, s, _ in ACCEPTED])
def test_a_tool_receives(annotation, sent, received):
    assert taking(annotation).run(f'{{"x": {sent}, "unknown": 1}}') == ToolResult(repr(received))


WHOLE, NUMBER = "must be a whole number", "must be a number"

REFUSED = [
    (int, "5.5", f"{WHOLE}, not 5.5"),
    (int, '"5.5"', f'{WHOLE}, not "5.5"'),
    (int, "true", f"{WHOLE}, not true"),
    (int, '"five"', f'{WHOLE}, not "five"'),
    (int, '""', f'{WHOLE}, not ""'),
    (int, '"0x10"', f'{WHOLE}, not "0x10"'),
    (int, "[5]", f"{WHOLE}, not an array"),
    (int, '{"a": 1}', f"{WHOLE}, not an object"),
    (int, "1e400", f"{WHOLE}, not Infinity"),
    (int, "NaN", f"{WHOLE}, not NaN"),
    (int, f'"{"9" * 5000}"', f'{WHOLE}, not "{"9" * 59}…'),
    (float, "true", f"{NUMBER}, not true"),
    (float, '"1.5d"', f'{NUMBER}, not "1.5d"'),
    (bool, '"true"', 'should be a valid boolean, not "true"'),
    (bool, "1", "should be a valid boolean, not 1"),
    (bool, "0", "should be a valid boolean, not 0"),
    (bool, '"yes"', 'should be a valid boolean, not "yes"'),
    *(
        (kind, f'"{text}"', f'{says}, not "{text}"')
        for kind, says in ((int, WHOLE), (float, NUMBER), (Decimal, "must be a number such as 12.50"))
        for text in ("1_000", "1 000", "", "1e", "e3", "--1")
    ),
    (int, '"1e-1"', f'{WHOLE}, not "1e-1"'),
    (int, '"1e400"', f'{WHOLE}, not "1e400"'),
    (Annotated[str, Field(pattern="^a")], "true", "string should match pattern '^a', not \"true\""),
    (str, "[1]", "should be a valid string, not an array"),
    (Decimal, "true", "must be a number such as 12.50, not true"),
    (Decimal, '"NaN"', 'should be a finite number, not "NaN"'),
    (Color, '"RED"', "should be 'red' or 'blue', not \"RED\""),
    (Color, "0", "should be 'red' or 'blue', not 0"),
    (Level, "true", "must be one of the listed values, not true"),
    (Number, "true", "must be one of the listed values, not true"),
    (Literal[1, 2], "true", "must be one of the listed values, not true"),
    (Literal[1, 2], "3", "should be 1 or 2, not 3"),
    (Annotated[int, Field(ge=1, le=9)], "0", "should be greater than or equal to 1, not 0"),
    (Annotated[int, Field(ge=1, le=9)], '"10"', "should be less than or equal to 9, not 10"),
    (Annotated[str, Field(pattern="^a")], '"b"', "string should match pattern '^a', not \"b\""),
    (Annotated[list[int], Field(min_length=1)], "[]", "list should have at least 1 item, not 0"),
    (list[int], '"[1]"', 'should be a valid array, not "[1]"'),
    (int | str, "true", f"{WHOLE}, not true or should be a valid string, not true"),
    (int | str | None, "true", f"{WHOLE}, not true or should be a valid string, not true"),
    (UUID, '"x"', 'must be a UUID such as 123e4567-e89b-12d3-a456-426614174000, not "x"'),
    (UUID, "5", "must be a UUID such as 123e4567-e89b-12d3-a456-426614174000, not 5"),
    (date, '"x"', 'must be a date such as 2026-03-15, not "x"'),
    (date, "true", "must be a date such as 2026-03-15, not true"),
    (
        date,
        '"2026-13-01"',
        'must be a date such as 2026-03-15 (month value is outside expected range of 1-12), not "2026-13-01"',
    ),
    (date, '"2026-03-15T10:00:00"', 'must be a date such as 2026-03-15, not "2026-03-15T10:00:00"'),
    (datetime, '"noon"', 'must be a date and time such as 2026-03-15T10:30:00, not "noon"'),
    (time, '"noon"', 'must be a time such as 10:30:00, not "noon"'),
    (timedelta, '"a while"', 'must be a duration such as PT1H30M or 01:30:00, not "a while"'),
    (Decimal, '"twelve"', 'must be a number such as 12.50, not "twelve"'),
    (Address, "5", "should be an object, not 5"),
    (Strict, '"5"', 'should be an object, not "5"'),
    (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        '{"kind": "cow"}',
        "'kind' must be 'cat' or 'dog', not 'cow'",
    ),
    (Annotated[Cat | Dog, Field(discriminator="kind")], "{}", "'kind' is missing"),
    (Even, '{"half": 5}', "half and whole disagree"),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("annotation", "sent", "reason"), REFUSED, ids=[f"{a} {s[:20]}" for a, s, _ in REFUSED])
def test_a_tool_refuses(annotation, sent, reason):
    result = taking(annotation).run(f'{{"x": {sent}}}')
    assert result == ToolResult(error=f"Invalid parameter 'x': {reason}", error_code="invalid_arguments")


NESTED = [
    (
        list[int],
        "[1, 5.5, true]",
        f"Invalid parameter 'x[1]': {WHOLE}, not 5.5; Invalid parameter 'x[2]': {WHOLE}, not true",
    ),
    (list[Address], '[{"street": "a"}, {}]', "Missing required parameter(s): x[1].street"),
    (
        dict[str, Address],
        '{"home": {"zip": "no"}}',
        "Missing required parameter(s): x.home.street; Invalid parameter 'x.home.zip': must be a whole number, not \"no\"",
    ),
    (tuple[int, str], "[1]", "Missing required parameter(s): x[1]"),
    (
        Node,
        '{"name": "a", "children": [{"nme": "b"}]}',
        "Missing required parameter(s): x.children[0].name; Unknown parameter 'x.children[0].nme': did you mean 'name'?",
    ),
    (Even, '{"whole": 3}', "Invalid parameter 'x.whole': must be even, not 3"),
    (Cat | Dog, '{"kind": "dog"}', "Missing required parameter(s): x.barks"),
    (list[Cat | Dog], '[{"kind": "cat"}]', "Missing required parameter(s): x[0].meows"),
    (
        Cat | int,
        '{"kind": "cat"}',
        "Missing required parameter(s): x.meows; Invalid parameter 'x': must be a whole number, not an object",
    ),
    (Strict, '{"number": "5"}', "Invalid parameter 'x.number': should be a valid integer, not \"5\""),
    (dict[int, str], '{"a": "b"}', "Invalid parameter 'x.a': must be a whole number, not \"a\""),
]


@pytest.mark.parametrize(("annotation", "sent", "message"), NESTED, ids=[f"{a} {s}" for a, s, _ in NESTED])
def test_what_is_wrong_inside_is_told_with_its_path(annotation, sent, message):
    assert taking(annotation).run(f'{{"x": {sent}}}').error == message


def test_everything_missing_and_invalid_is_told_in_one_message():
    def order(item: Item, address: Address, options: Options, count: int, note: str = ""):
        """Orders."""

    assert from_function(order).run(
        '{"item": {"price": 0}, "options": {"deep": 1}, "count": null, "note": []}'
    ).error == (
        "Missing required parameter(s): item.sku, address, count; "
        "Invalid parameter 'item.price': should be greater than 0, not 0; "
        "Invalid parameter 'options.deep': should be a valid boolean, not 1; "
        "Invalid parameter 'note': should be a valid string, not an array"
    )


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("[1]", "Expected a JSON object but received: an array"),
        ('"x"', "Expected a JSON object but received: a string"),
        ("5", "Expected a JSON object but received: a number"),
        ("5.5", "Expected a JSON object but received: a number"),
        ("true", "Expected a JSON object but received: a boolean"),
        ("null", "Expected a JSON object but received: null"),
        ("", "Missing required parameter(s): x"),
        ("  \n", "Missing required parameter(s): x"),
        ("{}", "Missing required parameter(s): x"),
        ('{"X": 1}', "Missing required parameter(s): x; Unknown parameter 'X': did you mean 'x'?"),
        ('{"x": null}', "Missing required parameter(s): x"),
        ('{"x": 5', "Invalid JSON: EOF while parsing an object at line 1 column 7"),
        ('{"x": 5} {"x": 6}', "Invalid JSON: trailing characters at line 1 column 10"),
        ("{'x': 5}", "Invalid JSON: key must be a string at line 1 column 2"),
        ('{"x": 5,}', "Invalid JSON: trailing comma at line 1 column 9"),
    ],
)
@pytest.mark.parametrize("kind", ["function", "typed", "by hand"])
def test_arguments_that_are_no_object_or_lack_members_are_refused_alike_by_every_kind(arguments, message, kind):
    class Input(BaseModel):
        x: int

    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    tool = {
        "function": taking(int),
        "typed": TypedTool(name="typed", description="Is typed.", input_type=Input, function=lambda input: input),
        "by hand": Tool.create("by_hand", "Is made by hand.", schema, lambda x: x),
    }[kind]
    assert tool.run(arguments) == ToolResult(error=message, error_code="invalid_arguments")


def test_the_last_of_two_equal_keys_holds():
    assert taking(int).run('{"x": 1, "x": 2}').output == "2"


@pytest.mark.parametrize("default", [5, None])
def test_null_for_what_may_be_left_out_is_left_out(default):
    assert taking(int, default).run('{"x": null}').output == repr(default)
    assert taking(int, default).run({"x": None}).output == repr(default)


def test_null_stays_null_where_it_is_a_value():
    assert taking(int | None, 5).run('{"x": null}').output == "None"
    assert taking(Any, 5).run('{"x": null}').output == "None"


def test_null_left_out_does_not_hide_what_else_is_wrong():
    def probe(x: int = 1, y: int = 2, z: int = 3):
        """Probes."""

    assert from_function(probe).run('{"x": null, "y": "a"}').error == (
        "Invalid parameter 'y': must be a whole number, not \"a\""
    )


def test_null_for_an_optional_field_of_a_typed_tool_is_left_out():
    def show(given: Options) -> str:
        return repr(given)

    tool = TypedTool(name="show", description="Shows.", input_type=Options, function=show)
    assert tool.run('{"level": 1, "deep": null}').output == "{'level': 1}"


def test_a_default_is_made_afresh_for_every_call():
    def collect(item: str, into: list[str] = Field(default_factory=list)) -> list[str]:  # noqa: B008 - this is how
        """Collects."""
        into.append(item)
        return into

    tool = from_function(collect)
    assert [tool.run({"item": item}).output for item in "ab"] == ['["a"]', '["b"]']


def test_the_default_of_the_function_wins_over_the_one_of_its_annotation():
    def probe(
        first: Annotated[int, Field(default=10)],
        second: Annotated[int, Field(default=10)] = 4,
        third: Annotated[int, Field(default=10)] = Field(3),
    ):
        """Probes."""
        return [first, second, third]

    assert from_function(probe).run().structured == [10, 4, 3]


def test_parameters_that_go_by_position_only_keep_their_places():
    def probe(a: int = 1, b: int = 2, /, c: int = 3, *, d: int = 4):
        """Probes."""
        return [a, b, c, d]

    tool = from_function(probe)
    assert [tool.run(sent).structured for sent in ("{}", {"b": 5}, {"d": 6, "a": 7})] == [
        [1, 2, 3, 4],
        [1, 5, 3, 4],
        [7, 2, 3, 6],
    ]


def test_work_done_twice_gets_the_same_arguments_twice():
    class Twice(WrappedTool):
        async def perform(self, parsed, context):
            return [await self.inner.perform(parsed, context), await self.inner.perform(parsed, context)]

    def probe(a: int, /, b: int):
        """Probes."""
        return [a, b]

    assert Twice(from_function(probe)).run({"a": 1, "b": 2}).structured == [[1, 2], [1, 2]]


def test_a_mapping_may_hold_ready_values():
    assert taking(Color).run({"x": Color.RED}).output == repr(Color.RED)
    assert taking(Item).run({"x": Item(sku="a", price=Decimal(1))}).output == repr(Item(sku="a", price=Decimal(1)))
    assert taking(date).run({"x": date(2024, 1, 2)}).output == repr(date(2024, 1, 2))


def test_a_tool_whose_input_is_no_object_is_refused():
    class Numbers(RootModel[list[int]]):
        pass

    def add(numbers):
        return sum(numbers.root)

    tool = TypedTool(name="add", description="Adds.", input_type=Numbers, function=add)
    with pytest.raises(Exception, match="the input of 'add' must be an object with named fields"):
        tool.spec  # noqa: B018


def test_a_check_over_the_whole_input_is_told_without_a_name():
    tool = TypedTool(name="even", description="Is even.", input_type=Even, function=repr)
    assert tool.run('{"half": 2}').error == "Invalid arguments: half and whole disagree"
