"""A model's read-only call is asked about if it could leak what other tools read."""

import pytest

from toolkit import Continue, Reject, Tool, ToolContext, from_function, tool
from toolkit.approvals import ScriptedReviewer
from toolkit.builtin import Calculator, CodeSearch, DateTime, FileRead, Glob, Http, JsonParser, WebScrape, WebSearch
from toolkit.wrappers import ConfirmedTool, OutgoingTool, guard_outgoing


def made(name: str, *, read_only: bool | None = True, open_world: bool | None = None, parameters: bool = True) -> Tool:
    properties = {"text": {"type": "string"}} if parameters else {}
    schema = {"type": "object", "properties": properties}
    return Tool.create(name, "Does it.", schema, lambda **_: "done", read_only=read_only, open_world=open_world)


@pytest.mark.parametrize(
    "way_out",
    [
        Http("https://example.com", method="GET"),
        Http("https://example.com", method="GET").with_name("weather"),
        WebSearch(),
        made("forecast", open_world=True),
        made("read_webpage"),
    ],
)
def test_tool_that_carries_words_out_asks_beside_one_that_reads_files(way_out, tmp_path):
    readers = [FileRead(tmp_path), FileRead(tmp_path).with_name("notes"), CodeSearch(tmp_path), Glob(tmp_path)]
    for reader in [*readers, made("find_customer"), made("read_file").with_name("x")]:
        guarded = guard_outgoing(way_out, [Calculator(), way_out, reader])
        assert isinstance(guarded, OutgoingTool)
    assert guard_outgoing(way_out, [way_out, Calculator(), DateTime(), JsonParser()]) is way_out


@pytest.mark.parametrize(
    "harmless",
    [
        Calculator(),
        Http("https://example.com"),  # a POST is asked about in any case
        WebScrape(),  # so is a page: whoever writes its address can write anything into it
        made("forecast", open_world=False),
        made("forecast"),
        made("forecast", open_world=True, parameters=False),
    ],
)
def test_tool_that_carries_nothing_out_or_is_asked_about_anyway_stays_as_it_is(harmless, tmp_path):
    assert guard_outgoing(harmless, [FileRead(tmp_path)]) is harmless


def test_question_names_the_tool_that_reads_and_a_refusal_calls_nothing(tmp_path):
    calls = []

    @tool(read_only=True, open_world=True)
    def forecast(city: str) -> str:
        """Tell the weather of a city."""
        calls.append(city)
        return "rain"

    guarded = guard_outgoing(from_function(forecast), [FileRead(tmp_path)])
    reviewer = ScriptedReviewer([Reject("no"), Continue()])
    context = ToolContext(reviewer=reviewer)
    assert guarded.run({"city": "my password"}, context).error == "Rejected by reviewer: no"
    assert calls == []
    assert guarded.run({"city": "Oslo"}, context).output == "rain"
    [request, _] = reviewer.requests
    assert (request.text, request.asked_by, request.arguments) == (
        "Run forecast?",
        "it could leak what 'file_read' reads",
        {"city": "my password"},
    )


def test_question_of_the_tool_itself_comes_first(tmp_path):
    own = ConfirmedTool(made("forecast", open_world=True), "Really?")
    reviewer = ScriptedReviewer([Continue()])
    assert guard_outgoing(own, [FileRead(tmp_path)]).run({}, ToolContext(reviewer=reviewer)).succeeded
    assert [request.text for request in reviewer.requests] == ["Really?"]
