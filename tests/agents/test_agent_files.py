"""Agents declared in YAML: what a file may say, what is wrong with it, and what it does when it is called."""

import asyncio
import json
from dataclasses import replace
from textwrap import dedent

import pytest

from toolkit import Continue, InvalidPipeline, InvalidTools, ToolContext, load_pipeline, load_tools
from toolkit.agents import Limits, outline_of
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.runs import Run
from toolkit.settings import Configuration
from toolkit.sources import open_targets

TOOLS = '''
from pathlib import Path

from toolkit import tool


@tool(read_only=True)
def search(topic: str) -> str:
    """Search for papers."""
    return f"papers on {topic}"


@tool(read_only=True)
def read(paper: str) -> str:
    """Read a paper."""
    return f"{paper} says so"


@tool
def report(text: str) -> str:
    """Write a report."""
    Path("report.txt").write_text(text)
    return f"REPORT {text}"
'''


class Files:
    """A folder with tools, in which agents are written."""

    def __init__(self, folder):
        self.folder = folder
        self.write("papers.py", TOOLS)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).removeprefix("\n"), "utf-8")
        return path

    def script(self, *turns, name="script.yaml"):
        """Write a script: a text is a reply, a list is the calls of one turn, each a tool and its arguments."""
        listed = [
            turn if isinstance(turn, str) else {"calls": [{"tool": tool, "arguments": given} for tool, given in turn]}
            for turn in turns
        ]
        return self.write(name, json.dumps({"turns": listed}))

    def open(self, name="agent.yaml", **settings):
        opened = open_targets([name], Configuration(**settings))
        assert opened.problems == []
        [tool] = opened.tools.values()
        return tool

    def problems(self, text, name="agent.yaml"):
        self.write(name, text)
        return [str(problem) for problem in open_targets([name], Configuration()).problems]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Files(tmp_path)


# ------------------------------------------------------------------------------------------------------ what it does


def test_agent_takes_a_task_and_answers_it_with_its_tools(files):
    files.script([("search", {"topic": "owls"})], "found {search}")
    files.write("agent.yaml", """
        agent: simple
        description: Answer questions.
        model: scripted:script.yaml
        tools: [./papers.py]
    """)  # fmt: skip
    agent = files.open()
    assert (agent.name, agent.description) == ("agent", "Answer questions.")
    assert agent.spec.parameters == {
        "type": "object",
        "properties": {
            "task": {"type": "string", "description": "The task in words, with all the information needed."}
        },
        "required": ["task"],
    }
    assert agent.run({"task": "find owls"}).output == "found papers on owls"


def test_inputs_come_into_the_prompt_and_the_instructions(files):
    files.script("well")
    files.write("agent.yaml", """
        agent: simple
        name: planner
        description: Plan a trip.
        model: scripted:script.yaml
        instructions: Answer in ${{ inputs.language }}.
        prompt: Plan ${{ inputs.days }} days in ${{inputs.city}}.
        inputs:
          city: {type: string}
          days: {type: integer, default: 2}
          language: {type: string, default: English}
    """)  # fmt: skip
    agent = files.open()
    assert list(agent.spec.properties) == ["city", "days", "language"]
    run = Run()
    assert agent.run({"city": "Oslo"}, ToolContext(run=run)).output == "well"
    assert agent.run({"days": "many"}).error == (
        "Missing required parameter(s): city; Invalid parameter 'days': must be a whole number, not \"many\""
    )


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"task": "Look.", "city": "Oslo", "days": 3}, "Look.\n\ncity: Oslo\ndays: 3"),
        ({"task": "Look.", "city": "Oslo"}, "Look.\n\ncity: Oslo\ndays: 2"),
        ({"task": "", "city": "Oslo"}, "city: Oslo\ndays: 2"),
    ],
)
def test_without_a_prompt_the_inputs_follow_the_task(files, inputs, said):
    files.write("told.py", """
        def turn(conversation, tools):
            return conversation[-1].text

        turns = [turn]
    """)  # fmt: skip
    files.write("agent.yaml", """
        agent: simple
        description: Plan a trip.
        inputs:
          city: {type: string}
          days: {type: integer, default: 2}
    """)  # fmt: skip
    assert files.open(chosen_model="scripted:told.py").run(inputs).output == said


def test_answer_fits_the_output_that_the_file_says(files):
    files.script('{"city": "Oslo"}', '{"city": "Oslo", "degrees": 4}')
    files.write("agent.yaml", """
        agent: simple
        description: Tell the weather.
        model: scripted:script.yaml
        output:
          city: {type: string}
          degrees: {type: integer}
    """)  # fmt: skip
    agent = files.open()
    assert agent.spec.output_schema == {
        "type": "object",
        "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}},
        "required": ["city", "degrees"],
    }
    assert agent.run({"task": "Oslo?"}).structured == {"city": "Oslo", "degrees": 4}


def test_max_turns_and_budget_hold(files):
    calls = [("search", {"topic": "owls"})]
    files.script(calls, calls, calls, "done")
    said = "agent: simple\ndescription: Search.\nmodel: scripted:script.yaml\ntools: [./papers.py]\n"
    files.write("agent.yaml", f"{said}max_turns: 2\n")
    assert files.open().run({"task": "x"}).error.startswith("the agent has used up its 2 requests")
    files.write("agent.yaml", f"{said}max_turns: 3\nlast_answer: true\n")
    assert files.open().run({"task": "x"}).output == "done"
    files.write("agent.yaml", f"{said}budget: 1 call\n")
    result = files.open().run({"task": "x"})
    assert "1 of 1 calls" in result.error
    files.write("agent.yaml", said)
    assert files.open().run({"task": "x"}).output == "done"


def test_what_the_model_chooses_is_asked_about(files):
    files.script([("report", {"text": "owls"})], "{report}")
    files.write("agent.yaml", """
        agent: simple
        description: Write.
        model: scripted:script.yaml
        tools: [./papers.py]
    """)  # fmt: skip
    agent = files.open()
    refused = agent.run({"task": "x"}, ToolContext(reviewer=ScriptedReviewer([])))
    assert not (files.folder / "report.txt").exists()
    assert "REPORT" not in str(refused.output)
    asked = ScriptedReviewer([Continue()])
    assert agent.run({"task": "x"}, ToolContext(reviewer=asked)).output == "REPORT owls"
    assert agent.spec.read_only is None


def test_playbook_opens_its_tools_one_after_the_other(files):
    files.script(
        [("report", {"text": "early"})],
        [("search", {"topic": "owls"})],
        [("read", {"paper": "one"})],
        [("report", {"text": "late"})],
        "{report}",
    )
    files.write("agent.yaml", """
        agent: playbook
        description: Research.
        model: scripted:script.yaml
        tools: [./papers.py]
        locks:
          read: search
          report: {all: [search, read]}
    """)  # fmt: skip
    agent = files.open()
    run = Run()
    assert (
        agent.run({"task": "x"}, ToolContext(run=run, reviewer=ScriptedReviewer([Continue()]))).output == "REPORT late"
    )
    assert (files.folder / "report.txt").read_text() == "late"
    assert [(tool.name, tool.first) for tool in outline_of(agent).tools] == [
        ("search", ""),
        ("read", "use search"),
        ("report", "use search and read"),
    ]


def test_locks_are_said_in_every_way_that_there_is(files):
    files.write("agent.yaml", """
        agent: playbook
        description: Research.
        tools: [./papers.py, calculator, datetime, json_parser]
        locks:
          read: {any: [search, calculator]}
          report: [search, {artifact: Paper}, {any: [{blackboard: Approval}, read]}]
          json_parser: {all: [{artifact: Paper}]}
          datetime: {blackboard: ticket}
    """)  # fmt: skip
    told = {tool.name: tool.first for tool in outline_of(files.open()).tools}
    assert told == {
        "search": "",
        "read": "use search or calculator",
        "report": "use search and produce an artifact of type Paper and (have Approval on the blackboard or use read)",
        "calculator": "",
        "datetime": "have ticket on the blackboard",
        "json_parser": "produce an artifact of type Paper",
    }


MACHINE = """
    agent: state_machine
    description: Research.
    model: scripted:script.yaml
    tools: [./papers.py, calculator]
    states:
      looking: {search: reading}
      reading: {read: , report: done}
      done:
    everywhere: calculator
"""


def test_state_machine_goes_from_state_to_state(files):
    files.script(
        [("report", {"text": "early"})],
        [("search", {"topic": "owls"})],
        [("calculator", {"input": "1+1"}), ("report", {"text": "late"})],
        [("read", {"paper": "one"})],
        "well",
    )
    files.write("agent.yaml", MACHINE)
    agent = files.open()
    run = Run()
    assert agent.run({"task": "x"}, ToolContext(run=run, reviewer=ScriptedReviewer([Continue()]))).output.startswith(
        "well"
    )
    assert (files.folder / "report.txt").read_text() == "late"
    outline = outline_of(agent)
    assert [(state.name, state.is_start, dict(state.tools)) for state in outline.states] == [
        ("looking", True, {"search": "reading"}),
        ("reading", False, {"read": None, "report": "done"}),
        ("done", False, {}),
    ]
    assert outline.everywhere == ("calculator",)


def test_tools_of_a_file_that_no_state_has_are_not_offered(files):
    files.script("well")
    files.write("agent.yaml", MACHINE.replace("report: done", "read: done").replace("read: , ", ""))
    assert [tool.name for tool in outline_of(files.open()).tools] == ["search", "read", "calculator"]


def test_references_bring_notes_and_tools(files):
    files.write("notes/papers.md", "Look for reviews first.\n")
    files.script([("library_search", {"topic": "owls"})], "{library_search}")
    files.write("agent.yaml", """
        agent: simple
        description: Answer.
        model: scripted:script.yaml
        references:
          - name: library
            description: All papers.
            notes: {file: notes/papers.md}
            tools: [./papers.py]
    """)  # fmt: skip
    agent = files.open()
    assert agent.run({"task": "x"}).output == "papers on owls"
    [reference] = agent.agent.settings.references
    assert reference.section() == (
        "# Reference: library\nAll papers.\nIts tools: library_search, library_read, library_report.\n\n"
        "Look for reviews first."
    )


SHOP = '''
from dataclasses import dataclass

from toolkit import tool


@dataclass
class Customer:
    name: str

    @tool(read_only=True)
    def orders(self) -> str:
        """List the orders of the customer."""
        return f"{self.name} has ordered owls"


@tool(read_only=True)
def find_customer(name: str) -> Customer:
    """Find a customer."""
    return Customer(name)


class Nothing:
    """It has no tools."""
'''


@pytest.mark.parametrize("chaining", ["./shop.py:Customer", "['./shop.py:Customer']", "any"])
def test_objects_that_tools_return_bring_their_own(files, chaining):
    files.write("shop.py", SHOP)
    files.script([("find_customer", {"name": "Ada"})], [("orders", {})], "{orders}")
    files.write("agent.yaml", f"""
        agent: simple
        description: Serve customers.
        model: scripted:script.yaml
        tools: ["./shop.py:find_customer"]
        chaining: {chaining}
    """)  # fmt: skip
    agent = files.open()
    assert outline_of(agent).chaining == ("any" if chaining == "any" else "Customer",)
    assert agent.run({"task": "x"}).output == "Ada has ordered owls"


def test_wrong_classes_are_told_with_their_places(files):
    files.write("shop.py", SHOP)
    found = files.problems("""
        agent: playbook
        description: Serve customers.
        tools: ["./shop.py:find_customer"]
        chaining: ["./shop.py:Custmer", "./shop.py:find_customer", "./shop.py:Nothing", shop.py, no.where:Class]
        locks: {orders: find_customer}
    """)  # fmt: skip
    write = "(write file.py:Class, or package.module:Class)"
    assert found == [
        "agent.yaml:4:12: error[TK604]: nothing is named 'Custmer' in './shop.py' (did you mean 'Customer'?)",
        f"agent.yaml:4:33: error[TK604]: './shop.py:find_customer' is not a class {write}",
        "agent.yaml:4:60: error[TK602]: objects of 'Nothing' provide no tools (mark its methods with @tool)",
        f"agent.yaml:4:81: error[TK604]: 'shop.py' names no class {write}",
        f"agent.yaml:4:90: error[TK604]: there is no module 'no.where' {write}",
        "agent.yaml:5:9: error[TK604]: 'orders' is not one of the agent's tools (its tools are find_customer)",
    ]


def test_tools_of_references_need_a_state_too(files):
    files.write("agent.yaml", """
        agent: state_machine
        description: Look.
        tools: ["./papers.py:search"]
        states: {looking: [search]}
        references: [{name: more, description: More., tools: ["./papers.py:read"]}]
    """)  # fmt: skip
    [problem] = open_targets(["agent.yaml"], Configuration()).problems
    assert (problem.code, problem.message) == ("TK634", "the tool 'more_read' is in no state")


def test_agent_may_be_offered_what_it_sees_and_says_of_itself(files):
    files.script([("progress", {"status": "looking"})], "well")
    files.write("agent.yaml", """
        agent: simple
        description: Answer.
        model: scripted:script.yaml
        tools: [progress, communicate, agent_process, blackboard]
    """)  # fmt: skip
    heard = []
    agent = files.open()
    assert [tool.name for tool in outline_of(agent).tools] == ["progress", "communicate", "agent_process", "blackboard"]
    run = Run(channel=lambda message: heard.append((message.kind, message.text)))
    agent.run({"task": "x"}, ToolContext(run=run))
    assert heard == [("progress", "looking")]


def test_instructions_come_from_a_file_of_the_project(files):
    files.write("told/how.md", "\ufeffBe kind to ${{ inputs.who }}.\n")
    files.write("agent.yaml", """
        agent: simple
        description: Greet.
        instructions: {file: told/how.md}
        inputs: {who: {type: string}}
    """)  # fmt: skip
    assert files.open().definition.instructions.filled({"who": "Ada"}) == "Be kind to Ada."


def test_context_of_the_caller_reaches_the_tools_of_an_agent_in_a_pipeline(files):
    files.write("who.py", """
        from typing import Annotated

        from toolkit import MemoryId, ToolContext, tool


        @tool(read_only=True)
        def who(context: ToolContext, memory: Annotated[str, MemoryId]) -> str:
            \"\"\"Tell who asks.\"\"\"
            return f"{context['tenant']} {memory} chosen by a {context.chosen_by}"
    """)  # fmt: skip
    files.script([("who", {})], "{who}")
    files.write("agent.yaml", """
        agent: simple
        description: Tell.
        model: scripted:script.yaml
        tools: [./who.py]
    """)  # fmt: skip
    files.write("chain.yaml", "name: chain\ndescription: ChainedTools.\nsteps: [./agent.yaml]\n")
    context = ToolContext({"tenant": "acme"}, memory_id="m-1")
    assert load_pipeline("chain.yaml").run({"input": "x"}, context).output == "acme m-1 chosen by a model"


def test_long_results_are_cut_for_the_model(files):
    files.script([("search", {"topic": "o" * 50})], "{search}")
    files.write("agent.yaml", """
        agent: simple
        description: Search.
        model: scripted:script.yaml
        tools: [./papers.py]
        limits: {result: 12, unknown: 1}
    """)  # fmt: skip
    assert files.open().run({"task": "x"}).output == "papers on oo... [truncated, full length: 60 characters]"
    files.script([("no", {})], [("no", {})], [("no", {})], "well")
    assert "2 times in a row" in files.open().run({"task": "x"}).error


def test_limits_can_be_as_low_as_those_of_an_agent_in_python(files):
    files.script([("no", {})], "well")
    files.write("agent.yaml", """
        agent: simple
        description: Search.
        model: scripted:script.yaml
        tools: [./papers.py]
        limits: {unknown: 0, at_once: 1}
    """)  # fmt: skip
    agent = files.open()
    assert agent.definition.limits == Limits(unknown=0, at_once=1)
    assert agent.run({"task": "x"}).error == (
        "the model has called a tool that does not exist, 'no'; there are: read, report, search"
    )


@pytest.mark.parametrize(("captures", "kind"), [("true", "Paper"), ("false", "NoneType")])
def test_objects_of_agents_among_the_tools_are_taken_where_the_file_says_so(files, captures, kind):
    files.write("making.py", """
        from dataclasses import dataclass

        from toolkit import tool


        @dataclass
        class Paper:
            title: str


        @tool(read_only=True)
        def make(title: str) -> Paper:
            \"\"\"Make a paper.\"\"\"
            return Paper(title)
    """)  # fmt: skip
    files.script([("make", {"title": "owls"})], "made", name="inner_script.yaml")
    files.script([("inner", {"task": "make one"})], "done", name="outer_script.yaml")
    said = "agent: simple\ndescription: Work.\nmodel: scripted:{0}_script.yaml\ntools: [{1}]\n"
    files.write("inner.yaml", said.format("inner", "./making.py"))
    files.write("outer.yaml", f"{said.format('outer', './inner.yaml')}capture_nested_artifacts: {captures}\n")
    assert type(files.open("outer.yaml").run({"task": "x"}).artifact).__name__ == kind


def test_calls_side_by_side_share_nothing(files):
    files.script([("read", {"paper": "one"})], [("search", {"topic": "x"})], [("read", {"paper": "two"})], "{read}")
    files.write("agent.yaml", """
        agent: playbook
        description: Read ${{ what }} there is.
        model: scripted:script.yaml
        instructions: Speak ${{ inputs.language }}.
        tools: [./papers.py]
        inputs: {language: {type: string, default: English}}
        locks: {read: search}
    """)  # fmt: skip
    agent = files.open()

    async def both():
        calls = (agent.call({"task": str(number), "language": "Norsk"}) for number in range(5))
        return [result.output for result in await asyncio.gather(*calls)]

    assert asyncio.run(both()) == ["two says so"] * 5


# -------------------------------------------------------------------------------------------- agents, pipelines, groups


def test_agent_is_a_step_of_a_pipeline_and_a_pipeline_a_tool_of_an_agent(files):
    files.script([("shout", {"input": "owls"})], "{shout}")
    files.write("shout.yaml", """
        name: shout
        description: Look for a topic.
        tools: [./papers.py]
        steps: [{use: search, pipe: topic}]
    """)  # fmt: skip
    files.write("agents/helper.yaml", """
        agent: simple
        name: helper
        description: Answer.
        model: scripted:../script.yaml
        tools: [../shout.yaml]
    """)  # fmt: skip
    files.write("chain.yaml", """
        name: chain
        description: Ask, then read.
        tools: [./papers.py]
        steps:
          - use: agents/helper.yaml
          - use: read
    """)  # fmt: skip
    assert load_pipeline("chain.yaml").run({"input": "what is there?"}).output == "papers on owls says so"
    assert list(load_tools("agents")) == ["helper"]


def test_agent_is_a_tool_of_another_agent(files):
    files.script([("search", {"topic": "owls"})], "{search}", name="inner_script.yaml")
    files.script([("inner", {"task": "find owls"})], "it told: {inner}", name="outer_script.yaml")
    for name, tool in (("inner", "./papers.py"), ("outer", "./inner.yaml")):
        said = f"agent: simple\ndescription: Work.\nmodel: scripted:{name}_script.yaml\ntools: [{tool}]\n"
        files.write(f"{name}.yaml", said)
    outer = files.open("outer.yaml")
    asked = ScriptedReviewer([Continue()])
    assert outer.run({"task": "x"}, ToolContext(reviewer=asked)).output == "it told: papers on owls"


def test_agents_that_lead_back_to_themselves_are_refused(files):
    files.write("one.yaml", "agent: simple\ndescription: One.\ntools: [./two.yaml]\n")
    files.write("two.yaml", "name: two\ndescription: Two.\nsteps: [{use: ./one.yaml}]\n")
    [problem] = open_targets(["one.yaml"], Configuration()).problems
    assert str(problem.location) == "two.yaml:3:15"
    assert problem.code == "TK622"
    assert "one.yaml → two.yaml → one.yaml" in problem.message


def test_agents_that_lead_too_deep_are_refused(files):
    for depth in range(25):
        files.write(f"a{depth}.yaml", f"agent: simple\ndescription: Work.\ntools: [./a{depth + 1}.yaml]\n")
    [problem] = open_targets(["a0.yaml"], Configuration()).problems
    assert str(problem) == "a19.yaml:3:9: error[TK622]: files are nested more than 20 levels deep"
    assert open_targets(["a10.yaml"], Configuration()).problems[0].code == "TK604"


def test_pipeline_that_is_wanted_and_an_agent_that_is_there_are_told_apart(files):
    files.write("agent.yaml", "agent: simple\ndescription: Work.\n")
    with pytest.raises(InvalidPipeline) as caught:
        load_pipeline("agent.yaml")
    assert "'agent.yaml' is an agent, not a pipeline" in str(caught.value)


# ------------------------------------------------------------------------------------------------------ which model


def test_model_that_the_user_said_comes_before_that_of_the_file_and_that_before_the_configured_one(files):
    for name in ("said", "own", "configured"):
        files.script(name, name=f"{name}.yaml")
    files.write("agent.yaml", "agent: simple\ndescription: Answer.\nmodel: scripted:own.yaml\n")
    files.write("bare.yaml", "agent: simple\ndescription: Answer.\n")
    models = {"chosen_model": "scripted:said.yaml", "model": "scripted:configured.yaml"}
    without = {"model": "scripted:configured.yaml"}
    answers = [files.open(name, **given).run({"task": "x"}).output for name, given in (
        ("agent.yaml", models), ("agent.yaml", without), ("bare.yaml", models), ("bare.yaml", without),
    )]  # fmt: skip
    assert answers == ["said", "own", "said", "configured"]


def test_agent_without_a_model_can_be_looked_at_but_not_called(files):
    files.write("agent.yaml", "agent: simple\nname: helper\ndescription: Answer.\n")
    agent = files.open()
    assert outline_of(agent).model is None
    with pytest.raises(ConfigurationError, match="no model is set for the agent 'helper'"):
        agent.run({"task": "x"})


# ------------------------------------------------------------------------------------------------------ what is wrong


def test_everything_wrong_is_told_at_once(files):
    found = files.problems("""
        agent: smple
        nam: helper
        description: ""
        model: scriptd:script.yaml
        instructions: You are ${{ inputs.langage }} ${{ prev }}.
        tools: [calculater, ./no.py, 3]
        inputs:
          language: {type: strin, default: English}
        output: 3
        max_turns: 0
        budget: lots
        limits: {results: 3}
        references: [{nme: x}]
        steps: []
        base_url: http://localhost
    """)  # fmt: skip
    assert [line.partition(" (")[0] for line in found] == [
        "agent.yaml:1:8: error[TK602]: 'agent' must be 'simple', 'playbook' or 'state_machine', not the text 'smple'",
        "agent.yaml:2:1: error[TK602]: unknown key 'nam' in an agent",
        "agent.yaml:3:14: error[TK602]: 'description' must be text, not blank",
        "agent.yaml:4:8: error[TK602]: 'scriptd:script.yaml' is not the name of a model",
        "agent.yaml:5:34: error[TK605]: there is no input 'langage'",
        "agent.yaml:5:45: error[TK606]: only inputs can be used in text for a model",
        "agent.yaml:6:9: error[TK604]: nothing is named 'calculater'",
        "agent.yaml:6:21: error[TK604]: there is no file './no.py'",
        "agent.yaml:6:30: error[TK602]: a tool under 'tools' must be text, not 3",
        "agent.yaml:8:20: error[TK602]: 'type' must be 'string', 'integer', 'number', 'boolean', 'array', 'object' or 'null', or a list of them, not the text 'strin'",
        "agent.yaml:9:9: error[TK602]: 'output' must be a mapping, not 3",
        "agent.yaml:10:12: error[TK602]: 'max_turns' must be a whole number from 1 to 1,000, not 0",
        (
            "agent.yaml:11:9: error[TK602]: 'lots' is not a budget: 'lots' is not an amount; write '$0.50', '20k tokens', '30 calls', "
            "or several separated by commas"
        ),
        "agent.yaml:12:10: error[TK602]: unknown key 'results' in 'limits'",
        "agent.yaml:13:14: error[TK602]: a reference needs 'name'",
        "agent.yaml:13:15: error[TK602]: unknown key 'nme' in a reference",
        "agent.yaml:14:1: error[TK602]: unknown key 'steps' in an agent",
        "agent.yaml:15:1: error[TK602]: 'base_url' cannot be set in a file, because API keys are sent to it",
    ]


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("agent: playbook\nlocks: {read: report, report: read}",
         ["4:9: error[TK633]: the lock of 'read' can never open: it waits for tools that wait for it",
          "4:23: error[TK633]: the lock of 'report' can never open: it waits for tools that wait for it"]),
        ("agent: playbook\nlocks: {reed: search}", ["4:9: error[TK604]: 'reed' is not one of the agent's tools"]),
        ("agent: playbook\nlocks: {read: {al: [search]}}", ["4:16: error[TK602]: unknown key 'al' in the lock of 'read'"]),
        ("agent: playbook\nlocks: {read: {any: []}}", ["4:21: error[TK602]: the lock of 'read' waits for nothing"]),
        ("agent: simple\nlocks: {read: search}", ["4:1: error[TK602]: 'locks' is for another kind of agent"]),
        ("agent: state_machine", ["1:1: error[TK602]: a state machine needs 'states'"]),
        ("agent: state_machine\nstates: {}", ["4:9: error[TK602]: a state machine needs at least one state"]),
        ("agent: state_machine\nstates: {a: {search: b}}", ["4:22: error[TK631]: there is no state 'b'"]),
        ("agent: state_machine\nstates: {a: [search]}\nstart: b", ["5:8: error[TK631]: there is no state 'b'"]),
        ("agent: state_machine\nstates: {a: [search], b: [read]}",
         ["4:23: warning[TK632]: no tool leads to the state 'b'"]),
        ("agent: state_machine\nstates: {a: [serch]}", ["4:14: error[TK604]: 'serch' is not one of the agent's tools"]),
        ("agent: state_machine\nstates: {a: []}", ["2:9: warning[TK634]: no state has a tool of './papers.py'"]),
    ],
)  # fmt: skip
def test_wrong_locks_and_states_are_told_with_their_places(files, said, wrong):
    kind, _, rest = said.partition("\n")
    found = files.problems(f"{kind}\ntools: [./papers.py]\ndescription: Work.\n{rest}\n")
    assert [line.partition(" (")[0].removeprefix("agent.yaml:") for line in found] == wrong


def test_files_of_like_names_are_written_as_the_file_would_have_to_write_them(files):
    files.write("told/manual.md", "Be brief.")
    files.write("told/script.yaml", "turns: [done]")
    text = "agent: simple\ndescription: Work.\nmodel: scripted:told/scrpt.yaml\ntools: [./papes.py]\n"
    assert files.problems(f"{text}instructions: {{file: told/manul.md}}") == [
        "agent.yaml:3:8: error[TK602]: there is no script 'told/scrpt.yaml' (did you mean 'told/script.yaml'?)",
        "agent.yaml:4:9: error[TK604]: there is no file './papes.py' (did you mean './papers.py'?)",
        "agent.yaml:5:22: error[TK602]: there is no file 'told/manul.md' (did you mean 'told/manual.md'?)",
    ]


def test_budget_that_is_a_number_is_told_what_it_lacks(files):
    [found] = files.problems("agent: simple\ndescription: Work.\nbudget: 5\n")
    assert found.startswith("agent.yaml:3:9: error[TK602]: '5' is not a budget: '5' has no unit: dollars, tokens or")


def test_script_of_the_file_is_read_too_unless_another_model_answers(files):
    text = "agent: simple\ndescription: Work.\nmodel: scripted:script.yaml\n"
    found = files.problems(text)
    where = f"looked for in '{files.folder.resolve()}'"
    assert found == [f"agent.yaml:3:8: error[TK602]: there is no script 'script.yaml' ({where})"]
    files.write("script.yaml", "turns: [{cals: []}]")
    assert files.problems(text) == [
        "script.yaml:1:10: error[TK602]: unknown key 'cals' in a turn (did you mean 'calls'?)"
    ]
    assert open_targets(["agent.yaml"], Configuration(chosen_model="openai-chat:any")).problems == []
    files.write("script.py", "raise SystemExit")
    [problem] = files.problems(text.replace(".yaml", ".py"))
    assert problem == (
        "agent.yaml:3:8: error[TK602]: the script 'script.py' would run as code, which a file may not request "
        "(write it in YAML, or choose it yourself: --model scripted:script.py, or TOOLKIT_MODEL)"
    )


def test_tools_of_a_folder_beside_are_told_of_without_detours(files):
    files.write("agents/agent.yaml", "agent: simple\ndescription: Work.\ntools: [../papers.py]\n")
    files.write("chains/chain.yaml", "name: chain\ndescription: ChainedTools.\nsteps: [{use: ../agents/agent.yaml}]\n")
    assert {tool.spec.source for tool in files.open("agents/agent.yaml").parts.tools.values()} == {"papers.py"}
    [step] = load_pipeline("chains/chain.yaml").steps
    assert step.spec.source == "agents/agent.yaml"


@pytest.mark.parametrize("outside", ["../secret.txt", "/etc/hostname", "told/link.txt", "told/loop.txt"])
def test_text_beyond_the_folder_is_never_read(files, tmp_path, monkeypatch, outside):
    project = tmp_path / "project"
    (project / "told").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("key")
    (project / "told" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (project / "told" / "loop.txt").symlink_to(project / "told" / "loop.txt")
    monkeypatch.chdir(project)
    (project / "agent.yaml").write_text(f"agent: simple\ndescription: Tell.\ninstructions: {{file: {outside}}}\n")
    [problem] = open_targets(["agent.yaml"], Configuration(project)).problems
    assert (problem.code, str(problem.location)) == ("TK602", "agent.yaml:3:22")
    assert "secret" not in str(problem) or "outside" in problem.message


def test_problem_of_a_name_says_what_is_meant(files):
    [line] = files.problems("agent: simple\ndescription: Work.\ntools: [calculater]\n")
    assert line == "agent.yaml:3:9: error[TK604]: nothing is named 'calculater' (did you mean 'calculator'?)"


def test_two_tools_of_one_name_are_refused(files):
    files.write("more.py", TOOLS)
    found = files.problems("agent: simple\ndescription: Work.\ntools: [./papers.py, './more.py:search']\n")
    assert [line.partition(" (")[0] for line in found] == [
        "agent.yaml:3:22: error[TK103]: two tools are called 'search'"
    ]


def test_load_tools_raises_with_every_problem(files):
    files.write("agent.yaml", "agent: simple\ntools: [calculater]\nmax_turns: many\n")
    with pytest.raises(InvalidTools) as caught:
        load_tools("agent.yaml")
    assert [replace(problem, location=None, hint=None, fix=None) for problem in caught.value.problems] == [
        Problem("TK604", "nothing is named 'calculater'"),
        Problem("TK602", "'max_turns' must be a whole number from 1 to 1,000, not the text 'many'"),
    ]


STARTED = """
agent: state_machine
name: clerk
description: Handle an order.
model: scripted:script.yaml
prompt: Go.
tools: [papers.py]
inputs:
  state: {schema}
start: ${{{{ inputs.state }}}}
states:
  looking: {{search: reading}}
  reading: {{read: done}}
  done: {{report: null}}
"""


def test_an_input_can_name_the_state_in_which_a_machine_starts(files):
    files.script([("read", {"paper": "it"})], "Said: {read}")
    files.write("clerk.yaml", STARTED.format(schema="{type: string, default: looking}"))
    clerk = load_tools("clerk.yaml")["clerk"]
    assert clerk.run({}).output.startswith("Said: Error: This tool is not available in the current state (looking)")
    assert clerk.run({"state": "reading"}).output.startswith("Said: it says so")
    assert clerk.run({"state": "nowhere"}).error == (
        "Invalid parameter 'state': there is no state 'nowhere'; the states are looking, reading, done"
    )


@pytest.mark.parametrize("schema", ["{type: string, default: nowhere}", "{type: string, enum: [looking, nowhere]}"])
def test_an_input_for_the_start_offers_only_states(files, schema):
    files.script("done")
    files.write("clerk.yaml", STARTED.format(schema=schema))
    with pytest.raises(InvalidTools, match="there is no state 'nowhere'"):
        load_tools("clerk.yaml")
