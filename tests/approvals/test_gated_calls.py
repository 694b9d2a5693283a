"""A gated call: what the reviewer sees, what each answer does, and that nothing but a plain yes runs anything."""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from toolkit import (
    ConfigurationError,
    Continue,
    Edit,
    ExitEarly,
    ExitEarlyError,
    Reject,
    ReviewRequest,
    Tool,
    ToolContext,
    ToolExecutionError,
    ToolResult,
    from_function,
)
from toolkit.approvals import AutoReviewer, Demand, Gate, RefusingReviewer, Risk, ScriptedReviewer
from toolkit.errors import Signal
from toolkit.events import ApprovalAsked, ApprovalDecided
from toolkit.runs import Run
from toolkit.tools import RecordingMetrics, TextTool


class Deletion:
    """A dangerous tool that keeps what it was told to delete."""

    def __init__(self):
        self.deleted: list[tuple[str, int]] = []
        self.tool = from_function(self.delete, destructive=True)

    def delete(self, path: str, depth: int = 1) -> str:
        """Deletes files."""
        self.deleted.append((path, depth))
        return f"deleted {path}"


@pytest.fixture
def deletion():
    return Deletion()


def in_plain_code(tool, arguments, context, demand=None):
    """Call a tool in plain code; with a demand, as a step does."""
    if demand is None:
        return tool.run(arguments, context)
    return in_a_loop(tool, arguments, context, demand)


def in_a_loop(tool, arguments, context, demand=None):
    """Call a tool inside a running loop."""

    async def main():
        return await tool.call(arguments, context, demand=demand)

    return asyncio.run(main())


both_ways = pytest.mark.parametrize("call", [in_plain_code, in_a_loop])


@both_ways
def test_a_yes_runs_the_call_as_it_was_shown(deletion, call):
    reviewer = ScriptedReviewer([Continue()])
    context = ToolContext(reviewer=reviewer, place="step 3/5 · pipeline report")
    assert call(deletion.tool, '{"path": "a", "depth": "2", "x": 1}', context) == ToolResult("deleted a")
    assert deletion.deleted == [("a", 2)]
    (request,) = reviewer.requests
    assert (request.text, request.risk, request.arguments, request.asked_by, request.place) == (
        "Run delete?",
        Risk("delete", source=__file__, destructive=True),
        {"path": "a", "depth": 2},
        "the tool is destructive",
        "step 3/5 · pipeline report",
    )
    assert (request.timeout, request.on_timeout, request.editable, request.preview, request.show) == (
        300.0,
        "reject",
        True,
        None,
        None,
    )


@both_ways
@pytest.mark.parametrize(
    ("decision", "error"),
    [
        (Reject("too dangerous"), "Rejected by reviewer: too dangerous"),
        (Reject(), "Rejected by reviewer"),
    ],
)
def test_a_no_fails_the_call_with_the_reason(deletion, call, decision, error):
    metrics = RecordingMetrics()
    result = call(deletion.tool, {"path": "a"}, ToolContext(reviewer=ScriptedReviewer([decision]), metrics=metrics))
    assert result == ToolResult(error=error, error_code="rejected")
    assert deletion.deleted == []
    assert metrics.operations() == [("failure", "delete"), ("duration", "delete")]


@both_ways
@pytest.mark.parametrize(("reason", "told"), [("enough", "enough"), ("", "The reviewer ended the run")])
def test_an_end_of_the_run_passes_through_and_is_counted_nowhere(deletion, call, reason, told):
    metrics = RecordingMetrics()
    reviewer = ScriptedReviewer([ExitEarly(reason)])
    with pytest.raises(ExitEarlyError) as caught:
        call(deletion.tool, {"path": "a"}, ToolContext(reviewer=reviewer, metrics=metrics))
    assert (caught.value.reason, caught.value.timed_out) == (told, False)
    assert (deletion.deleted, metrics.records) == ([], [])


@both_ways
def test_an_edit_runs_the_call_with_other_arguments(deletion, call):
    edits = [Edit({"path": "b", "depth": "3"}), Edit('{"path": "c"}')]
    context = ToolContext(reviewer=ScriptedReviewer(edits))
    assert [call(deletion.tool, {"path": "a"}, context).output for _ in edits] == ["deleted b", "deleted c"]
    assert deletion.deleted == [("b", 3), ("c", 1)]


def test_a_model_is_told_what_its_call_ran_with_and_so_is_the_run(deletion):
    run = Run()
    reviewer = ScriptedReviewer([Edit({"path": "b"}), Edit({"path": "c"}), Edit({"path": "d"})])
    context = ToolContext(reviewer=reviewer, run=run)
    failing = from_function(lambda path: [].pop(), name="failing", requires_approval=True)
    by_model = context.replace(chosen_by="model")
    results = [
        deletion.tool.run({"path": "a"}, by_model),
        failing.run({"path": "a"}, by_model),
        deletion.tool.run({"path": "a"}, context),
    ]
    told = "A reviewer has changed the arguments of this call, which ran with: "
    assert [result.text for result in results] == [
        f'{told}{{"path": "b"}}\ndeleted b',
        f'{told}{{"path": "c"}}\nError: pop from empty list',
        "deleted d",
    ]
    assert [result.output for result in results] == ["deleted b", "", "deleted d"]
    assert [json.loads(call.arguments)["path"] for call in run.calls] == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            {"depth": "x"},
            "Missing required parameter(s): path; Invalid parameter 'depth': must be a whole number, not \"x\"",
        ),
        ({}, "Missing required parameter(s): path"),
        ("not JSON", "Invalid JSON: expected ident at line 1 column 2"),
        (
            {"path": object()},
            "The arguments cannot be written as JSON: Unable to serialize unknown type: <class 'object'>",
        ),
        (None, "The arguments cannot be written as JSON: 'NoneType' object is not iterable"),
    ],
)
def test_an_edit_is_validated_again(deletion, edit, message):
    result = deletion.tool.run({"path": "a"}, ToolContext(reviewer=ScriptedReviewer([Edit(edit)])))
    assert result == ToolResult(error=f"The reviewer's edit is invalid: {message}", error_code="invalid_arguments")
    assert deletion.deleted == []


def test_an_edit_of_a_text_tool_is_its_text():
    class Say(TextTool):
        name, description, requires_approval = "say", "Says.", True

        def check(self, parsed, context):
            if parsed == "no":
                raise ToolExecutionError("that is not said")

        def preview(self, parsed, context):
            if parsed == "?":
                raise ToolExecutionError("nobody knows")
            return f"would say {parsed}"

        def execute(self, text):
            return f"said {text}"

    reviewer = ScriptedReviewer([Edit("other"), Edit({"input": "third"}), Edit("no")])
    context = ToolContext(reviewer=reviewer)
    assert [Say().run("first", context).text for _ in range(3)] == [
        "said other",
        "said third",
        "Error: The reviewer's edit is invalid: that is not said",
    ]
    request = reviewer.requests[0]
    assert (request.preview, request.arguments) == ("would say first", {"input": "first"})
    assert (request.preview_of("x"), request.preview_of("?"), request.objection("x"), request.objection("no")) == (
        "would say x",
        None,
        None,
        "that is not said",
    )


def test_a_reviewer_can_hold_an_edit_against_the_tool_before_giving_it(deletion):
    reviewer = ScriptedReviewer([Reject()])
    deletion.tool.run({"path": "a"}, ToolContext(reviewer=reviewer))
    (request,) = reviewer.requests
    assert request.objection({"path": "b"}) is None
    assert request.objection({"depth": 1}) == "Missing required parameter(s): path"
    assert request.preview_of({"path": "b"}) is None
    assert ReviewRequest("?", Risk("t")).objection({}) is None


def test_a_demand_asks_with_its_own_words_and_may_forbid_editing(deletion):
    harmless = from_function(lambda x: f"ran {x}", name="harmless", read_only=True)
    reviewer = ScriptedReviewer([Continue(), Edit({"x": 2}), Edit({"x": 3})])
    context = ToolContext(reviewer=reviewer)
    demands = [
        Demand("step 'publish'", "Publish it?", {"title": "News"}),
        Demand("step 'publish'"),
        Demand("step 'publish'", editable=False),
    ]
    results = [in_a_loop(harmless, {"x": 1}, context, demand) for demand in demands]
    assert [result.text for result in results] == [
        "ran 1",
        "ran 2",
        "Error: Rejected by reviewer: these arguments may not be edited",
    ]
    assert [(request.text, request.asked_by, request.show, request.editable) for request in reviewer.requests] == [
        ("Publish it?", "step 'publish'", {"title": "News"}, True),
        ("Run harmless?", "step 'publish'", None, True),
        ("Run harmless?", "step 'publish'", None, False),
    ]


def test_a_demand_learns_why_its_question_was_refused(deletion):
    refusals = []
    context = ToolContext(reviewer=ScriptedReviewer([Reject("not today")]))
    in_a_loop(deletion.tool, {"path": "a"}, context, Demand("step 'clean'", on_refusal=refusals.append))
    [refused] = refusals
    assert (refused.message, deletion.deleted) == ("Rejected by reviewer: not today", [])


class Answering:
    """A reviewer that does what it was made for."""

    def __init__(self, answer):
        self.answer = answer

    async def review(self, request):
        return self.answer() if callable(self.answer) else self.answer


def raising(error):
    def answer():
        raise error

    return answer


NO_ANSWERS: list[tuple[Any, str]] = [
    (Answering(raising(RuntimeError("no idea"))), "the reviewer failed: RuntimeError: no idea"),
    (Answering(raising(EOFError())), "the reviewer failed: EOFError: "),
    (Answering(raising(TimeoutError("its own"))), "the reviewer failed: TimeoutError: its own"),
    (Answering(raising(SystemExit(0))), "the reviewer failed: SystemExit: 0"),
    (RefusingReviewer(), "there is no one to ask"),
    (RefusingReviewer("the shop is closed"), "the shop is closed"),
    (ScriptedReviewer([]), "the script has no further answer"),
]


@both_ways
@pytest.mark.parametrize(("reviewer", "reason"), NO_ANSWERS, ids=[reason for _, reason in NO_ANSWERS])
def test_what_is_no_decision_never_approves(deletion, call, reviewer, reason):
    result = call(deletion.tool, {"path": "a"}, ToolContext(reviewer=reviewer))
    assert result.error is not None
    assert result.error.startswith(f"Rejected by reviewer: {reason}")
    assert (result.error_code, deletion.deleted) == ("rejected", [])


class NotAsync:
    def review(self, request):
        return Continue()


class TakesNothing:
    async def review(self):
        return Continue()


class NoMethod:
    review = "yes"


WRONG_REVIEWERS: list[tuple[Any, str]] = [
    (Answering(None), "'Answering' cannot be used as a reviewer: 'review' returned None"),
    (Answering(True), "'Answering' cannot be used as a reviewer: 'review' returned True"),
    (Answering("continue"), "'Answering' cannot be used as a reviewer: 'review' returned 'continue'"),
    (Answering({"a": 1}), "'Answering' cannot be used as a reviewer: 'review' returned {'a': 1}"),
    (NotAsync(), "'NotAsync' cannot be used as a reviewer: 'review' is not async: it returned Continue("),
    (TakesNothing(), "'TakesNothing' cannot be used as a reviewer: 'review' does not take one request: too many"),
    (NoMethod(), "'NoMethod' cannot be used as a reviewer: it has no method 'review'"),
    (object(), "'object' cannot be used as a reviewer: it has no method 'review'"),
    ("yes", "'str' cannot be used as a reviewer: it has no method 'review'"),
    (lambda request: Continue(), "'function' cannot be used as a reviewer: it has no method 'review'"),
    (RefusingReviewer, "the reviewer is the class 'RefusingReviewer'; pass an instance of it"),
]


@pytest.mark.proof(everyday=10)
@both_ways
@pytest.mark.parametrize("on_timeout", ["reject", "exit_early", "raise"])
@pytest.mark.parametrize(("reviewer", "message"), WRONG_REVIEWERS, ids=[message for _, message in WRONG_REVIEWERS])
def test_what_is_not_a_reviewer_is_a_configuration_error_that_no_model_is_told(
    deletion, call, reviewer, message, on_timeout
):
    context = ToolContext(gate=Gate(reviewer, on_timeout=on_timeout), chosen_by="model")
    with pytest.raises(ConfigurationError) as caught:
        call(deletion.tool, {"path": "a"}, context)
    assert str(caught.value).startswith(message)
    assert deletion.deleted == []


@both_ways
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), Signal("stop"), ExitEarlyError("stop"), ConfigurationError("wrong")]
)
def test_what_ends_everything_passes_through_the_gate(deletion, call, error):
    with pytest.raises(type(error)) as caught:
        call(deletion.tool, {"path": "a"}, ToolContext(reviewer=Answering(raising(error))))
    assert type(caught.value) is type(error)
    assert deletion.deleted == []


def test_a_cancelled_question_runs_nothing(deletion):
    class Waiting:
        def __init__(self):
            self.asked = asyncio.Event()

        async def review(self, request):
            self.asked.set()
            await asyncio.Event().wait()

    async def main():
        reviewer = Waiting()
        task = asyncio.create_task(deletion.tool.call({"path": "a"}, ToolContext(reviewer=reviewer)))
        await reviewer.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert deletion.deleted == []


@pytest.mark.parametrize("gate", [None, Gate()])
@pytest.mark.parametrize("demand", [None, Demand("step 'publish'")])
def test_a_call_that_must_be_asked_about_with_nobody_to_ask_is_a_configuration_error(gate, demand):
    ran: list[int] = []
    tool = from_function(lambda: ran.append(1), name="publish", requires_approval=True)
    with pytest.raises(ConfigurationError) as caught:
        in_a_loop(tool, "{}", ToolContext(gate=gate), demand)
    assert str(caught.value) == (
        "tool 'publish' requires approval, but there is no reviewer; give the context one: ToolContext(reviewer=…)"
    )
    assert ran == []


def test_bad_arguments_are_refused_before_anybody_is_asked(deletion):
    reviewer = ScriptedReviewer([])
    assert deletion.tool.run({}, ToolContext(reviewer=reviewer)).error_code == "invalid_arguments"
    assert reviewer.requests == []


def test_a_tool_that_refuses_is_not_asked_about():
    class Shy(TextTool):
        name, description, requires_approval = "shy", "Is shy.", True

        def check(self, parsed, context):
            raise ToolExecutionError("not today")

        def execute(self, text):
            return text

    reviewer = ScriptedReviewer([])
    assert Shy().run("x", ToolContext(reviewer=reviewer)).error == "not today"
    assert reviewer.requests == []


def test_same_again_is_leave_for_the_same_tool_with_the_same_arguments_only(deletion):
    reviewer = ScriptedReviewer([Continue(same_again=True), Continue(), Continue(), Continue(), Reject("no more")])
    context = ToolContext(reviewer=reviewer)
    calls: list[tuple[Tool, Any]] = [
        (deletion.tool, {"path": "a"}),  # asked
        (deletion.tool, {"path": "a"}),
        (deletion.tool, ' {"unknown": 5, "path" : "a"}'),
        (deletion.tool, {"path": "b"}),  # asked
        (deletion.tool, {"path": "b"}),  # asked: it was leave for once
        (deletion.tool.with_name("remove"), {"path": "a"}),  # asked
        (deletion.tool, {"path": "a", "depth": 2}),  # asked, and refused
        (deletion.tool, {"path": "a"}),
    ]
    results = [tool.run(arguments, context).succeeded for tool, arguments in calls]
    assert results == [True, True, True, True, True, True, False, True]
    assert [(request.risk.tool, request.arguments) for request in reviewer.requests] == [
        ("delete", {"path": "a"}),
        ("delete", {"path": "b"}),
        ("delete", {"path": "b"}),
        ("remove", {"path": "a"}),
        ("delete", {"path": "a", "depth": 2}),
    ]


def test_same_again_ends_with_the_gate(deletion):
    for _ in range(2):
        reviewer = ScriptedReviewer([Continue(same_again=True)])
        assert deletion.tool.run({"path": "a"}, ToolContext(reviewer=reviewer)).succeeded
        assert len(reviewer.requests) == 1


@pytest.mark.parametrize(
    ("decision", "told", "reason"),
    [
        (Continue(), "continue", None),
        (Edit({"path": "b"}), "edit", None),
        (Reject("no"), "reject", "no"),
        (ExitEarly("enough"), "exit_early", "enough"),
    ],
)
def test_the_listener_is_told_of_the_question_and_of_the_answer(deletion, decision, told, reason):
    events: list[Any] = []
    context = ToolContext(reviewer=ScriptedReviewer([decision]), listener=events.append)
    with suppress(ExitEarlyError):
        deletion.tool.run({"path": "a"}, context)
    started, asked, decided, finished = events
    assert (started.kind, finished.kind, finished.call) == ("tool_started", "tool_finished", started.call)
    assert asked == ApprovalAsked("delete", {"path": "a"}, "the tool is destructive")
    assert decided == ApprovalDecided("delete", told, "reviewer", reason, decided.seconds)


def test_reviewers_are_what_they_say():
    @dataclass
    class Trusting:
        async def review(self, request):
            return Continue()

    assert (
        from_function(lambda: "ran", name="t", requires_approval=True)
        .run("{}", ToolContext(reviewer=Trusting()))
        .output
        == "ran"
    )
    assert AutoReviewer(0.0).delay == 0.0
    assert asyncio.run(AutoReviewer(0.001).review(ReviewRequest("?", Risk("t")))) == Continue()
    with pytest.raises(ValueError, match="the delay must not be negative, but is -1"):
        AutoReviewer(-1)
