"""Events: plain data that never changes, with the names that records have."""

from copy import copy

import pytest

from toolkit import events
from toolkit.events import Event, Progress, ToolFinished, ToolStarted, as_record

KINDS = {
    "agent_finished",
    "agent_started",
    "approval_asked",
    "approval_decided",
    "batch_item_finished",
    "batch_item_started",
    "file_changed",
    "item_finished",
    "model_chose",
    "model_finished",
    "model_said",
    "model_started",
    "pipeline_finished",
    "pipeline_started",
    "progress",
    "run_finished",
    "run_started",
    "step_finished",
    "step_retried",
    "step_started",
    "tool_finished",
    "tool_started",
}


def test_kinds_are_the_names_that_records_have():
    classes = {value for value in vars(events).values() if isinstance(value, type) and issubclass(value, Event)}
    assert {cls.kind for cls in classes - {Event}} == KINDS


def test_a_record_has_the_kind_and_then_the_fields_in_their_order():
    event = ToolStarted(1, arguments={"city": "Oslo"}, tool="forecast")
    assert list(as_record(event).items()) == [
        ("event", "tool_started"),
        ("call", 1),
        ("tool", "forecast"),
        ("arguments", {"city": "Oslo"}),
    ]
    assert repr(event) == "ToolStarted(call=1, tool='forecast', arguments={'city': 'Oslo'})"


def test_events_that_say_the_same_are_equal_and_no_others():
    said = ToolFinished(1, "forecast", "success", "Sunny", None, None, 0.1)
    assert copy(said) == said
    assert hash(copy(said)) == hash(said)
    assert said != ToolFinished(2, "forecast", "success", "Sunny", None, None, 0.1)
    assert said != as_record(said)


def test_an_event_never_changes():
    event = Progress("forecast", "half", 1, 2, None)
    with pytest.raises(AttributeError, match="events are immutable"):
        event.done = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="events are immutable"):
        del event.done


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (("forecast",), {}),
        (("forecast", "half", 1, 2, None, 3), {}),
        (("forecast", "half", 1, 2), {"items": 2}),
        (("forecast", "half", 1, 2, None), {"of": 2}),
    ],
)
def test_an_event_is_not_made_without_all_its_fields_or_with_others(values, named):
    with pytest.raises(TypeError, match="Progress takes exactly tool, message, done, of, item"):
        Progress(*values, **named)


def test_an_event_of_ones_own_adds_to_the_fields_of_another():
    class ToolFailed(ToolStarted):
        """A call has failed."""

        reason: str

    event: Event = ToolFailed(1, "forecast", {}, "no network")
    assert as_record(event) == {
        "event": "tool_failed",
        "call": 1,
        "tool": "forecast",
        "arguments": {},
        "reason": "no network",
    }
    match event:
        case ToolFailed(call, reason=reason):
            assert (call, reason) == (1, "no network")
