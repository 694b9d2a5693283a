"""What the caller hands in: it never changes, and merging is explicit."""

import pytest

from toolkit import ConfigurationError, Continue, ExitEarlyError, ToolContext
from toolkit.approvals import AutoReviewer, Gate, RefusingReviewer
from toolkit.events import PipelineFinished, PipelineStarted
from toolkit.tools import NO_CONTEXT, NO_METRICS, RecordingMetrics


def test_values_are_read_like_those_of_a_mapping():
    context = ToolContext({"tenant": "acme", "none": None})
    assert (context["tenant"], context.get("tenant"), context.get("other"), context.get("other", 5)) == (
        "acme",
        "acme",
        None,
        5,
    )
    assert ("tenant" in context, "other" in context, "none" in context) == (True, False, True)


@pytest.mark.parametrize(("values", "known"), [({"b": 1, "a": 2}, "a, b"), ({}, "none")])
def test_an_unknown_value_is_told_with_the_known_ones(values, known):
    with pytest.raises(KeyError) as caught:
        ToolContext(values)["other"]
    assert caught.value.args == (f"the context has no value 'other' (it has: {known})",)


def test_a_context_never_changes():
    values = {"tenant": "acme"}
    context = ToolContext(values)
    values["tenant"] = "other"
    assert context["tenant"] == "acme"
    with pytest.raises(AttributeError, match=r"a ToolContext is immutable; use context.replace\(memory_id=…\)"):
        context.memory_id = "eve"


def test_replacing_gives_another_context():
    context = ToolContext({"a": 1}, memory_id="ada")
    other = context.replace(memory_id="eve", agent="clerk")
    assert (context.memory_id, other.memory_id, other["a"], other.agent) == ("ada", "eve", 1, "clerk")
    with pytest.raises(TypeError, match="a ToolContext has no attribute 'memoryid'"):
        context.replace(memoryid="eve")


def test_nothing_secret_is_in_the_repr():
    assert repr(ToolContext({"token": "hunter2", "a": 1}, memory_id="ada")) == (
        "ToolContext(['a', 'token'], memory_id='ada')"
    )


def test_merging_lays_the_inner_context_over_the_outer_one():
    gate, metrics, inner_gate = Gate(), RecordingMetrics(), Gate(AutoReviewer())
    outer = ToolContext({"a": 1, "b": 1}, memory_id="ada", gate=gate, metrics=metrics, agent="clerk", loop_id="1")
    inner = ToolContext({"b": 2, "c": 2}, gate=inner_gate, loop_id="2", chosen_by="model", place="step 1/2")
    merged = outer.merge(inner)
    assert dict(merged.values) == {"a": 1, "b": 2, "c": 2}
    assert (merged.memory_id, merged.gate, merged.metrics, merged.agent) == ("ada", inner_gate, metrics, "clerk")
    assert (merged.loop_id, merged.chosen_by, merged.place) == ("2", "model", "step 1/2")
    assert outer.merge(NO_CONTEXT).gate is gate
    assert outer.merge(None) is outer
    assert NO_CONTEXT.merge(inner).gate is inner_gate


def test_merging_never_makes_a_persons_choice_of_a_models():
    by_model = ToolContext(chosen_by="model")
    assert by_model.merge(ToolContext(chosen_by="person")).chosen_by == "model"


def test_a_reviewer_and_a_policy_make_one_gate():
    reviewer = AutoReviewer()
    context = ToolContext(reviewer=reviewer)
    assert context.gate is not None
    assert (context.gate.reviewer, context.can_ask) == (reviewer, True)
    assert not ToolContext(reviewer=RefusingReviewer()).can_ask
    assert not ToolContext(gate=Gate()).can_ask
    assert not NO_CONTEXT.can_ask


def test_a_gate_and_what_would_make_another_one_are_too_much():
    with pytest.raises(ConfigurationError, match="takes either a gate, or a reviewer and a policy, but not both"):
        ToolContext(gate=Gate(), reviewer=AutoReviewer())


def test_an_empty_context_asks_nobody_and_counts_nothing():
    assert (NO_CONTEXT.gate, NO_CONTEXT.listener, NO_CONTEXT.chosen_by, NO_CONTEXT.agent) == (
        None,
        None,
        "person",
        "unknown",
    )
    assert NO_CONTEXT.metrics is NO_METRICS
    assert NO_CONTEXT.request_approval("May I?") == Continue()


def reported(context, work):
    with context.reporting(
        lambda call: PipelineStarted(call, "report", 1),
        lambda call, _: PipelineFinished(call, "report", "success", None, 0.0),
    ) as call:
        return work(call)


def test_what_is_reported_has_one_start_and_one_finish_however_it_ends():
    heard = []
    context = ToolContext(listener=heard.append)

    def interrupted(call):
        heard.append(call)
        raise ExitEarlyError("that is enough")

    with pytest.raises(ExitEarlyError):
        reported(context, interrupted)
    [call] = [one for one in heard if isinstance(one, int)]
    assert heard == [
        PipelineStarted(call, "report", 1),
        call,
        PipelineFinished(call, "report", "success", None, 0.0),
    ]


def test_nothing_is_made_of_a_report_that_nobody_hears():
    def made(*_):
        raise AssertionError("an event was made")

    with ToolContext().reporting(made, made) as call:
        assert call == 0
