"""What becomes of whatever a tool's work returns."""

import asyncio
import json
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from pydantic import BaseModel, SecretStr

from toolkit import Tool, ToolResult, TypedTool, from_function, from_object, tool


class Color(Enum):
    RED = "red"


@dataclass
class Place:
    street: str
    zip: int | None = None


class Point(NamedTuple):
    x: int
    y: int


class Item(BaseModel):
    sku: str
    price: Decimal


def returning(value):
    """Return a tool that returns this value."""

    def give():
        """Gives."""
        return value

    return from_function(give)


SERIALISED: list[tuple[Any, str]] = [
    (4, "4"),
    (4.0, "4.0"),
    (True, "true"),
    (None, "null"),
    ([1, "two", None], '[1,"two",null]'),
    ({"a": 1, "b": None}, '{"a":1,"b":null}'),
    (OrderedDict(z=1, a=2), '{"z":1,"a":2}'),
    ((1, 2), "[1,2]"),
    ([], "[]"),
    ({}, "{}"),
    (Place("Ås 1"), '{"street":"Ås 1","zip":null}'),
    ([Place("a", 5)], '[{"street":"a","zip":5}]'),
    (Item(sku="å🙂", price=Decimal("1.50")), '{"sku":"å🙂","price":"1.50"}'),
    (Point(1, 2), "[1,2]"),
    (Color.RED, '"red"'),
    (date(2024, 1, 2), '"2024-01-02"'),
    (time(10, 30), '"10:30:00"'),
    (datetime(2024, 1, 2, tzinfo=UTC), '"2024-01-02T00:00:00Z"'),
    (timedelta(days=1), '"P1D"'),
    (UUID(int=0), '"00000000-0000-0000-0000-000000000000"'),
    (Decimal("1.50"), '"1.50"'),
    (Path("a/b"), '"a/b"'),
    (float("nan"), '"NaN"'),
    ([float("inf"), -float("inf")], '["Infinity","-Infinity"]'),
    ({1: "a"}, '{"1":"a"}'),
    (b"text", '"dGV4dA=="'),
    (SecretStr("hunter2"), '"**********"'),
    ({"æ": "ø"}, '{"æ":"ø"}'),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("value", "output"), SERIALISED, ids=[repr(value) for value, _ in SERIALISED])
def test_what_is_no_text_becomes_compact_json_plain_data_and_an_artifact(value, output):
    result = returning(value).run()
    assert (result.output, result.structured, result.error) == (output, json.loads(output), None)
    assert result.artifact is value


@pytest.mark.parametrize("text", ["", "plain", '{"looks": "like JSON"}', "æøå 🙂", "two\nlines"])
def test_text_stays_as_it_is(text):
    assert returning(text).run() == ToolResult(text)


def test_an_empty_set_and_a_generator_are_lists():
    assert returning({1}).run().output == "[1]"
    assert from_function(lambda: (n for n in (1, 2)), name="gen").run().output == "[1,2]"


def test_nothing_from_a_function_that_promises_nothing_is_a_success():
    def act() -> None:
        """Acts."""

    async def act_later() -> None:
        """Acts."""

    assert from_function(act).run() == ToolResult("Success")
    assert from_function(act_later).run() == ToolResult("Success")


def test_nothing_from_a_function_that_promises_something_is_null():
    def find() -> str | None:
        """Finds."""

    assert from_function(find).run() == ToolResult("null")


def test_something_from_a_function_that_promises_nothing_is_told():
    def act() -> None:
        """Acts."""
        return "after all"  # type: ignore[return-value]

    assert from_function(act).run() == ToolResult("after all")


@pytest.mark.parametrize(
    ("written", "result"),
    [
        (ToolResult.success({"a": 1}), ToolResult('{"a":1}', structured={"a": 1}, artifact={"a": 1})),  # type: ignore[arg-type]
        (ToolResult.success(0), ToolResult("0", structured=0, artifact=0)),  # type: ignore[arg-type]
        (
            ToolResult.success([1], structured={"b": 2}, artifact="c"),  # type: ignore[arg-type]
            ToolResult("[1]", structured={"b": 2}, artifact="c"),
        ),
        (ToolResult(None), ToolResult("")),  # type: ignore[arg-type]
        (ToolResult.failure(ValueError("broken"), "mine"), ToolResult(error="broken", error_code="mine")),  # type: ignore[arg-type]
        (ToolResult.failure({"a": 1}), ToolResult(error='{"a":1}')),  # type: ignore[arg-type]
    ],
)
def test_output_and_error_of_a_result_become_text(written, result):
    tool = returning(written)
    assert (tool.run(), tool.with_name("other").run()) == (result, result)


def test_a_result_is_passed_on_whole():
    whole = ToolResult.success("text", structured={"a": 1}, artifact=object())
    assert returning(whole).run() is whole
    failed = ToolResult.failure("no", 404)
    assert returning(failed).run() is failed


class Opaque:
    pass


class Broken(BaseModel):
    inner: Any


def endless():
    circle: list[Any] = []
    circle.append(circle)
    return circle


UNFIT: list[tuple[Any, str]] = [
    (Opaque(), "Opaque"),
    ([Opaque()], "list"),
    (Broken(inner=Opaque()), "Broken"),
    (endless(), "list"),
    ({("a", Opaque()): 1}, "dict"),
    (["\ud800"], "list"),
    (len, "builtin_function_or_method"),
]


@pytest.mark.parametrize(("value", "kind"), UNFIT, ids=[kind for _, kind in UNFIT])
def test_what_has_no_form_in_json_is_a_failed_result_that_names_the_type_after_the_work_was_done_once(value, kind):
    done = []

    def act():
        """Acts."""
        done.append("once")
        return value

    result = from_function(act).run()
    assert result.error is not None
    assert result.error.startswith(f"the tool succeeded, but its return value ({kind}) cannot be written as JSON: ")
    assert (result.error_code, result.output, done) == ("error", "", ["once"])


class Customer:
    """Has no form in JSON, and tools of its own."""

    def __init__(self, name):
        self.name = name

    @tool(read_only=True)
    def orders(self) -> int:
        """Count the orders."""
        return 3


class Named(Customer):
    def __str__(self):
        return f"the customer {self.name}"


def test_object_with_tools_of_its_own_needs_no_form_in_json():
    plain, named = Customer("Ada"), Named("Bob")
    for value, output, structured in (
        (plain, "<Customer>", None),
        (named, "the customer Bob", None),
        ([plain, named], '["<Customer>","the customer Bob"]', ["<Customer>", "the customer Bob"]),
        ({"found": plain}, '{"found":"<Customer>"}', {"found": "<Customer>"}),
    ):
        result = returning(value).run()
        assert (result.output, result.structured, result.artifact) == (output, structured, value)


def test_every_kind_of_tool_makes_the_same_of_what_its_work_returns():
    def give(**given: Any):
        return {"æ": [1]}

    class Giver:
        name, description = "giver", "Gives."

        def execute(self, text):
            return give()

    schema = {"type": "object", "properties": {}}
    tools = [
        returning(give()),
        Tool.create("by_hand", "Is made by hand.", schema, give),
        TypedTool(name="typed", description="Is typed.", input_type=Place, function=lambda place: give()),
        *from_object(Giver()),
    ]
    assert [tool.run({"street": "x"}) for tool in tools] == [
        ToolResult('{"æ":[1]}', structured={"æ": [1]}, artifact={"æ": [1]})
    ] * 4


def test_structured_data_is_no_part_of_what_was_returned():
    kept = {"list": [1]}
    result = returning(kept).run()
    result.structured["list"].append(2)
    assert (kept, result.artifact) == ({"list": [1]}, {"list": [1]})


def test_what_a_plain_function_gives_to_await_is_awaited():
    async def later(number: int) -> int:
        await asyncio.sleep(0)
        return number

    def hidden(number: int):
        """Hides a coroutine."""
        return later(number)

    tool = from_function(hidden)
    assert tool.run({"number": 5}).output == "5"

    async def main():
        return await tool.call({"number": 6})

    assert asyncio.run(main()).output == "6"


def test_what_a_model_is_sent():
    assert ToolResult("fine").text == "fine"
    assert ToolResult.failure("no").text == "Error: no"
    assert (ToolResult("fine").succeeded, ToolResult.failure("no").succeeded) == (True, False)


def test_a_result_never_changes():
    with pytest.raises(AttributeError):
        ToolResult().output = "other"  # type: ignore[misc]
