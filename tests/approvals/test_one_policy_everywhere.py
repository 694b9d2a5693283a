"""One policy holds everywhere: the command line, programs, pipelines, agents and MCP give the same answers."""

import asyncio
import json
import re
import subprocess
import sys

import anyio
import mcp_types as types
import pytest
from typer.testing import CliRunner

from tests.approvals.policy_rows import CLOSED, DESK, MARKS, ORDER, ROWS
from tests.mcp.served import in_this_process, over_stdio
from toolkit import Reject, ToolCall, ToolContext, load_pipeline, load_tools
from toolkit.agents import AgentTool, ScriptedModel, run_agent
from toolkit.approvals import ScriptedReviewer, load_policy
from toolkit.disclosure import UnfoldingTool
from toolkit.events import ApprovalDecided
from toolkit.mcp import Options, Rules
from toolkit_cli.main import application

BY_MODEL = [row for row in ROWS if row.chosen_by == "model"]
BY_PERSON = [row for row in ROWS if row.chosen_by == "person"]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))
    monkeypatch.setenv("CI", "")
    (tmp_path / "desk.py").write_text(DESK, "utf-8")
    (tmp_path / "toolkit.toml").write_text('sources = ["desk.py"]\n', "utf-8")
    return tmp_path


@pytest.fixture
def tools(desk):
    return {**load_tools("desk.py"), **load_tools("calculator")}


class Decisions:
    """A place where calls are judged, and how each is seen to have ended there."""

    def __init__(self, rules):
        self.reviewer = ScriptedReviewer(Reject("no") for _ in range(1_000))
        self.events = []
        self.policy = load_policy(rules)

    def context(self, chosen_by="person"):
        return ToolContext(reviewer=self.reviewer, policy=self.policy, listener=self.events.append, chosen_by=chosen_by)

    def taken(self, text):
        """Return what was decided about the last call, and the line that did, as far as it is told."""
        asked, told = list(self.reviewer.requests), [one for one in self.events if isinstance(one, ApprovalDecided)]
        self.reviewer.requests.clear()
        self.events.clear()
        if asked:
            return "ask", line_in(asked[0].asked_by)
        if "Denied by" in text:
            return "deny", line_in(text)
        assert text in {"done", "2"}, text
        return "allow", line_in(told[0].by) if told else None


def line_in(words):
    """Return the line of a policy file that words name; 0 where it was the risk."""
    found = re.search(r"rules\.yaml:(\d+)", words)
    return int(found[1]) if found else 0


def is_as_expected(row, found):
    """Return whether a decision is that of a row; who allowed what nobody would have been asked about is not told."""
    decision, line = found
    return decision == row.decision and (line == row.line or (line is None and decision == "allow"))


def rule_sets(rows, folder):
    """Yield each rule set as a file, with its rows."""
    for rules in dict.fromkeys(row.rules for row in rows):
        (folder / "rules.yaml").write_text(rules, "utf-8")
        yield "rules.yaml", [row for row in rows if row.rules == rules]


def test_the_table_has_rows_enough():
    assert len(BY_MODEL) >= 80
    assert len({row.name + row.rules for row in ROWS}) == len(ROWS)


@pytest.mark.proof
def test_the_command_line_decides_as_the_table_says(desk):
    wrong = []
    for rules, rows in rule_sets(ROWS, desk):
        for row in rows:
            words = [f"{name}:={json.dumps(value)}" for name, value in row.arguments.items()]
            options = ["--policy", rules, "--tools", "desk.py", "--chosen-by", row.chosen_by, "--format", "json"]
            result = CliRunner().invoke(application(), ["policy", "check", row.tool, *words, *options])
            [record] = json.loads(result.stdout)
            found = record["decision"], record["rule"]["line"] if record["rule"] else 0
            if found != (row.decision, row.line) or result.exit_code != (0 if row.decision == "allow" else 3):
                wrong.append((row.name, found))
    assert wrong == []


def test_a_program_decides_as_the_table_says(desk, tools):
    wrong = []
    for rules, rows in rule_sets(ROWS, desk):
        here = Decisions(rules)
        for row in rows:
            found = here.taken(tools[row.tool].run(row.arguments, here.context(row.chosen_by)).text)
            if not is_as_expected(row, found):
                wrong.append((row.name, found))
    assert wrong == []


@pytest.mark.proof
def test_pipelines_decide_as_the_table_says_also_parallel_ones(desk, tools):
    wrong = []
    rows_of_steps = [row for row in BY_PERSON if row.rules not in {CLOSED, MARKS}]  # these are about the pipeline too
    for rules, rows in rule_sets(rows_of_steps, desk):
        here = Decisions(rules)
        for row in rows:
            call = {"use": row.tool, "with": row.arguments}
            for steps in ([call], [{"parallel": {"only": [call]}}]):
                (desk / "line.yaml").write_text(
                    json.dumps({"name": "line", "tools": ["./desk.py"], "inputs": {}, "steps": steps}), "utf-8"
                )
                result = load_pipeline(desk / "line.yaml").run("{}", here.context())
                text = "done" if result.succeeded else result.text
                found = here.taken(text)
                if not is_as_expected(row, found):
                    wrong.append((row.name, steps, found))
    assert wrong == []


@pytest.mark.proof
def test_an_agent_decides_as_the_table_says(desk, tools):
    wrong = []
    for rules, rows in rule_sets(BY_MODEL, desk):
        here = Decisions(rules)
        for row in rows:
            found = here.taken(asked_by_model(row, tools.values(), here.context()))
            if not is_as_expected(row, found):
                wrong.append((row.name, found))
    assert wrong == []


def asked_by_model(row, tools, context):
    """Return what a model is told of the call that it chooses."""
    turns: list = [[ToolCall(row.tool, json.dumps(row.arguments))], f"{{{row.tool}}}"]
    return asyncio.run(run_agent(ScriptedModel(turns), "go", tools, context=context)).text


@pytest.mark.proof
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"], ids=["handshake", "stateless"])
def test_mcp_decides_as_the_table_says(desk, tools, era):
    wrong = []

    async def talk(rules, rows):
        asked = []

        async def refuse(context, question):
            asked.append(question)
            return types.ElicitResult(action="decline")

        options = Options(rules=Rules(policy=load_policy(rules)))
        async with in_this_process(tools.values(), era, options, elicitation_callback=refuse) as (_, client):
            for row in rows:
                text = (await client.call_tool(row.tool, row.arguments)).content[0].text
                found = ("ask", line_in(asked[0].message)) if asked else decision_in(text)
                asked.clear()
                if not is_as_expected(row, found):
                    wrong.append((row.name, found))

    for rules, rows in rule_sets(BY_MODEL, desk):
        anyio.run(talk, rules, rows)
    assert wrong == []


def decision_in(text):
    return ("deny", line_in(text)) if "Denied by" in text else ("allow", None)


def test_subagents_and_facades_decide_as_their_caller_would(desk, tools):
    (desk / "rules.yaml").write_text(ORDER + "default: ask\n", "utf-8")
    here = Decisions("rules.yaml")
    call = ToolCall("write", json.dumps({"path": "a", "text": "secret"}))
    clerk = AgentTool("clerk", "Does a task.", ScriptedModel([[call], "{write}"]), tools.values())
    turns: list = [[ToolCall("clerk", json.dumps({"task": "write it"}))], "{clerk}"]
    text = asyncio.run(run_agent(ScriptedModel(turns), "go", [clerk], context=here.context())).text
    assert here.taken(text) == ("deny", 3)
    facade = UnfoldingTool.of("desk", "The desk.", tools.values())
    turns = [[ToolCall("desk", "{}")], [call], "{write}"]
    text = asyncio.run(run_agent(ScriptedModel(turns), "go", [facade], context=here.context())).text
    assert here.taken(text) == ("deny", 3)


SERVER = """
[mcp.far]
command = "{python}"
args = ["-m", "toolkit_cli", "serve", "desk.py", "--yes"]
"""


@pytest.mark.proof
def test_tools_of_an_mcp_server_are_judged_where_they_are_called(desk):
    def run(*words):
        finished = subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *words],
            cwd=desk,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        return finished.returncode, finished.stdout, finished.stderr.strip()

    (desk / "toolkit.toml").write_text(SERVER.format(python=sys.executable), "utf-8")
    (desk / "rules.yaml").write_text(
        "allow: [{tool: far.note}]\ndeny: [{source: 'mcp://far', tool: '*fetch'}]\n", "utf-8"
    )
    flags = ("--policy", "rules.yaml", "--start", "far")
    said = "·       far_note: allowed by allow rule, rules.yaml:1"
    assert run("run", "far.note", "text=hi", *flags) == (0, "done\n", said)
    assert run("run", "far.fetch", "url=x", "--yes", *flags) == (
        3,
        "",
        "error: 'far_fetch' is denied by deny rule, rules.yaml:2",
    )
    assert run("run", "far.read", "path=x", *flags)[0] == 3


def test_a_server_keeps_to_the_policy_of_its_files(desk):
    (desk / "toolkit.policy.yaml").write_text("deny: [{tool: note, because: Nothing is noted.}]\n", "utf-8")

    async def talk():
        async with over_stdio(desk, "desk.py", "--yes") as client:
            return [
                (await client.call_tool("note", {"text": "x"})).content[0].text,
                (await client.call_tool("write", {"path": "x"})).content[0].text,
            ]

    assert anyio.run(talk) == ["Denied by deny rule, toolkit.policy.yaml:1: Nothing is noted.", "done"]


def test_every_item_of_a_batch_is_judged(desk):
    (desk / "rules.yaml").write_text("deny: [{tool: fetch, where: {url: {host: evil.example}}}]\n", "utf-8")
    (desk / "items.jsonl").write_text('{"url": "https://a.example/"}\n{"url": "https://evil.example/"}\n', "utf-8")
    words = ["run", "desk.py:fetch", "--each", "items.jsonl", "--policy", "rules.yaml", "--no-journal", "--yes"]
    result = CliRunner().invoke(application(), words)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one.get("output", one.get("error")) for one in records] == [
        "done",
        "Denied by deny rule, rules.yaml:1",
    ]


FOREIGN = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("desk")

@server.tool()
def jot(text: str) -> str:
    """Jot something down."""
    return "done"
'''


def test_tools_of_other_frameworks_are_judged_as_ours_are(desk):
    (desk / "foreign.py").write_text(FOREIGN, "utf-8")
    tool = load_tools("foreign.py")["jot"]
    assert tool.spec.risk.framework == "mcp_sdk"
    for rules, found in (
        ("deny: [{framework: mcp_sdk}]\n", ("deny", 1)),
        ("deny: [{tool: jot, where: {text: hi}}]\n", ("deny", 1)),
        ("ask: [{framework: [langchain, mcp_sdk]}]\n", ("ask", 1)),
        ("deny: [{framework: langchain}]\nallow: [{framework: mcp_sdk}]\n", ("allow", None)),
    ):
        (desk / "rules.yaml").write_text(rules, "utf-8")
        here = Decisions("rules.yaml")
        assert here.taken(tool.run({"text": "hi"}, here.context()).text) == found
