"""Replanning: a result that asks for another plan ends the loop with a signal."""

import pytest

from toolkit import ConfigurationError, ToolResult, from_function
from toolkit.errors import ReplanRequested
from toolkit.wrappers import Replan, ReplanningTool, replan_always, replan_and_add, replan_when


def find(count: int) -> list[int]:
    """Find numbers."""
    return list(range(count))


def say(text: str) -> str:
    """Say something."""
    return text


def fail() -> ToolResult:
    """Fail."""
    return ToolResult.failure("no")


def wish(tool, arguments):
    with pytest.raises(ReplanRequested) as caught:
        tool.run(arguments)
    return caught.value.reason, caught.value.artifacts, caught.value.bindings


def test_always_means_after_every_success():
    assert wish(replan_always(from_function(find)), {"count": 2}) == ("find replans", ([0, 1],), {})
    assert wish(replan_always(from_function(say)), {"text": "hello"}) == ("say replans", ("hello",), {})
    assert replan_always(from_function(fail)).run().error == "no"


def test_a_condition_looks_at_the_artifact():
    tool = replan_when(from_function(find), list, lambda found: len(found) > 2)
    assert tool.run({"count": 2}).artifact == [0, 1]
    assert wish(tool, {"count": 3}) == ("find replans based on result", ([0, 1, 2],), {})
    assert replan_when(from_function(find), str).run({"count": 3}).succeeded


def test_what_is_to_be_bound_comes_with_the_wish():
    tool = replan_and_add(from_function(find), list, lambda found: {"count": len(found)} if found else None)
    assert tool.run({"count": 0}).succeeded
    assert wish(tool, {"count": 1}) == ("find replans based on result", ([0],), {"count": 1})


def test_a_decision_of_ones_own_sees_result_and_context():
    def decide(result, context):
        return Replan(f"{result.output} for {context.get('tenant')}") if "!" in result.output else None

    tool = ReplanningTool(from_function(say), decide)
    assert tool.run({"text": "quiet"}).output == "quiet"
    assert wish(tool, {"text": "loud!"}) == ("loud! for None", ("loud!",), {})


@pytest.mark.parametrize("answer", [True, "because"])
def test_a_decision_that_is_not_a_plan_is_refused(answer):
    message = f"^the function of a ReplanningTool must return a Replan or None, not {answer!r}$"
    with pytest.raises(ConfigurationError, match=message):
        ReplanningTool(from_function(lambda: 1, name="one", description="One."), lambda *_: answer).run()


def test_an_async_condition_requests_no_plan():
    async def is_wanted(_):
        return False

    with pytest.raises(ConfigurationError, match=r"^the condition of replan_when must be a plain function"):
        replan_when(from_function(lambda: 1, name="one", description="One."), int, is_wanted).run()  # type: ignore[arg-type]
