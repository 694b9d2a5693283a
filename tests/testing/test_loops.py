"""Cases that judge a whole conversation with a model: its calls are made, stubbed and gated, and every turn recorded."""

import json
import subprocess
import sys

import pytest

from tests.chat_server import ChatServer
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage

TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def price(order: str) -> float:
    """Look up what an order cost."""
    return 40.0


@tool(destructive=True)
def refund(order: str, euros: float) -> str:
    """Pay money back for an order."""
    raise SystemExit("the world was touched")
'''
CASES = """\
cases:
  - name: broken goods
    ask: Order A-17 came broken. Give me my money back.
    tools: [shop.py]
    loop: true
    stub: {refund: done}
    answers: [{refund: approve}]
    expect:
      calls: [{price: {order: A-17}}, {refund: {order: A-17, euros: "${{ 39 <= item <= 41 }}"}}]
      ordered: true
      asked: [{refund: {order: A-17, euros: 40.0}}]
      output: "Refunded: done"
      within: {tokens: 360}
"""
MODEL = """
import json

from toolkit import ToolCall
from toolkit.agents import ModelReply, Usage


def reply(messages, tools):
    calls = {calls!r}
    turn = sum(isinstance(one, ModelReply) for one in messages)
    if turn < len(calls):
        made = tuple(ToolCall(name, json.dumps(arguments)) for name, arguments in calls[turn])
        return ModelReply("", made, Usage(100, 20))
    return ModelReply(f"Refunded: {{messages[-1].text}}", (), Usage(100, 20))
"""
PRICE, REFUND = ("price", {"order": "A-17"}), ("refund", {"order": "A-17", "euros": 40})


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    return project


@pytest.fixture
def judge(shop, program):
    """Run the case with a model that makes these calls turn by turn, and return the exit code and what is wrong."""

    def run(calls, cases=CASES):
        (shop / "shop.cases.yaml").write_text(cases, "utf-8")
        (shop / "model.py").write_text(MODEL.format(calls=calls), "utf-8")
        words = ("--model", "scripted:model.py", "--format", "json", "--no-cache")
        finished = program("test", "shop.cases.yaml", *words)
        assert not finished.stderr
        [found] = json.loads(finished.stdout)["cases"]
        hints = [one for problem in found["problems"] for one in (problem["hint"] or "").splitlines()]
        return finished.returncode, [one["message"].removeprefix("broken goods: ") for one in found["problems"]] + hints

    return run


def test_all_calls_of_the_conversation_the_questions_and_the_answer_are_judged(judge):
    assert judge([[PRICE], [REFUND]]) == (0, [])


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        ([[REFUND], [PRICE]], [
            """call 1 is 'refund' with {"order": "A-17", "euros": 40}, so the order is another one""",
            'also: output is "Refunded: 40.0", not "Refunded: done"',
        ]),
        ([[PRICE], [("refund", {"order": "A-17", "euros": 80})]], [
            "refund.euros is 80, and ${{ 39 <= item <= 41 }} is false, not true",
            "also: question 1: refund.euros is 80.0, not 40.0",
        ]),
        ([[PRICE, ("refund", {"order": "A-17"})], [REFUND]], [
            "refund.euros is missing",
            """also: 'refund' is called needlessly, with {"order": "A-17"}""",
        ]),
        ([[PRICE], [REFUND], [PRICE]], [
            "it failed [budget]: the budget is used up: 360 of 360 tokens",
            """also: 'price' is called needlessly, with {"order": "A-17"}""",
        ]),
        ([[PRICE, REFUND, REFUND]], [
            """nobody foresaw the question about 'refund' with {"order": "A-17", "euros": 40.0}; add an answer""",
            """also: 'refund' is called needlessly, with {"order": "A-17", "euros": 40}""",
            """also: 'refund' was asked about once more, with {"order": "A-17", "euros": 40.0}""",
        ]),
    ],
)  # fmt: skip
def test_mistakes_in_any_turn_fail_the_case(judge, calls, wanted):
    assert judge(calls) == (1, wanted)


@pytest.mark.parametrize(
    ("change", "code", "wanted"),
    [
        (("loop: true", "loop: 2"), 1, ["it failed [agent]: the agent has used up its 2 requests to the model without finishing"]),
        (("{refund: done}", "{refnd: done}"), 2, ["'ask' calls no tool named 'refnd'", "did you mean 'refund'?"]),
        (("[{price: ", "[{prize: "), 2, ["'ask' calls no tool named 'prize'", "did you mean 'price'?"]),
    ],
)  # fmt: skip
def test_limits_and_names_count(judge, change, code, wanted):
    assert judge([[PRICE], [REFUND]], CASES.replace(*change)) == (code, wanted)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{name: a, ask: b, tools: shop.py, answers: [{refund: approve}], expect: {calls: []}}",
         "'answers' is not for a case that asks a model"),
        ("{name: a, ask: b, tools: shop.py, loop: true, with: {a: 1}, expect: {calls: []}}",
         "'with' is not for a case that asks a model"),
        ("{name: a, run: shop.py:price, loop: true}", "'loop' is only for a case with 'ask'"),
        ("{name: a, ask: b, tools: shop.py, loop: 0, expect: {calls: []}}",
         "'loop' must be true, or a whole number, one or more, not 0"),
        ("{name: a, ask: b, tools: shop.py, loop: true, expect: {found: 5, calls: [price]}}",
         "'found' needs 'calls', which names the tools that are looked for, and nothing else"),
    ],
)  # fmt: skip
def test_keys_that_do_not_fit_are_errors(shop, program, text, message):
    (shop / "shop.cases.yaml").write_text(f"cases: [{text}]\n", "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache")
    assert finished.returncode == 2
    assert finished.stderr.splitlines()[0].partition(": ")[2] == message


def reply(messages, tools):
    turn = sum(isinstance(one, ModelReply) for one in messages)
    if turn < 2:
        name, arguments = (PRICE, REFUND)[turn]
        return ModelReply("", (ToolCall(name, json.dumps(arguments)),), Usage(100, 20))
    return ModelReply(f"Refunded: {messages[-1].text}", (), Usage(100, 20))


@pytest.fixture
def recorded(shop, program):
    """A project whose conversation was recorded with a server that is gone."""
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("test", "shop.cases.yaml", "--record", "--model", "chat:trip", "--base-url", server.url)
        finished = program(*words, "--no-cache")
        assert (finished.returncode, finished.stdout, finished.stderr) == (
            0,
            "1 passed, 1 recorded (1 case in 1 file)\n",
            "",
        )
        assert len(server.asked) == 3
    return shop


@pytest.mark.parametrize("options", [(), ("--strict",), ("--model", "chat:trip")])
def test_every_turn_replays_with_the_server_gone(recorded, program, options):
    finished = program("test", "shop.cases.yaml", "--no-cache", *options)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "1 passed (1 case in 1 file)\n", "")


@pytest.mark.proof
def test_pytest_replays_every_turn_too(recorded):
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    finished = subprocess.run(words, cwd=recorded, capture_output=True, encoding="utf-8", check=False)
    assert (finished.returncode, finished.stdout.splitlines()[-1].partition(" in ")[0]) == (0, "1 passed")


CHANGED = """\
error: broken goods: request 2 of the conversation has changed since it was recorded with 'chat:trip'
 --> shop.cases.yaml:3:10
  |
3 |     ask: Order A-17 came broken. Give me my money back.
  |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
hint: `toolkit test` with `--record --model chat:trip` asks the model

1 cannot be run, 0 passed (1 case in 1 file)
"""


def test_a_tool_that_returns_something_else_ends_a_replay(recorded, program):
    (recorded / "shop.py").write_text(TOOLS.replace("40.0", "50.0"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache")
    assert (finished.returncode, finished.stdout, finished.stderr) == (2, CHANGED, "")


def test_a_changed_description_makes_the_conversation_stale_once(recorded, program):
    (recorded / "shop.py").write_text(TOOLS.replace("Look up what", "Find out what"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache", env={"COLUMNS": "200"})
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.count("its recorded reply is stale") == 1
    assert finished.stdout.splitlines()[-1] == "1 passed, 1 stale (1 case in 1 file)"
