"""`same again` answers the questions about the very same call that were waiting for their turn, and no others."""

import asyncio
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, PlainValidator, WithJsonSchema

from toolkit import Continue, Edit, Reject, ReviewRequest, Tool, ToolContext, from_function, resolve_tools, tool
from toolkit.approvals import Demand, ScriptedReviewer


class Console:
    """Answers the first question for the whole run, and any other with no; one at a time, as a console does."""

    one_at_a_time = True

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []

    async def review(self, request: ReviewRequest) -> Continue | Reject:
        self.asked.append(dict(request.arguments))
        await asyncio.sleep(0)  # gives the others the time to line up
        return Continue(same_again=True) if len(self.asked) == 1 else Reject("another call")


@tool(requires_approval=True)
async def publish(page: str) -> str:
    """Publish a page."""
    return f"published {page}"


def test_same_again_answers_the_same_calls_that_wait_and_no_others() -> None:
    console = Console()
    context = ToolContext(reviewer=console)
    publishing = resolve_tools([publish])["publish"]

    async def publish_all() -> list[str]:
        calls = (publishing.call({"page": page}, context) for page in ("a", "a", "b", "a"))
        return [result.text for result in await asyncio.gather(*calls)]

    assert sorted(asyncio.run(publish_all())) == [
        "Error: Rejected by reviewer: another call",
        "published a",
        "published a",
        "published a",
    ]
    assert sorted(call["page"] for call in console.asked) == ["a", "b"]


class Order(BaseModel):
    to: str
    euros: int = Field(1, exclude=True)


class Money:
    """A type of one's own that cannot be written as JSON."""

    def __init__(self, euros: int) -> None:
        self.euros = euros


AnyMoney = Annotated[Money, PlainValidator(Money), WithJsonSchema({"type": "integer"})]


def order(order: Order) -> str:
    """Order something."""
    return f"{order.to} {order.euros}"


def pay(money: AnyMoney, to: str = "ada") -> str:
    """Pay."""
    return f"{to} {money.euros}"


def take(value: Any) -> str:
    """Take anything."""
    return repr(value)


def weigh(value: Annotated[float, Field(allow_inf_nan=True)] | str) -> str:
    """Weigh something."""
    return repr(value)


def asked_about(tool: Tool, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    """Give leave for the first call and the very same one, and return what was asked about."""
    reviewer = ScriptedReviewer([Continue(same_again=True)])
    context = ToolContext(reviewer=reviewer)
    for arguments in calls:
        tool.run(arguments, context)
    return [dict(request.arguments) for request in reviewer.requests]


@pytest.mark.parametrize(
    ("function", "first", "second"),
    [
        (order, {"order": {"to": "ada", "euros": 1}}, {"order": {"to": "ada", "euros": 1000}}),
        (pay, {"money": 1}, {"money": 1000}),
        (weigh, {"value": float("nan")}, {"value": "NaN"}),
        (take, {"value": 1}, {"value": True}),
        (take, {"value": 1}, {"value": 1.0}),
        (take, {"value": 0.0}, {"value": -0.0}),
        (take, {"value": "\u00e9"}, {"value": "e\u0301"}),
    ],
    ids=["kept out of JSON", "no form in JSON", "nan", "true", "float", "minus zero", "composed"],
)
def test_a_call_that_differs_in_whatever_way_is_asked_about(function, first, second):
    publishing = from_function(function, requires_approval=True)
    assert len(asked_about(publishing, first, first, second)) == 2


def test_members_of_an_object_in_another_order_are_the_same_call():
    taking = from_function(take, requires_approval=True)
    assert len(asked_about(taking, {"value": {"a": 1, "b": 2}}, {"value": {"b": 2, "a": 1}})) == 1


def test_what_a_type_keeps_out_of_its_json_is_shown_and_survives_an_edit():
    given = {"order": {"to": "ada", "euros": 1000}}
    ordering, paying = (from_function(function, requires_approval=True) for function in (order, pay))
    assert asked_about(ordering, given) == [given]
    assert asked_about(paying, {"money": 1000}) == [{"money": 1000}]

    class Renaming:
        async def review(self, request: ReviewRequest) -> Edit:
            return Edit({**request.arguments, "to": "eve"})

    assert paying.run({"money": 7}, ToolContext(reviewer=Renaming())).output == "eve 7"


def test_leave_for_a_tool_is_none_for_another_of_the_same_name():
    class Folder:
        def __init__(self, name: str) -> None:
            self.name = name

        @tool(destructive=True)
        def clear(self) -> str:
            """Clear the folder."""
            return f"cleared {self.name}"

    reviewer = ScriptedReviewer([Continue(same_again=True)])
    context = ToolContext(reviewer=reviewer)
    drafts, letters = (resolve_tools([Folder(name)])["clear"] for name in ("drafts", "letters"))
    results = [folder.run({}, context).text for folder in (drafts, drafts.with_description("Clears."), letters)]
    assert results[:2] == ["cleared drafts", "cleared drafts"]
    assert results[2] == "Error: Rejected by reviewer: the script has no further answer"


def test_leave_is_none_for_a_step_that_shows_something_else():
    taking = from_function(take)
    reviewer = ScriptedReviewer([Continue(same_again=True)])
    context = ToolContext(reviewer=reviewer)

    async def take_after_showing(shown: Any) -> bool:
        demand = Demand("step 'take'", "Take it?", show=shown)
        return (await taking.call({"value": 1}, context, demand=demand)).succeeded

    shown = ("the draft", "the draft", "another draft", object())
    assert [asyncio.run(take_after_showing(one)) for one in shown] == [True, True, False, False]
