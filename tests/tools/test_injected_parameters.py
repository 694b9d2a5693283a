"""Parameters that the context fills: in no schema, and never set by the arguments of a call."""

import asyncio
from typing import Annotated, Optional

import pytest
from hypothesis import given, strategies as st

from toolkit import ConfigurationError, MemoryId, Tool, ToolContext, TypedTool, from_function, from_object, tool
from toolkit.tools import RecordingMetrics

CONTEXT = ToolContext({"tenant": "acme"}, memory_id="ada")


def first(context: ToolContext, key: str) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


def last(key: str, context: ToolContext) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


def keyword(key: str, *, context: ToolContext) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


def position(context: ToolContext, key: str, /) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


def optional(key: str, context: ToolContext | None = None) -> str:
    """Saves."""
    assert context is not None
    return f"{key} {context['tenant']}"


def old_optional(key: str, context: Optional[ToolContext] = None) -> str:  # noqa: UP045 - the older way to write it
    """Saves."""
    assert context is not None
    return f"{key} {context['tenant']}"


def other_name(key: str, whatever: ToolContext) -> str:
    """Saves."""
    return f"{key} {whatever['tenant']}"


def described(key: str, context: Annotated[ToolContext, "what the caller hands in"]) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


async def later(key: str, context: ToolContext) -> str:
    """Saves."""
    return f"{key} {context['tenant']}"


class Methodical:
    @tool
    def method(self, key: str, context: ToolContext) -> str:
        """Saves."""
        return f"{key} {context['tenant']}"


FUNCTIONS = [first, last, keyword, position, optional, old_optional, other_name, described, later, Methodical().method]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_context_is_given_in_any_position_and_told_to_no_model(function):
    made = from_function(function)
    assert made.spec.parameters == {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
    assert made.run({"key": "theme"}, CONTEXT).output == "theme acme"
    sent = {"key": "theme", "context": {"values": {"tenant": "evil"}}, "whatever": {"tenant": "evil"}}
    assert made.run(sent, CONTEXT).output == "theme acme"
    assert made.uses_context

    async def main():
        return await made.call({"key": "theme"}, CONTEXT)

    assert asyncio.run(main()).output == "theme acme"


def remember(key: str, user: Annotated[str, MemoryId]) -> str:
    """Remembers."""
    return f"{key} of {user}"


def remember_with_instance(key: str, user: Annotated[str, MemoryId()] = "") -> str:
    """Remembers."""
    return f"{key} of {user}"


BY_HAND = Tool.create(
    "remember",
    "Remembers.",
    {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"], "additionalProperties": True},
    remember,
)


@pytest.mark.parametrize("made", [from_function(remember), from_function(remember_with_instance), BY_HAND])
def test_a_memory_id_is_given_and_what_a_model_sends_under_its_name_is_ignored(made):
    assert list(made.spec.properties) == ["key"]
    assert made.run({"key": "theme", "user": "eve"}, CONTEXT).output == "theme of ada"
    assert made.run('{"key": "theme", "user": "eve"}', CONTEXT.replace(chosen_by="model")).output == "theme of ada"


@given(st.dictionaries(st.sampled_from(["key", "user", "context"]), st.text() | st.none() | st.booleans()))
def test_no_arguments_set_what_is_injected(arguments):
    def probe(user: Annotated[str, MemoryId], context: ToolContext, key: str = "") -> list[str]:
        """Probes."""
        return [user, context["tenant"]]

    result = from_function(probe).run(arguments, CONTEXT)
    assert result.error_code == "invalid_arguments" or result.structured == ["ada", "acme"]


@pytest.mark.parametrize("made", [from_function(remember), from_function(remember_with_instance), BY_HAND])
def test_a_missing_memory_id_is_a_configuration_error(made):
    metrics = RecordingMetrics()
    with pytest.raises(ConfigurationError) as caught:
        made.run({"key": "theme", "user": "eve"}, ToolContext(metrics=metrics))
    assert str(caught.value) == (
        f"tool {made.name!r} needs a memory id, but the context has none; "
        "write ToolContext(memory_id=…), or --memory-id on the command line"
    )
    assert metrics.records == []


def test_a_tool_that_does_not_look_at_the_context_says_so():
    assert not from_function(lambda key: key, name="keyed").uses_context
    assert from_function(last).with_name("renamed").uses_context


class Saying:
    name, description = "saying", "Says."

    def __init__(self, execute):
        self.execute = execute


@pytest.mark.parametrize(
    ("execute", "output"),
    [
        (lambda text: text, "x"),
        (lambda text, context: f"{text} {context['tenant']}", "x acme"),
        (lambda text, *, context=None: f"{text} {context['tenant']}", "x acme"),
        (lambda text, loud=False, context=None: f"{text} {loud} {context['tenant']}", "x False acme"),
        (lambda text, anything: f"{text} {anything['tenant']}", "x acme"),
        (lambda text, loud=False: f"{text} {loud}", "x False"),
        (last, "x acme"),
        (other_name, "x acme"),
        (later, "x acme"),
    ],
)
def test_execute_takes_the_context_by_its_type_its_name_or_as_its_second_parameter(execute, output):
    (saying,) = from_object(Saying(execute))
    assert saying.run({"input": "x"}, CONTEXT).output == output


def test_a_typed_tool_takes_the_context_too():
    class Save(TypedTool[dict[str, str]]):
        name = "save"
        description = "Saves."

        async def execute(self, input, context: ToolContext):
            return f"{input['key']} {context['tenant']}"

    assert Save().run({"key": "theme"}, CONTEXT).output == "theme acme"
