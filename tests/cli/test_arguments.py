"""Whatever stands on the command line becomes the arguments it says, or a Problem; never anything else."""

import json
from decimal import Decimal
from typing import NotRequired, TypedDict

import pytest
from hypothesis import given, strategies as st

from toolkit import Tool, from_function
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections  # private

JSON_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


def many(text: str, count: int = 0, ratio: float = 0.0, flag: bool = False, names: list[str] = [], data: dict = {}):  # noqa: B006
    """Take one of each."""


TOOL = from_function(many)
TAGS = {"type": "array", "items": {"type": "string"}}


def gathered(*words, **options):
    result = gather_arguments(TOOL, Given(words, **options))
    return result.arguments, [problem.message for problem in result.problems]


@given(st.text().filter(lambda text: not text.startswith("@")))
def test_a_text_arrives_as_it_was_written(text):
    assert gathered(f"text={text}") == ({"text": text}, [])


@given(JSON_DATA)
def test_json_arrives_as_the_data_that_it_is(data):
    assert gathered(f"data:={json.dumps(data)}") == ({"data": data}, [])
    assert gathered(whole=json.dumps({"data": data})) == ({"data": data}, [])


@given(st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_and_booleans_arrive_as_such(count, flag, ratio):
    arguments, problems = gathered(f"count={count}", f"flag={json.dumps(flag)}", f"ratio={ratio!r}")
    assert (arguments, problems) == ({"count": count, "flag": flag, "ratio": ratio}, [])


@given(st.lists(st.text().filter(lambda text: not text.startswith("@")), min_size=2))
def test_what_is_said_several_times_is_a_list(names):
    assert gathered(*(f"names={name}" for name in names)) == ({"names": names}, [])


@given(st.lists(st.text(), max_size=4), st.none() | st.text(), st.none() | st.text())
def test_no_words_whatever_bring_the_reading_down(words, whole, text):
    result = gather_arguments(TOOL, Given(words, whole, text))
    found = [*result.problems, *(one.problem for one in objections(TOOL, result.arguments))]
    assert all(problem.message for problem in found)


@given(st.text().filter(lambda text: "=" not in text))
def test_a_text_without_a_name_is_the_one_text_that_the_tool_takes(text):
    assert gathered(text) == ({"text": text}, [])
    assert gathered(text=text if text != "-" else "") == ({"text": text if text != "-" else ""}, [])


def test_a_json_object_of_arguments_is_no_text_unless_it_is_said_to_be_one():
    whole, misspelt, other = '{"text": "a", "count": 2}', '{"txet": "a"}', '{"city": "Oslo"}'
    assert gathered(whole) == ({"text": "a", "count": 2}, [])
    assert gathered(misspelt) == ({"txet": "a"}, ["many has no argument 'txet'"])
    assert gathered(other) == ({"text": other}, [])
    assert gathered(text=whole) == ({"text": whole}, [])
    assert gathered(piped=lambda: whole) == ({"text": whole}, [])
    assert gathered("text=b", whole) == ({"text": "b", "count": 2}, [])


@given(st.text())
def test_what_is_piped_is_only_read_where_it_is_wanted(text):
    def unwanted():
        raise AssertionError

    assert gathered(piped=lambda: text)[0] == ({"text": text} if text else {})
    assert gathered("text=given", piped=unwanted) == ({"text": "given"}, [])


class Person(TypedDict):
    name: str
    age: NotRequired[int]


def meet(people: list[Person], money: Decimal = Decimal(0)) -> str:
    """Meet people."""
    return f"{people} {money}"


def test_a_key_inside_a_record_is_refused_as_an_argument_is():
    result = gather_arguments(
        from_function(meet), Given(['people:=[{"name": "Ada", "aeg": 3}, {"name": "B", "x": 1}]'])
    )
    assert [(problem.message, problem.hint) for problem in result.problems] == [
        ("meet has no argument 'people[0].aeg'", "did you mean 'age'?"),
        ("meet has no argument 'people[1].x'", "it takes name, age"),
    ]


def test_an_amount_of_money_keeps_all_its_digits(invoke, project):
    (project / "pay.py").write_text(
        "from decimal import Decimal\n\nfrom toolkit import tool\n\n\n@tool\ndef pay(money: Decimal) -> str:\n"
        '    """Pays."""\n    return str(money)\n'
    )
    for words in (["money=1234567890.123456789"], ["money:=1234567890.123456789"], ["--args", '{"money": 1.50}']):
        digits = words[-1].rstrip("}").split(" ")[-1].split("=")[-1]
        assert invoke("run", "pay.py:pay", *words).stdout == f"{digits}\n"


LISTS = {
    "in a definition": ({"$ref": "#/definitions/Tags"}, {"definitions": {"Tags": TAGS}}),
    "in a definition of today": ({"$ref": "#/$defs/Tags"}, {"$defs": {"Tags": TAGS}}),
    "in a definition with a description": (
        {"allOf": [{"$ref": "#/definitions/Tags"}], "description": "Some tags."},
        {"definitions": {"Tags": TAGS}},
    ),
    "of another parameter": ({"$ref": "#/properties/others"}, {}),
    "by an anchor": ({"$ref": "#Tags"}, {"$defs": {"Tags": {"$anchor": "Tags", **TAGS}}}),
    "or nothing": ({"anyOf": [{"$ref": "#/definitions/Tags"}, {"type": "null"}]}, {"definitions": {"Tags": TAGS}}),
}


@pytest.mark.parametrize("place", LISTS)
def test_words_between_commas_are_a_list_wherever_its_schema_stands(place):
    tags, beside = LISTS[place]
    schema = {"type": "object", "properties": {"tags": tags, "others": TAGS}} | beside
    tool = Tool.create("mark", "Mark something.", schema, lambda **_: "done")
    assert gather_arguments(tool, Given(["tags=a,b"])).arguments == {"tags": ["a", "b"]}
    assert gather_arguments(tool, Given(["tags=a", "tags=b"])).arguments == {"tags": ["a", "b"]}
