"""What a model sends is read as it means it, where the schema would refuse it; what a person writes is not."""

import json
import logging
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, Literal

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import Continue, Reviewer, Tool, ToolContext, TypedTool, from_function, from_object
from toolkit.events import Event, ToolStarted
from toolkit.tools.argument_repairs import as_meant  # private

BY_MODEL = ToolContext(chosen_by="model")


class Colour(Enum):
    RED = "red"
    BLUE = "Blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


@dataclass
class Person:
    name: str
    tags: list[str] = field(default_factory=list)
    is_old: bool = False


def take(
    *,
    person: Person | None = None,
    people: list[Person] | None = None,
    colour: Colour | None = None,
    size: Size | None = None,
    unit: Literal["C", "F"] | None = None,
    flag: bool | None = None,
    either: list[int] | str | None = None,
    scores: dict[str, bool] | None = None,
    anything: Any = None,
) -> str:
    """Takes much."""
    return repr([one for one in locals().values() if one is not None])


TAKE = from_function(take)

MEANT = [
    ({"person": '{"name": "Ada"}'}, [Person("Ada")]),
    ({"person": {"name": "Ada", "tags": '["a", "b"]', "is_old": "TRUE"}}, [Person("Ada", ["a", "b"], is_old=True)]),
    ({"people": '[{"name": "Ada", "is_old": "true"}]'}, [[Person("Ada", is_old=True)]]),
    ({"people": ['{"name": "Ada"}']}, [[Person("Ada")]]),
    ({"colour": "BLUE"}, [Colour.BLUE]),
    ({"colour": "blue "}, [Colour.BLUE]),
    ({"size": "large"}, [Size.LARGE]),
    ({"size": "LARGE"}, [Size.LARGE]),
    ({"unit": "f"}, ["F"]),
    ({"flag": "true"}, [True]),
    ({"scores": '{"a": "true"}'}, [{"a": True}]),
]


@pytest.mark.parametrize(("sent", "taken"), MEANT)
def test_what_a_model_means_is_taken_and_logged(sent, taken, caplog):
    with caplog.at_level(logging.INFO, logger="toolkit.tools.take"):
        assert TAKE.run(json.dumps(sent), BY_MODEL).output == repr(taken)
    assert f"take: corrected what the model sent: '{next(iter(sent))}" in caplog.text
    assert TAKE.run(sent, BY_MODEL).output == repr(taken)


@given(st.lists(st.sampled_from([sent for sent, _ in MEANT]), max_size=6))
@settings(max_examples=examples(500), deadline=None)
def test_what_was_read_before_changes_nothing(calls):
    tool = from_function(take)
    assert [as_meant(tool, one) for one in calls] == [as_meant(from_function(take), one) for one in calls]


@pytest.mark.parametrize(("sent", "taken"), MEANT)
def test_what_a_person_sends_is_taken_as_it_stands(sent, taken):
    assert TAKE.run(json.dumps(sent)).error_code == "invalid_arguments"
    assert TAKE.run(sent).error_code == "invalid_arguments"


@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ({"either": "[1, 2]"}, ["[1, 2]"]),
        ({"anything": '{"a": "true"}'}, ['{"a": "true"}']),
        ({"person": {"name": '{"a": 1}'}}, [Person('{"a": 1}')]),
    ],
)
def test_what_fits_as_it_is_written_is_never_read_otherwise(sent, taken, caplog):
    with caplog.at_level(logging.INFO, logger="toolkit.tools.take"):
        assert TAKE.run(json.dumps(sent), BY_MODEL).output == repr(taken)
    assert "read as" not in caplog.text


@pytest.mark.parametrize(
    "sent", [{"person": "Ada"}, {"person": "[1]"}, {"flag": "yes"}, {"colour": "green"}, {"flag": 1}, {"size": "huge"}]
)
def test_what_cannot_be_told_is_refused(sent):
    assert TAKE.run(json.dumps(sent), BY_MODEL).error_code == "invalid_arguments"


def test_arguments_written_as_json_twice_are_read_for_a_model_alone():
    sent = json.dumps(json.dumps({"unit": "F"}))
    assert TAKE.run(sent, BY_MODEL).output == "['F']"
    assert TAKE.run(sent).error == "Expected a JSON object but received: a string"


def test_a_text_that_two_choices_fit_is_refused():
    def choose(letter: Literal["a", "A"]) -> str:
        """Chooses."""
        return letter

    tool = from_function(choose)
    assert [tool.run({"letter": one}, BY_MODEL).output for one in ("a", "A")] == ["a", "A"]
    assert tool.run({"letter": " a"}, BY_MODEL).error_code == "invalid_arguments"


def test_every_kind_of_tool_is_read_alike():
    class Greeting(TypedTool[Person]):
        name = "greeting"
        description = "Greets."

        def execute(self, person: Person) -> str:
            return repr(person)

    schema = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "boolean"}}}}
    by_hand = Tool.create("tagging", "Tags.", schema, lambda tags=(): repr(tags))
    assert Greeting().run({"name": "Ada", "tags": '["x"]'}, BY_MODEL).output == repr(Person("Ada", ["x"]))
    assert by_hand.run('{"tags": ["true", false]}', BY_MODEL).output == "[True, False]"


class Asked(Reviewer):
    def __init__(self):
        self.requests = []

    async def review(self, request):
        self.requests.append(request)
        return Continue()


def test_a_question_shows_and_an_event_tells_what_will_run():
    def pay(to: Person, at_once: bool) -> str:
        """Pays."""
        return repr((to, at_once))

    reviewer, events = Asked(), list[Event]()
    context = ToolContext(reviewer=reviewer, listener=events.append, chosen_by="model")
    result = from_function(pay).run('{"to": "{\\"name\\": \\"Ada\\"}", "at_once": "true"}', context)
    assert result.output == repr((Person("Ada"), True))
    [request] = reviewer.requests
    assert request.arguments == {"to": {"name": "Ada", "tags": [], "is_old": False}, "at_once": True}
    started = next(event for event in events if isinstance(event, ToolStarted))
    assert started.arguments == {"to": {"name": "Ada"}, "at_once": True}


def test_a_secret_inside_json_text_is_hidden():
    @dataclass
    class Login:
        user: str
        password: str

    def sign_in(login: Login) -> str:
        """Signs in."""
        return login.user

    events = list[Event]()
    context = ToolContext(listener=events.append, chosen_by="model")
    from_function(sign_in).run('{"login": "{\\"user\\": \\"ada\\", \\"password\\": \\"hunter2\\"}"}', context)
    assert "hunter2" not in repr(events)


def test_a_misspelt_parameter_is_named_to_whoever_sent_it():
    def read(input: str, limit: int = 3) -> str:
        """Reads."""
        return f"{input} {limit}"

    tool = from_function(read)
    refused = "Missing required parameter(s): input; Unknown parameter 'inptu': did you mean 'input'?"
    assert tool.run('{"inptu": "x"}', BY_MODEL).error == refused
    assert tool.run('{"inptu": "x"}').error == refused
    ignored = tool.run('{"input": "x", "limt": 4, "z": 1}', BY_MODEL)
    assert (ignored.output, ignored.remark) == (
        "x 3",
        "Parameter 'limt' is unknown and was ignored; did you mean 'limit'?",
    )
    assert tool.run('{"input": "x", "limt": 4}').remark == ""


def test_a_misspelt_key_inside_a_record_is_named_as_a_parameter_is():
    refused = TAKE.run({"people": [{"nmae": "Ada"}]})
    assert refused.error == (
        "Missing required parameter(s): people[0].name; Unknown parameter 'people[0].nmae': did you mean 'name'?"
    )
    ignored = TAKE.run({"person": {"name": "Ada", "tag": ["x"]}}, BY_MODEL)
    assert ignored.remark == "Parameter 'person.tag' is unknown and was ignored; did you mean 'tags'?"


def test_a_text_tool_takes_whatever_a_model_sends():
    class Echo:
        name = "echo"
        description = "Echoes."

        def execute(self, text):
            return text

    (tool,) = from_object(Echo())
    for sent, output in (('{"input": "[1]"}', "[1]"), ("[1]", "[1]"), ('"{\\"input\\": \\"x\\"}"', "x"), ("x", "x")):
        assert tool.run(sent, BY_MODEL).output == output


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=examples(1_000))
@given(st.dictionaries(st.sampled_from([*TAKE.spec.properties, "other"]), VALUES, max_size=4))
def test_whatever_is_right_as_it_stands_means_the_same_from_a_model(sent):
    by_person = TAKE.run(sent)
    if by_person.succeeded:
        assert TAKE.run(sent, BY_MODEL).output == by_person.output
        assert TAKE.run(json.dumps(sent), BY_MODEL).output == TAKE.run(json.dumps(sent)).output
