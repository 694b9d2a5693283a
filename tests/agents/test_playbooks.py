"""Playbooks: tools that open one after the other, what opens them, and what a model is told of those that are closed."""

import asyncio
import json
from dataclasses import dataclass, replace

import pytest

from toolkit import ConfigurationError, Continue, InvalidTools, ToolCall, ToolContext, tool, toolbox
from toolkit.agents import (
    AgentTool,
    Playbook,
    ScriptedModel,
    ToolMessage,
    Transcript,
    after,
    after_any,
    all_of,
    any_of,
    known,
    produced,
    run_agent,
    when,
)
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import TerminationRequested
from toolkit.runs import Blackboard, Run
from toolkit.wrappers import publish_to_blackboard


@dataclass
class Document:
    title: str


@dataclass
class Report(Document):
    pages: int = 1


@tool(read_only=True)
def search(topic: str) -> str:
    """Search for a topic."""
    return f"found {topic}"


@tool(read_only=True)
def fetch(url: str) -> Document:
    """Fetch a page."""
    return Document(url)


@tool(read_only=True)
def compile_all() -> list[Report]:
    """Compile all reports."""
    return [Report("a"), Report("b")]


@tool(read_only=True)
def fail() -> str:
    """Fail."""
    message = "the well is dry"
    raise ValueError(message)


@tool(read_only=True)
def analyze(text: str = "") -> str:
    """Analyze a text."""
    return f"analyzed {text}".strip()


@tool
def publish(text: str = "") -> str:
    """Publish a text."""
    return f"published {text}".strip()


TOOLS = (search, fetch, compile_all, fail, analyze, publish)


def call(name, **arguments):
    return ToolCall(name, json.dumps(arguments))


def run(turns, locks, tools=TOOLS, **options):
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, kind=Playbook(locks), **options))


def texts(result):
    return [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]


def refusal(what):
    return f"Error: This tool is not yet available. You must first {what}."


SEARCH, FETCH, ANALYZE = call("search", topic="bees"), call("fetch", url="u"), call("analyze")


def test_closed_tool_says_what_is_needed_and_opens_when_that_is_done():
    result = run([ANALYZE, SEARCH, ANALYZE, "done"], {"analyze": after("search")})
    assert texts(result) == [refusal("use search"), "found bees\nNow available: analyze.", "analyzed"]


def test_model_is_told_that_tools_may_be_closed_and_reads_why_in_the_description_until_they_open():
    seen = []

    def look(answer):
        def turn(messages, tools):
            seen.append({spec.name: spec.description for spec in tools}["analyze"])
            return answer

        return turn

    result = run([look(SEARCH), look("done")], {"analyze": after("search")})
    assert seen == ["Analyze a text.\n\nThis tool is not yet available. You must first use search.", "Analyze a text."]
    assert result.transcript.messages[0].text == (
        "Note: Some tools may require certain prerequisites before they become available. "
        "If a tool indicates it is not yet available, use the required prerequisite tools first."
    )


@pytest.mark.parametrize(
    ("lock", "first", "needs"),
    [
        (after("search", "fetch"), [SEARCH, FETCH], "use search and fetch"),
        (after_any("search", "fetch"), [FETCH], "use search or fetch"),
        (produced(Document), [FETCH], "produce an artifact of type Document"),
        (produced("Document"), [call("compile_all")], "produce an artifact of type Document"),
        (known("user"), [], "have user on the blackboard"),
        (known(Document), [], "have Document on the blackboard"),
        (when(lambda past: past.turns >= 3, "think twice"), [SEARCH], "think twice"),
        (when(lambda past: len(past.calls) == 2), [SEARCH, FETCH], "meet the conditions of this tool"),
        (after("search") & produced(Document), [SEARCH, FETCH], "use search and produce an artifact of type Document"),
        (after("search") | produced(Document), [FETCH], "use search or produce an artifact of type Document"),
        (
            all_of(after("search"), any_of(after("compile_all"), produced("Document"))),
            [SEARCH, FETCH],
            "use search and (use compile_all or produce an artifact of type Document)",
        ),
    ],
)
def test_locks_open_when_what_they_wait_for_has_happened_and_not_before(lock, first, needs):
    opening = Run(blackboard=Blackboard())
    if not first:
        opening.blackboard.add(Document("d"), name="user")
    turns = [call("publish"), *first, call("publish"), "done"]
    context = ToolContext(reviewer=ScriptedReviewer([Continue()] * 2), run=opening)
    result = run(turns, {"publish": lock}, context=context)
    assert texts(result)[-1] == "published"
    assert lock.requirement == needs
    if first:
        assert texts(result)[0] == refusal(needs)


def test_only_what_is_still_missing_is_told():
    lock = after("search", "fetch") & produced(Report)
    result = run([SEARCH, ANALYZE, FETCH, ANALYZE, "done"], {"analyze": lock})
    told = [text for text in texts(result) if text.startswith("Error")]
    assert told == [
        refusal("use fetch and produce an artifact of type Report"),
        refusal("produce an artifact of type Report"),
    ]


def test_something_that_a_tool_puts_on_the_blackboard_opens_a_tool():
    tools = [publish_to_blackboard(*load(fetch), name="page"), analyze]
    result = run([ANALYZE, FETCH, ANALYZE, "done"], {"analyze": known("page")}, tools)
    assert texts(result)[1:] == ['{"title":"u"}\nNow available: analyze.', "analyzed"]


def load(*functions):
    from toolkit import resolve_tools

    return list(resolve_tools(functions).values())


def test_call_that_failed_or_was_refused_or_was_of_a_closed_tool_opens_nothing():
    locks = {"search": after("fail"), "analyze": after("search"), "fetch": after("publish")}
    turns = [call("fail"), SEARCH, ANALYZE, call("publish"), FETCH, "done"]
    result = run(turns, locks, context=ToolContext(reviewer=ScriptedReviewer([])))
    assert texts(result)[1:3] == [refusal("use fail"), refusal("use search")]
    assert texts(result)[-1] == refusal("use publish")


def test_calls_of_one_turn_find_the_tools_as_they_were_when_the_model_chose():
    result = run([[SEARCH, ANALYZE], ANALYZE, "done"], {"analyze": after("search")})
    assert texts(result) == ["found bees\nNow available: analyze.", refusal("use search"), "analyzed"]


def test_nobody_is_asked_about_a_closed_tool():
    reviewer = ScriptedReviewer([Continue()])
    turns = [call("publish"), SEARCH, call("publish", text="bees"), "done"]
    result = run(turns, {"publish": after("search")}, context=ToolContext(reviewer=reviewer))
    assert texts(result)[-1] == "published bees"
    assert [request.arguments for request in reviewer.requests] == [{"text": "bees"}]


def test_closed_tool_answers_whatever_the_arguments_and_never_ends_the_agent_in_place_of_its_result():
    @tool(read_only=True, return_behavior="immediate")
    def deliver(text: str) -> str:
        """Deliver a text."""
        return f"delivered {text}"

    turns = [ToolCall("deliver", "no JSON"), SEARCH, call("deliver", text="bees"), "never"]
    result = run(turns, {"deliver": after("search")}, [search, deliver])
    assert texts(result)[0] == refusal("use search")
    assert (result.ending, result.text) == ("returned", "delivered bees")


def test_context_and_signals_pass_through_an_open_tool():
    @tool(read_only=True)
    def stop(context: ToolContext) -> str:
        """Stop."""
        raise TerminationRequested(context["reason"], "loop")

    result = run([SEARCH, call("stop"), "never"], {"stop": after("search")}, [search, stop],
                 context=ToolContext({"reason": "enough"}))  # fmt: skip
    assert (result.ending, result.text) == ("terminated", "enough")


def test_lock_of_a_facade_holds_for_the_facade_and_what_it_reveals_may_have_one_of_its_own():
    @toolbox(name="stock", description="All about the stock.")
    class Stock:
        @tool(read_only=True)
        def count(self, item: str) -> int:
            """Count an item."""
            return len(item)

        @tool(read_only=True)
        def order(self, item: str) -> str:
            """Order an item."""
            return f"ordered {item}"

    order, count = call("order", item="bolt"), call("count", item="bolt")
    turns = [call("stock"), SEARCH, call("stock"), order, count, order, "done"]
    result = run(turns, {"stock": after("search"), "order": after("count")}, [search, Stock()])
    assert texts(result)[0] == refusal("use search")
    assert texts(result)[3:] == [refusal("use count"), "4\nNow available: order.", "ordered bolt"]


def test_two_runs_of_one_agent_at_once_know_nothing_of_each_other():
    def steps(*turns):
        return ScriptedModel([lambda messages, tools: turns[0 if "first" in messages[1].text else 1], *turns[2:]])

    agent = AgentTool("clerk", "Works.", steps(SEARCH, FETCH, ANALYZE, "{analyze}"), TOOLS,
                      kind=Playbook({"analyze": after("search")}))  # fmt: skip

    async def both():
        return await asyncio.gather(*(agent.call({"task": task}) for task in ("first", "second", "first")))

    assert [result.output for result in asyncio.run(both())] == ["analyzed", refusal("use search"), "analyzed"]


def test_each_call_begins_anew_and_a_transcript_that_is_continued_keeps_what_is_open():
    locks = {"analyze": after("search")}
    agent = AgentTool(
        "clerk", "Works.", ScriptedModel([SEARCH, "ok", ANALYZE, "{analyze}"]), TOOLS, kind=Playbook(locks)
    )
    assert agent.run({"task": "a"}).output == "ok"
    assert agent.replace(model=ScriptedModel([ANALYZE, "{analyze}"])).run({"task": "b"}).output == refusal("use search")
    chatting = agent.replace(transcript=Transcript())
    assert [chatting.run({"task": "go on"}).output for _ in range(2)] == ["ok", "analyzed"]


def test_names_that_mean_no_tool_are_refused_with_the_nearest():
    with pytest.raises(InvalidTools) as refused:
        AgentTool("clerk", "Works.", ScriptedModel([]), TOOLS,
                  kind=Playbook({"analyse": after("search"), "publish": after_any("serch", "fetch")}))  # fmt: skip
    assert [str(problem) for problem in refused.value.problems] == [
        "error: a lock is for 'analyse', which is not a tool of the agent (did you mean 'analyze'?)",
        "error: the lock of 'publish' waits for 'serch', which is not a tool of the agent (did you mean 'search' or 'fetch'?)",
    ]


def test_locks_that_can_never_open_are_refused():
    locks = {"search": after("analyze"), "analyze": after("search"), "publish": after_any("fetch", "analyze")}
    with pytest.raises(InvalidTools) as refused:
        run(["never"], locks)
    assert [problem.message for problem in refused.value.problems] == [
        "the lock of 'search' can never open: it waits for tools that wait for it",
        "the lock of 'analyze' can never open: it waits for tools that wait for it",
    ]
    for nothing in (after, after_any, all_of, any_of):
        with pytest.raises(ValueError, match="a lock needs at least one"):
            nothing()


def test_predicate_that_fails_ends_the_agent_and_says_which_it_was():
    with pytest.raises(ConfigurationError, match="the lock that requires a model to 'find much' failed: IndexError: "):
        run(["never"], {"analyze": when(lambda past: past.artifacts[-1].title == "much", "find much")})


def test_closed_tool_keeps_all_marks_but_its_description():
    offered = []

    def look(messages, tools):
        offered.extend(tools)
        return "done"

    run([look], {"publish": after("search")})
    closed = {spec.name: spec for spec in offered}["publish"]
    assert replace(closed, description="Publish a text.") == load(publish)[0].spec


async def async_condition(*_):
    return False


def test_async_condition_of_a_lock_opens_nothing():
    with pytest.raises(
        ConfigurationError, match=r"^the function of a lock must be a plain function, not an async one$"
    ):
        Playbook({"report": when(async_condition)}).locks["report"].is_open(None)  # type: ignore[arg-type]


def test_what_is_not_a_lock_is_refused_when_the_agent_is_created():
    @tool
    def report() -> str:
        """Report."""
        return "reported"

    with pytest.raises(InvalidTools) as caught:
        AgentTool("writer", "Writes.", ScriptedModel(["done"]), [report], kind=Playbook({"report": "search"}))  # type: ignore[dict-item]
    [problem] = caught.value.problems
    expected = ("the lock of 'report' is not a lock, but 'search'", "write after('search'), for example")
    assert (problem.message, problem.hint) == expected
