"""Tools made by hand: a JSON Schema, and a function that takes the arguments by keyword."""

import asyncio
from pathlib import Path

import pytest

from toolkit import InvalidTools, Tool, ToolContext, ToolResult, ToolSpec
from toolkit.approvals import Risk
from toolkit.problems import Location

WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "City name", "minLength": 2, "maxLength": 20, "pattern": "^[A-Z]"},
        "country": {"type": "string", "enum": ["NO", "FR"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 7, "multipleOf": 1},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "deep": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
        "place": {"$ref": "#/$defs/place"},
        "extra": {"type": ["string", "null"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
        "one": {"oneOf": [{"const": 1}, {"const": "one"}]},
        "all": {"allOf": [{"type": "integer"}, {"minimum": 5, "type": "integer"}]},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "closed": {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
        "open": {"type": "object", "properties": {"a": {"type": "integer"}}},
        "list": {"type": "array"},
        "any": {},
        "yes": True,
        "no": False,
        "untyped": {"properties": {"a": {"type": "integer"}}},
    },
    "required": ["city", "country"],
    "$defs": {
        "place": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "inside": {"$ref": "#/$defs/place"}},
            "required": ["name"],
        }
    },
}


def weather(**given):
    """Receives the weather."""
    return given


def made(parameters=WEATHER, function=weather, **options):
    return Tool.create("weather", "Tells the weather.", parameters, function, **options)


def test_the_specification_is_what_was_given():
    tool = made(read_only=True, category="sky", examples=[{"city": "Oslo"}], metadata={"anthropic": {"a": 1}})
    line = next(n for n, text in enumerate(Path(__file__).read_text("utf-8").splitlines(), 1) if "def weather(" in text)
    assert tool.spec == ToolSpec(
        "weather",
        "Tells the weather.",
        WEATHER,
        read_only=True,
        category="sky",
        examples=({"city": "Oslo"},),
        metadata={"anthropic": {"a": 1}},
    )
    assert tool.spec.location == Location(__file__, line, 5, line, 12)
    assert tool.spec.definition == {"name": "weather", "description": "Tells the weather.", "parameters": WEATHER}
    assert (tool.spec.required, list(tool.spec.properties)[:2]) == (("city", "country"), ["city", "country"])


BASE = {"city": "Oslo", "country": "NO"}

ACCEPTED = [
    ({}, {}),
    ({"unknown": 1}, {}),
    ({"days": "3"}, {"days": 3}),
    ({"days": 3.0}, {"days": 3}),
    ({"ratio": "0.5"}, {"ratio": 0.5}),
    ({"deep": True}, {"deep": True}),
    ({"tags": ["a", 5]}, {"tags": ["a", "5"]}),
    (
        {"place": {"name": "a", "inside": {"name": "b", "more": 1}}},
        {"place": {"name": "a", "inside": {"name": "b", "more": 1}}},
    ),
    ({"extra": None}, {"extra": None}),
    ({"days": None}, {}),
    ({"either": True}, {"either": True}),
    ({"either": 3}, {"either": 3}),
    ({"one": "one"}, {"one": "one"}),
    ({"all": 5}, {"all": 5}),
    ({"map": {"a": "1"}}, {"map": {"a": 1}}),
    ({"closed": {"a": [1]}}, {"closed": {"a": [1]}}),
    ({"open": {"a": 1, "b": 2}}, {"open": {"a": 1, "b": 2}}),
    ({"list": [1, "a", None]}, {"list": [1, "a", None]}),
    ({"any": {"x": [1]}, "yes": 5}, {"any": {"x": [1]}, "yes": 5}),
    ({"untyped": {"a": "5"}}, {"untyped": {"a": 5}}),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("sent", "received"), ACCEPTED, ids=str)
def test_arguments_that_fit_reach_the_function(sent, received):
    assert made().run(BASE | sent).structured == BASE | received


REFUSED = [
    ({"days": 0}, "Invalid parameter 'days': should be greater than or equal to 1, not 0"),
    ({"days": 5.5}, "Invalid parameter 'days': must be a whole number, not 5.5"),
    ({"days": True}, "Invalid parameter 'days': must be a whole number, not true"),
    ({"ratio": 1}, "Invalid parameter 'ratio': should be less than 1, not 1"),
    ({"deep": "true"}, "Invalid parameter 'deep': should be a valid boolean, not \"true\""),
    ({"city": "oslo"}, "Invalid parameter 'city': string should match pattern '^[A-Z]', not \"oslo\""),
    ({"city": "O"}, "Invalid parameter 'city': string should have at least 2 characters, not \"O\""),
    ({"country": "SE"}, "Invalid parameter 'country': should be 'NO' or 'FR', not \"SE\""),
    ({"tags": []}, "Invalid parameter 'tags': list should have at least 1 item, not 0"),
    ({"tags": [[]]}, "Invalid parameter 'tags[0]': should be a valid string, not an array"),
    ({"place": {"inside": {}}}, "Missing required parameter(s): place.name, place.inside.name"),
    ({"one": True}, "Invalid parameter 'one': should be 1, not true or should be 'one', not true"),
    ({"all": 4}, "Invalid parameter 'all': should be greater than or equal to 5, not 4"),
    ({"map": {"a": "x"}}, "Invalid parameter 'map.a': must be a whole number, not \"x\""),
    ({"closed": {"b": 1}}, "Invalid parameter 'closed.b': extra inputs are not permitted, not 1"),
    ({"no": 1}, "Invalid parameter 'no': must be omitted, not 1"),
    ({"city": None, "country": None}, "Missing required parameter(s): city, country"),
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("sent", "message"), REFUSED, ids=str)
def test_arguments_that_do_not_fit_are_refused(sent, message):
    assert made().run(BASE | sent) == ToolResult(error=message, error_code="invalid_arguments")


DAY = {"type": "object", "properties": {"day": {"enum": ["today", "tomorrow"]}}, "required": ["day"]}
SPAN = {"type": "object", "properties": {"from": {}, "to": {}}, "required": ["from", "to"]}
FILE = {"type": "object", "properties": {"kind": {"const": "file"}, "mode": {"enum": ["a", "b"]}}, "required": ["kind"]}
PAGE = {"type": "object", "properties": {"kind": {"const": "page"}, "url": {}}, "required": ["kind", "url"]}
UNIONS = [
    ([DAY, SPAN], {"day": "monday"}, "Invalid parameter 'when.day': should be 'today' or 'tomorrow', not \"monday\""),
    ([FILE, PAGE], {"kind": "file", "mode": "z"}, "Invalid parameter 'when.mode': should be 'a' or 'b', not \"z\""),
    ([FILE, PAGE], {"kind": "page"}, "Missing required parameter(s): when.url"),
]


@pytest.mark.parametrize(("kinds", "sent", "message"), UNIONS)
def test_refusal_is_about_the_kind_that_an_object_says_it_is(kinds, sent, message):
    schema = {"type": "object", "properties": {"when": {"anyOf": kinds}}, "required": ["when"]}
    tool = Tool.create("look", "Look.", schema, lambda when: {"seen": when})
    assert tool.run({"when": sent}) == ToolResult(error=message, error_code="invalid_arguments")


def test_an_async_function_is_awaited_and_the_context_is_given():
    async def later(city, context: ToolContext):
        await asyncio.sleep(0)
        return f"{city} {context['tenant']}"

    tool = made({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}, later)
    assert tool.suspends
    assert tool.run({"city": "Oslo", "context": 1}, ToolContext({"tenant": "acme"})).output == "Oslo acme"


def test_its_marks_make_its_risk():
    tool = made(destructive=True, open_world=True, requires_approval=True)
    assert tool.spec.risk == Risk("weather", __file__, requires_approval=True, destructive=True, open_world=True)


def problems_of(name="weather", parameters=WEATHER, function=weather, **options):
    with pytest.raises(InvalidTools) as caught:
        Tool.create(name, "Tells the weather.", parameters, function, **options)
    return [(problem.code, problem.message, problem.hint) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "the parameters of 'weather' must be a JSON Schema of type 'object'"),
        ({"type": "array"}, "the parameters of 'weather' must be a JSON Schema of type 'object'"),
        (
            {"type": "object", "properties": {"city": {}}, "required": "city"},
            "the schema cannot be checked: it has \"city\" as its 'required', which must be a list of different names",
        ),
        (
            {"type": "object", "properties": {"a": {"enum": "NO"}}},
            "the schema cannot be checked: it has \"NO\" as its 'enum', which must be a list with at least one value",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "strng"}}},
            (
                "the schema cannot be checked: it has \"strng\" as its 'type', which must be one of string, integer, number, boolean, "
                "array, object, null, or a list of different ones"
            ),
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/X"}}},
            "the schema cannot be checked: it does not define '#/$defs/X'",
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}},
            "the schema cannot be checked: missing ), unterminated subpattern at position 0",
        ),
        (
            {"type": "object", "properties": {"a": 5}},
            "the schema cannot be checked: it has {\"a\": 5} as its 'properties', which must be an object with a schema for each name",
        ),
        (
            {"type": "object", "$defs": {"x": "y"}},
            'the schema cannot be checked: it has {"x": "y"} as its \'$defs\', which must be an object with a schema for each name',
        ),
    ],
)
def test_a_schema_that_cannot_be_checked_is_refused(parameters, message):
    assert ("TK302", message) in [problem[:2] for problem in problems_of(parameters=parameters)]


def test_everything_wrong_is_told_at_once():
    assert problems_of("get weather", {"type": "array"}, max, destructiv=True, read_only="yes") == [
        (
            "TK101",
            "invalid tool name 'get weather': only letters, digits, underscores and hyphens are allowed",
            "call it 'get_weather'",
        ),
        ("TK323", "unknown option 'destructiv'", "did you mean 'destructive' or 'strict'?"),
        ("TK323", "read_only must be True or False, not 'yes'", None),
        ("TK302", "the parameters of 'get weather' must be a JSON Schema of type 'object'", None),
        (
            "TK321",
            "the signature of the function cannot be read: no signature found for builtin <built-in function max>",
            None,
        ),
    ]


def test_a_schema_and_a_function_that_disagree_are_refused():
    def tell(city, days, hours=5):
        """Tells."""

    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "day": {}, "hours": {}},
        "required": ["city"],
    }
    assert problems_of(parameters=schema, function=tell) == [
        ("TK302", "parameter 'day' of the schema is not a parameter of the function", "did you mean 'days'?"),
        ("TK302", "the function requires 'days', but the schema does not", None),
    ]


def test_a_specification_by_hand_must_have_a_name_and_an_object():
    with pytest.raises(InvalidTools) as caught:
        ToolSpec(" ", parameters={"type": "array"})
    assert [str(problem) for problem in caught.value.problems] == [
        "error[TK101]: the name of a tool must not be blank",
        "error[TK302]: the parameters of ' ' must be a JSON Schema of type 'object'",
    ]
    assert ToolSpec("remote.tool-name").definition == {
        "name": "remote.tool-name",
        "parameters": {"type": "object", "properties": {}},
    }


def test_a_count_may_be_written_with_a_point():
    words = {"type": "array", "items": {"type": "string", "minLength": 3.0}, "minItems": 1.0, "maxItems": 2.0}
    schema = {"type": "object", "properties": {"words": words}, "required": ["words"]}
    tool = Tool.create("join", "Joins words.", schema, lambda words: f"{words}")
    assert tool.run({"words": ["one", "two"]}).output == "['one', 'two']"
    assert [tool.run({"words": wrong}).succeeded for wrong in ([], ["no"], ["one"] * 3)] == [False] * 3
