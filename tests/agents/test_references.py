"""References: what they tell an agent, under which names it is offered their tools, and how they unfold."""

import asyncio

import pytest

from toolkit import ConfigurationError, InvalidTools, ToolCall, ToolContext, tool, toolbox
from toolkit.agents import AgentTool, Reference, ScriptedModel, SystemMessage, ToolMessage, run_agent


@tool(read_only=True)
def search(words: str) -> str:
    """Search the texts."""
    return f"found {words}"


@tool(read_only=True)
def read(page: int) -> str:
    """Read a page."""
    return f"page {page}"


HANDBOOK = Reference("The Handbook", "How we work here.", "Search before you read.", [search, read])
SECTION = """\
# Reference: The Handbook
How we work here.
Its tools: the_handbook_search, the_handbook_read.

Search before you read."""


def run(turns, **options):
    return asyncio.run(run_agent(ScriptedModel(turns), "go", **options))


def system_texts(result):
    return [message.text for message in result.transcript.messages if isinstance(message, SystemMessage)]


def shown(result):
    return [message.text for message in result.transcript.messages if isinstance(message, ToolMessage)]


def offered(messages, tools):
    return ", ".join(spec.name for spec in tools)


def test_an_agent_is_told_of_its_references_after_its_instructions_and_offered_their_tools():
    other = Reference("Weather", "The weather.")
    result = run([ToolCall("the_handbook_search", '{"words": "tea"}'), offered], tools=[search],
                 instructions="Be brief.", references=[HANDBOOK, other])  # fmt: skip
    assert system_texts(result) == [f"Be brief.\n\n{SECTION}\n\n# Reference: Weather\nThe weather."]
    assert shown(result) == ["found tea"]
    assert result.text == "search, the_handbook_search, the_handbook_read"


def test_a_tool_that_is_an_agent_has_references_too():
    agent = AgentTool("clerk", "Answers.", ScriptedModel([
                          lambda messages, tools: "\n".join([messages[0].text, *(tool.name for tool in tools)])]),
                      instructions=lambda context, task: f"Tenant {context['tenant']}.", references=[HANDBOOK])  # fmt: skip
    told = f"Tenant acme.\n\n{SECTION}\nthe_handbook_search\nthe_handbook_read"
    assert agent.run({"task": "go"}, ToolContext({"tenant": "acme"})).output == told


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("The Handbook", "the_handbook"),
        ("  Übersicht: v2.0!  ", "ubersicht_v2_0"),
        ("手册", "reference"),
        ("api", "api"),
    ],
)
def test_names_of_tools_begin_with_a_safe_name(name, prefix):
    assert [each.name for each in Reference(name, "Something.", tools=[search]).tools] == [f"{prefix}_search"]


def test_the_prefix_may_be_said_and_may_be_nothing():
    assert [each.name for each in Reference("Book", "It.", tools=[search], prefix="b").tools] == ["b_search"]
    assert [each.name for each in Reference("Book", "It.", tools=[search], prefix="").tools] == ["search"]


def test_two_references_of_one_prefix_are_told_before_anything_runs():
    with pytest.raises(InvalidTools, match="duplicate tool name 'the_handbook_search'"):
        run(["never"], references=[HANDBOOK, HANDBOOK])


def test_notes_are_read_from_a_file_or_asked_of_a_function_at_every_start(tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("First.\n", "utf-8")
    versions = iter(("one", "two"))
    references = [Reference("File", "A file.", file), Reference("Function", "A function.", lambda: next(versions))]
    assert system_texts(run(["done"], references=references)) == [
        "# Reference: File\nA file.\n\nFirst.\n\n# Reference: Function\nA function.\n\none"
    ]
    file.write_text("Second.\n", "utf-8")
    assert system_texts(run(["done"], references=references)) == [
        "# Reference: File\nA file.\n\nSecond.\n\n# Reference: Function\nA function.\n\ntwo"
    ]


def test_notes_that_cannot_be_read_are_told_with_the_name_of_the_reference(tmp_path):
    with pytest.raises(ConfigurationError, match=r"the notes of the reference 'Book' cannot be read: .*gone\.md"):
        run(["done"], references=[Reference("Book", "It.", tmp_path / "gone.md")])


def test_a_function_that_gives_no_notes_is_told_too():
    with pytest.raises(ConfigurationError, match=r"the notes of the reference 'Book' cannot be read: KeyError: 'page'"):
        run(["done"], references=[Reference("Book", "It.", lambda: dict[str, str]()["page"])])
    with pytest.raises(ConfigurationError, match="cannot be read: AttributeError"):
        run(["done"], references=[Reference("Book", "It.", lambda: None)])  # type: ignore[arg-type,return-value]


def test_a_reference_without_a_name_is_refused():
    with pytest.raises(ConfigurationError, match="a reference needs a name"):
        Reference(" ", "It.")


def test_an_unfolding_reference_keeps_its_tools_and_notes_behind_one_facade():
    unfolding = HANDBOOK.unfolding()
    calls = [ToolCall("the_handbook"), ToolCall("the_handbook_read", '{"page": 3}'), offered]
    result = run(calls, references=[unfolding])
    assert system_texts(result) == ["# Reference: The Handbook\nHow we work here.\nIts tools: the_handbook."]
    assert shown(result) == [
        (
            "Tools now available: the_handbook_search, the_handbook_read. Call the one that you need.\n\n"
            "Search before you read."
        ),
        "page 3",
    ]
    assert result.text == "the_handbook, the_handbook_context, the_handbook_search, the_handbook_read"


def test_unfolding_twice_is_unfolding_once_and_without_tools_the_notes_are_told():
    assert [each.name for each in HANDBOOK.unfolding().unfolding().tools] == ["the_handbook"]
    bare = Reference("Rules", "What holds.", "Be kind.").unfolding()
    assert (bare.tools, bare.section()) == ((), "# Reference: Rules\nWhat holds.\n\nBe kind.")


def test_a_reference_is_one_tool_where_it_is_wanted_as_one():
    result = run([ToolCall("the_handbook"), "done"], tools=[HANDBOOK.facade()])
    assert shown(result) == [
        "Tools now available: the_handbook_search, the_handbook_read. Call the one that you need.\n\nSearch before you read."
    ]
    assert system_texts(result) == []


@toolbox(name="shelf", description="The books on the shelf.")
class Shelf:
    @tool(read_only=True)
    def count(self) -> int:
        """Count the books."""
        return 7

    @tool(read_only=True)
    def newest(self) -> str:
        """Name the newest."""
        return "Tea"


def test_a_toolbox_in_a_reference_is_one_facade_under_the_prefix():
    reference = Reference("Library", "Books.", tools=[Shelf()])
    result = run([ToolCall("library_shelf"), ToolCall("count"), offered], references=[reference])
    assert shown(result) == ["Tools now available: count, newest. Call the one that you need.", "7"]
    assert result.text == "library_shelf, library_shelf_context, count, newest"
