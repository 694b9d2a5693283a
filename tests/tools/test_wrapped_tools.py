"""A tool round a tool is a tool: it hands everything on, and what it changes happens under the name that is called."""

import pytest

from toolkit import InvalidTools, Reject, ToolContext, ToolExecutionError, ToolResult, WrappedTool, from_function, tool
from toolkit.approvals import AutoReviewer, ScriptedReviewer
from toolkit.tools import RecordingMetrics, TextTool


@tool(read_only=True, category="sky", idempotent=True)
def forecast(city: str, context: ToolContext) -> None:
    """Tells the weather."""
    context.logger.debug("asked")


class Careful(TextTool):
    name = "careful"
    description = "Is careful."
    requires_approval = True

    def check(self, parsed, context):
        if parsed == "no":
            raise ToolExecutionError("refused", "refused")

    def preview(self, parsed, context):
        return f"would say {parsed}"

    def execute(self, text):
        return f"said {text}"


FORECAST = from_function(forecast)


def test_a_wrapper_hands_everything_on():
    wrapped = WrappedTool(FORECAST)
    assert wrapped.spec is FORECAST.spec
    assert (wrapped.name, wrapped.description) == ("forecast", "Tells the weather.")
    assert (wrapped.pipe, wrapped.suspends, wrapped.uses_context) == ("parameter", False, True)
    assert wrapped.run({"city": "Oslo"}) == ToolResult("Success")
    assert wrapped.run({}) == FORECAST.run({})
    assert wrapped.describe(wrapped.parse({"city": "Oslo"})) == {"city": "Oslo"}
    careful = WrappedTool(Careful())
    assert careful.pipe == "text"
    assert careful.preview("x", ToolContext()) == "would say x"
    assert careful.run("no") == ToolResult(error="refused", error_code="refused")


def test_a_wrapped_tool_is_asked_about_with_its_preview_and_under_its_own_name():
    reviewer = ScriptedReviewer([Reject("not now")])
    result = WrappedTool(WrappedTool(Careful())).with_name("loud").run("yes", ToolContext(reviewer=reviewer))
    assert result == ToolResult(error="Rejected by reviewer: not now", error_code="rejected")
    (request,) = reviewer.requests
    assert (request.risk.tool, request.preview, dict(request.arguments)) == ("loud", "would say yes", {"input": "yes"})


def test_a_wrapper_changes_the_work_and_is_recorded_once_under_the_name_that_was_called():
    class Twice(WrappedTool):
        async def perform(self, parsed, context):
            first = await self.inner.perform(parsed, context)
            return f"{first} and {await self.inner.perform(parsed, context)}"

    metrics = RecordingMetrics()
    twice = Twice(Careful().with_name("twice"))
    result = twice.run("yes", ToolContext(reviewer=AutoReviewer(), metrics=metrics))
    assert result == ToolResult("said yes and said yes")
    assert metrics.operations() == [("success", "twice"), ("duration", "twice")]


def test_a_wrapper_may_refuse_more():
    class Shy(WrappedTool):
        def check(self, parsed, context):
            super().check(parsed, context)
            raise ToolExecutionError("not today")

    assert Shy(FORECAST).run({"city": "Oslo"}).error == "not today"
    assert Shy(Careful()).run("no").error == "refused"


def test_another_name_description_or_note_changes_nothing_else():
    renamed = FORECAST.with_name("weather")
    described = renamed.with_description("Tells what comes.")
    assert described.with_description("No stop").with_note("Ask.").description == "No stop. Ask."
    assert described.with_description("A mark!").with_note("Ask.").description == "A mark! Ask."
    assert described.with_description('Says "Hi."').with_note("Ask.").description == 'Says "Hi." Ask.'
    assert described.with_description("Adds (quickly)").with_note("Ask.").description == "Adds (quickly). Ask."
    assert described.with_description("Space ").with_note(" Ask. ").description == "Space. Ask."
    assert described.with_description("Nothing").with_note(" ").description == "Nothing"
    noted = described.with_note("Ask once a day.")
    assert [(each.name, each.description) for each in (FORECAST, renamed, described, noted)] == [
        ("forecast", "Tells the weather."),
        ("weather", "Tells the weather."),
        ("weather", "Tells what comes."),
        ("weather", "Tells what comes. Ask once a day."),
    ]
    assert (noted.spec.category, noted.spec.risk.labels, noted.spec.idempotent) == ("sky", ("read-only",), True)
    assert noted.run({"city": "Oslo"}) == ToolResult("Success")


@pytest.mark.parametrize("name", ["", "a b", "server.tool"])
def test_a_tool_cannot_take_an_illegal_name(name):
    with pytest.raises(InvalidTools):
        FORECAST.with_name(name)


def test_a_renamed_tool_is_told_about_under_its_new_name_only():
    metrics, events = RecordingMetrics(), []
    FORECAST.with_name("weather").run({}, ToolContext(metrics=metrics, listener=events.append))
    assert metrics.operations() == [("failure", "weather"), ("duration", "weather")]
    assert [event.tool for event in events] == ["weather", "weather"]
