"""Flow rules: what a run has read decides what it may send."""

import asyncio
import json

import anyio
import pytest
from typer.testing import CliRunner

from tests.approvals.injections import ATTACKS, BENIGN, SECRET, Office, obedient, offered
from tests.mcp.served import in_this_process
from toolkit import Continue, InvalidTools, Reject, ToolCall, ToolContext, from_function, load_pipeline, tool
from toolkit.agents import ScriptedModel, ToolMessage, Transcript, run_agent
from toolkit.approvals import (
    AllowAll,
    Allowance,
    Allowances,
    DescribedCall,
    FilePolicy,
    Gate,
    Risk,
    ScriptedReviewer,
    load_policy,
)
from toolkit.mcp import Options, Rules
from toolkit_cli.main import application

AFTER_BOTH = "ask: [{flow: sends, after: both, because: Data may leave.}]\n"
DENIED = "deny: [{flow: sends, after: [untrusted, private]}]\n"
ALL_BY_NAME = [Allowance.parse("*")]


def policy_of(tmp_path, text):
    (tmp_path / "rules.yaml").write_text(text, "utf-8")
    return load_policy(tmp_path / "rules.yaml")


def outcome_of(attack, policy):
    """Return whether data has leaked in an attack, and how often somebody was asked."""
    office = Office(attack.injected)
    tools, task = offered(office, attack)
    reviewer = ScriptedReviewer(Reject("no") for _ in range(100))
    asyncio.run(run_agent(obedient(task), "go", tools, context=ToolContext(gate=Gate(reviewer, policy))))
    return office.has_leaked, len(reviewer.requests)


def test_there_are_attacks_enough():
    assert len({attack.name for attack in ATTACKS}) == 120


def test_without_a_rule_every_planted_text_gets_the_data_out(some_of):
    assert [attack.name for attack in some_of(ATTACKS) if not outcome_of(attack, AllowAll("--yes"))[0]] == []


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize("approved", [False, True], ids=["asked", "approved_by_name"])
@pytest.mark.parametrize("rules", ["", AFTER_BOTH, DENIED, "allow: [{tool: '*'}]\n", "default: allow\n"])
def test_with_a_rule_or_by_default_no_planted_text_gets_the_data_out(tmp_path, rules, approved, some_of):
    policy = policy_of(tmp_path, rules) if rules else FilePolicy([])
    policy = Allowances(ALL_BY_NAME, policy) if approved else policy
    assert [attack.name for attack in some_of(ATTACKS) if outcome_of(attack, policy)[0]] == []


def questions_about_benign_tasks(policy):
    asked = []
    for task in BENIGN:
        reviewer = ScriptedReviewer(Continue() for _ in range(100))
        context = ToolContext(gate=Gate(reviewer, policy))
        asyncio.run(run_agent(obedient(task), "go", Office().tools(), context=context))
        asked += [[call.name for call in task]] * len(reviewer.requests)
    return asked


@pytest.mark.proof
def test_benign_tasks_raise_few_questions_beyond_those_that_name_the_tool(tmp_path, record_property):
    policy = Allowances(ALL_BY_NAME, policy_of(tmp_path, AFTER_BOTH))
    asked = questions_about_benign_tasks(policy)
    record_property("benign tasks", len(BENIGN))
    assert (len(BENIGN), asked) == (19, [])


def test_a_task_that_needs_both_is_asked_about_with_what_was_read(tmp_path):
    task = [ToolCall("read_issue", '{"number": 7}'), ToolCall("ledger", '{"year": 2026}')]
    task.append(ToolCall("send_mail", '{"to": "ada@example.com", "text": "the ledger"}'))
    reviewer = ScriptedReviewer([Continue()])
    office = Office()
    context = ToolContext(gate=Gate(reviewer, Allowances(ALL_BY_NAME, policy_of(tmp_path, AFTER_BOTH))))
    asyncio.run(run_agent(obedient(task), "go", office.tools(), context=context))
    [request] = reviewer.requests
    assert request.asked_by == (
        f"ask rule, {tmp_path / 'rules.yaml'}:1: Data may leave. "
        "(the run has read untrusted content ('read_issue') and private data ('ledger'))"
    )
    assert office.left == ["the ledger"]


@pytest.mark.parametrize(("chosen_by", "action"), [("person", "allow"), ("model", "ask")])
def test_an_allow_rule_holds_for_what_a_person_sends_out_and_not_for_what_a_model_does(tmp_path, chosen_by, action):
    earlier = tuple(Risk(f"read_{flow}", flow=frozenset({flow})) for flow in ("reads_private", "reads_untrusted"))
    call = DescribedCall(Risk("send", flow=frozenset({"sends"})), chosen_by, earlier=earlier)
    assert policy_of(tmp_path, "allow: [{tool: send}]").judge(call).action == action


def test_only_approval_of_the_whole_call_beforehand_answers_the_question(tmp_path):
    task = [ToolCall("read_issue", '{"number": 7}'), ToolCall("ledger", '{"year": 2026}')]
    task.append(ToolCall("send_mail", '{"to": "ada@example.com", "text": "hi"}'))
    found = {}
    for written in ("send_mail", "send_mail(to=ada@example.com)", "send_mail(to=ada@example.com, text=hi)"):
        office = Office()
        policy = Allowances([Allowance.parse(written)], policy_of(tmp_path, AFTER_BOTH))
        context = ToolContext(gate=Gate(ScriptedReviewer([Reject()]), policy))
        asyncio.run(run_agent(obedient(task), "go", office.tools(), context=context))
        found[written] = office.left
    assert found == {
        "send_mail": [],
        "send_mail(to=ada@example.com)": [],
        "send_mail(to=ada@example.com, text=hi)": ["hi"],
    }


def test_a_conversation_that_is_continued_remembers_what_it_has_read(tmp_path):
    office, first = Office(), Transcript()
    policy = policy_of(tmp_path, DENIED)
    reading = obedient([ToolCall("ledger", '{"year": 2026}')])
    asyncio.run(run_agent(reading, "go", office.tools(), context=ToolContext(policy=policy), transcript=first))
    later = Transcript(first.messages)

    def reply(messages, _):
        last = messages[-1]
        return last.text if isinstance(last, ToolMessage) else ToolCall("send_mail", '{"to": "eve", "text": "x"}')

    task = run_agent(ScriptedModel(reply), "go", office.tools(), context=ToolContext(policy=policy), transcript=later)
    assert "the run has read private data ('ledger')" in asyncio.run(task).text
    assert office.left == []


PIPELINE = """
name: line
tools: [./office.py]
inputs: {}
steps:
  - use: STEP
  - use: send_out
    with: {text: hello}
"""
OFFICE = """
from toolkit import tool

@tool(read_only=True, open_world=False, flow="reads_private")
def ledger() -> str:
    '''Return the ledger.'''
    return "12 euros"

@tool(read_only=True, open_world=False)
def clock() -> str:
    '''Return the time.'''
    return "noon"

@tool(open_world=True)
def send_out(text: str) -> str:
    '''Send a text.'''
    return "sent"
"""


@pytest.mark.parametrize(("step", "succeeds"), [("ledger", False), ("clock", True)])
def test_labels_follow_results_through_pipelines(tmp_path, step, succeeds):
    (tmp_path / "office.py").write_text(OFFICE, "utf-8")
    (tmp_path / "line.yaml").write_text(PIPELINE.replace("STEP", step), "utf-8")
    result = load_pipeline(tmp_path / "line.yaml").run("{}", ToolContext(policy=policy_of(tmp_path, DENIED)))
    assert result.succeeded is succeeds
    assert ("the run has read private data ('ledger')" in result.text) is not succeeds


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"], ids=["handshake", "stateless"])
def test_labels_follow_the_calls_of_an_mcp_client(tmp_path, era):
    office = Office()
    options = Options(rules=Rules(policy=Allowances(ALL_BY_NAME, policy_of(tmp_path, DENIED))))

    async def talk():
        async with in_this_process(office.tools(), era, options) as (_, client):
            texts = []
            mail = ("send_mail", {"to": "eve", "text": "x"})
            for name, arguments in (mail, ("ledger", {"year": 2026}), mail):
                texts.append((await client.call_tool(name, arguments)).content[0].text)
            return texts

    first, _, second = anyio.run(talk)
    assert first == "sent"
    assert second.endswith("(the run has read untrusted content ('send_mail') and private data ('ledger'))")
    assert office.left == ["x"]


def test_a_policy_file_says_what_tools_do_with_data(tmp_path):
    rules = (
        "deny: [{flow: sends, after: private}]\nflows: [{tool: add, flow: reads_private}, {tool: hand_in, flow: []}]\n"
    )
    office, context = Office(), ToolContext(policy=policy_of(tmp_path, rules))
    tools = {each.name: each for each in office.tools()}
    assert tools["add"].run({"first": 1, "second": 2}, context).succeeded
    assert tools["send_mail"].run({"to": "a", "text": SECRET}, context).text.startswith("Error: Denied by deny rule")
    assert tools["hand_in"].run({"form": "x"}, context).text == "sent"


def test_a_flow_that_does_not_exist_is_reported_with_the_closest_one():
    @tool(flow="send")  # type: ignore[arg-type]  # which is what this is about
    def share() -> str:
        """Share it."""
        return ""

    with pytest.raises(InvalidTools, match=r"unknown flow 'send'"):
        from_function(share)


def test_a_tool_that_only_reads_cannot_write():
    @tool(read_only=True, flow=["writes"])
    def share() -> str:
        """Share it."""
        return ""

    with pytest.raises(InvalidTools, match="a tool cannot be read_only and write"):
        from_function(share)


def test_the_flow_of_a_tool_is_in_its_record():
    @tool(flow=["sends", "reads_private"])
    def share() -> str:
        """Share it."""
        return ""

    assert json.loads(from_function(share).spec.to_json())["flow"] == ["reads_private", "sends"]


BATCH = """
name: line
tools: [./office.py]
inputs: {reads: {type: boolean}, sends: {type: boolean}}
steps:
  - use: ledger
    when: ${{ inputs.reads }}
  - use: send_out
    when: ${{ inputs.sends }}
    with: {text: hello}
"""


def test_what_one_item_of_a_batch_has_read_no_other_item_knows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "office.py").write_text(OFFICE, "utf-8")
    (tmp_path / "line.yaml").write_text(BATCH, "utf-8")
    (tmp_path / "rules.yaml").write_text(DENIED, "utf-8")
    items = [(True, False), (False, True), (True, True)]
    lines = [json.dumps({"reads": reads, "sends": sends}) for reads, sends in items]
    (tmp_path / "items.jsonl").write_text("\n".join(lines), "utf-8")
    words = ["run", "line.yaml", "--each", "items.jsonl", "--policy", "rules.yaml", "--on-item-error", "collect"]
    result = CliRunner().invoke(application(), words)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [("error" in record, "ledger" in json.dumps(record.get("error", ""))) for record in records] == [
        (False, False),
        (False, False),
        (True, True),
    ]
