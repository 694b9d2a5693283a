"""One answer may hold for every call of a tool that one step makes for its items, and for nothing else."""

import pytest

from toolkit import Continue, Pipeline, Reject, Tool, ToolContext, tool
from toolkit.approvals import ScriptedReviewer
from toolkit.runs import Run

ALL = Continue(whole_step=True)


@tool(destructive=True)
def refund(order: str) -> str:
    """Refund an order."""
    return f"refunded {order}"


def over(orders, name="refunds"):
    return Pipeline.builder().name(name).description("Refund.").step(refund, for_each=orders).build()


def asked(pipeline, *decisions, **context):
    script = ScriptedReviewer(decisions)
    result = pipeline.run("{}", ToolContext(reviewer=script, **context))
    return [request.arguments for request in script.requests], result, script


def test_one_answer_holds_for_all_items_of_the_step():
    questions, result, _ = asked(over(["A", "B", "C"]), ALL)
    assert questions == [{"order": "A"}]
    assert result.structured == ["refunded A", "refunded B", "refunded C"]


def test_a_plain_yes_holds_for_one_item():
    questions, result, _ = asked(over(["A", "B"]), Continue(), Reject("no"))
    assert questions == [{"order": "A"}, {"order": "B"}]
    assert result.error == "item 2 of 2: Rejected by reviewer: no"


def test_the_question_names_the_item_and_its_value():
    _, _, script = asked(over(["A-1", "B-2"]), Continue(), Continue())
    assert [request.place for request in script.requests] == [
        "item 1/2 (A-1) · step 1/1 · pipeline refunds",
        "item 2/2 (B-2) · step 1/1 · pipeline refunds",
    ]


def test_another_step_with_the_same_tool_is_asked_about():
    pipeline = (
        Pipeline.builder()
        .name("two")
        .description("Refund twice.")
        .step(refund, for_each=["A", "B"])
        .step(refund, id="again", for_each=["A", "B"])
        .build()
    )
    questions, _, _ = asked(pipeline, ALL, ALL)
    assert questions == [{"order": "A"}, {"order": "A"}]


def test_another_run_is_asked_again():
    script = ScriptedReviewer([ALL, ALL])
    context = ToolContext(reviewer=script)
    for _ in range(2):
        over(["A", "B"]).run("{}", context.replace(run=Run()))
    assert len(script.requests) == 2


def test_a_step_without_items_offers_no_such_answer_and_takes_none():
    pipeline = Pipeline.builder().name("one").description("Refund.").step(refund, arguments={"order": "A"}).build()
    _, _, script = asked(pipeline, ALL)
    assert [request.step_digest for request in script.requests] == [""]


def test_what_a_model_chooses_within_a_step_is_not_covered():
    async def work(context: ToolContext) -> str:
        inner = await made.call({"order": "A"}, context.replace(chosen_by="model"))
        return inner.text

    from toolkit import from_function

    made = from_function(refund)
    agent = Tool.create("agent", "Work.", {"type": "object", "properties": {}}, work)
    pipeline = Pipeline.builder().name("agents").description("x").step(agent, for_each=[1, 2], arguments={}).build()
    _, _, script = asked(pipeline, ALL, ALL)
    assert [request.step_digest for request in script.requests] == ["", ""]


@pytest.mark.parametrize("answer", [1, "yes", object()])
def test_only_a_true_answer_holds_for_the_step(answer):
    questions, _, _ = asked(over(["A", "B"]), Continue(whole_step=answer), Continue())
    assert len(questions) == 2


def test_retries_and_progress_name_the_item(tmp_path):
    events = []

    @tool
    def fetch(name: str, context: ToolContext) -> str:
        """Fetch."""
        context.progress("half", 1, 2)
        raise ConnectionError("gone")

    pipeline = (
        Pipeline.builder()
        .name("p")
        .description("x")
        .step(fetch, for_each=["A"], retry={"attempts": 2, "backoff": "1ms"})
        .build()
    )
    pipeline.run("{}", ToolContext(listener=events.append))
    assert [event.item for event in events if event.kind == "step_retried"] == ["item 1/1 (A)"]
    assert [event.item for event in events if event.kind == "progress"] == ["item 1/1 (A)"] * 2
