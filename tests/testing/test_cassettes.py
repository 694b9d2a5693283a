"""Cassettes: what a model replied is recorded, and judged again without the model, as long as the tools stay the same."""

import json
import subprocess
import sys

import pytest

from tests.chat_server import ChatServer
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage

DESK = '''
from toolkit import tool


@tool(destructive=True)
def refund(order: str, euros: float) -> str:
    """Pay money back for an order."""
    raise SystemExit("the world was touched")
'''
STOCK = DESK.replace("refund(order: str, euros: float)", "count(order: str)").replace("Pay money back for", "Count")
CASES = """\
cases:
  - name: broken goods
    ask: Order A-17 came broken. Give me my 40 euros back.
    tools: [desk.py]
    expect: {calls: [{refund: {order: A-17, euros: 40}}]}
  - name: how many
    ask: Count order A-17.
    tools: [stock.py]
    expect: {calls: [{count: {order: A-17}}]}
"""


def reply(messages, tools):
    name, arguments = {"Order": ("refund", {"order": "A-17", "euros": 40}), "Count": ("count", {"order": "A-17"})}[
        messages[-1].text.split()[0]
    ]
    assert [tool.name for tool in tools] == [name]
    return ModelReply("Yes.", (ToolCall(name, json.dumps(arguments)),), Usage(100, 20))


@pytest.fixture
def shop(project):
    (project / "desk.py").write_text(DESK, "utf-8")
    (project / "stock.py").write_text(STOCK, "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    return project


@pytest.fixture
def recorded(shop, program):
    """A project whose cases were recorded with a server that is gone."""
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("test", "shop.cases.yaml", "--record", "--model", "chat:trip", "--base-url", server.url)
        finished = program(*words, "--no-cache")
        assert (finished.returncode, finished.stderr) == (0, "")
        assert finished.stdout == "2 passed, 2 recorded (2 cases in 1 file)\n"
        assert len(server.asked) == 2
    return shop


@pytest.mark.parametrize("options", [(), ("--model", "chat:trip"), ("--strict",), ("--jobs", "2")])
def test_a_cassette_replays_with_the_server_gone(recorded, program, options):
    finished = program("test", "shop.cases.yaml", "--no-cache", *options)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "2 passed (2 cases in 1 file)\n", "")


def test_a_replay_is_judged_by_what_the_case_expects_now(recorded, program):
    (recorded / "shop.cases.yaml").write_text(CASES.replace("euros: 40", "euros: 50"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache")
    first, *_, last = finished.stdout.splitlines()
    assert (finished.returncode, first) == (1, "error[TK806]: broken goods: refund.euros is 40, not 50")
    assert last == "1 failed, 1 passed (2 cases in 1 file)"


STALE = """\
{severity}[TK514]: how many: its recorded reply is stale: 'count': the description was "Count an order.", and is "Count one order."
 --> shop.cases.yaml:6:11
  |
6 |   - name: how many
  |           ^^^^^^^^
  |
hint: `toolkit test` with `--record` asks the model again

{summary} (2 cases in 1 file)
"""


@pytest.mark.parametrize(
    ("options", "code", "severity", "summary"),
    [((), 0, "warning", "2 passed, 1 stale"), (("--strict",), 1, "error", "1 failed, 1 passed")],
)
def test_a_changed_description_makes_exactly_its_cases_stale(recorded, program, options, code, severity, summary):
    (recorded / "stock.py").write_text(STOCK.replace("Count an", "Count one"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache", *options, env={"COLUMNS": "200"})
    assert (finished.returncode, finished.stderr) == (code, "")
    assert finished.stdout == STALE.format(severity=severity, summary=summary)


@pytest.mark.proof
def test_pytest_replays_too_and_warns_about_stale_cases(recorded):
    (recorded / "stock.py").write_text(STOCK.replace("Count an", "Count one"), "utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    finished = subprocess.run(words, cwd=recorded, capture_output=True, encoding="utf-8", check=False)
    assert finished.returncode == 0
    assert "PytestWarning: how many: its recorded reply is stale: 'count': the description was" in finished.stdout
    assert finished.stdout.splitlines()[-1].startswith("2 passed, 1 warning in ")


def test_a_request_without_a_recording_says_what_to_run(recorded, program):
    (recorded / "shop.cases.yaml").write_text(CASES.replace("my 40", "the 40"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache")
    lines = finished.stdout.splitlines()
    assert finished.returncode == 2
    assert lines[0] == "error: broken goods: this request has changed since a reply of 'chat:trip' was recorded"
    assert "hint: `toolkit test` with `--record --model chat:trip` asks the model" in lines


def test_recording_again_replaces_what_was_recorded(recorded, program):
    before = (recorded / "shop.cassette.json").read_text("utf-8")
    (recorded / "stock.py").write_text(STOCK.replace("Count an", "Count one"), "utf-8")
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("--record", "--model", "chat:trip", "--base-url", server.url, "-k", "many", "--no-cache")
        assert program("test", "shop.cases.yaml", *words).returncode == 0
        assert len(server.asked) == 1
    after = (recorded / "shop.cassette.json").read_text("utf-8")
    assert "Count an order." in before
    assert "Count an order." not in after
    assert program("test", "shop.cases.yaml", "--strict", "--no-cache").returncode == 0


def test_recording_a_whole_file_drops_the_replies_to_cases_that_are_gone(recorded, program):
    (recorded / "shop.cases.yaml").write_text(CASES.replace("how many", "a count"), "utf-8")
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("test", "shop.cases.yaml", "--record", "--model", "chat:trip", "--base-url", server.url, "--no-cache")
        some, every, again = program(*words, "-k", "count"), program(*words), program(*words)
    assert [(one.returncode, one.stdout, one.stderr) for one in (some, every, again)] == [
        (0, "1 passed, 1 not run, 1 recorded (1 case in 1 file)\n", ""),
        (
            0,
            "2 passed, 2 recorded (2 cases in 1 file)\n",
            "shop.cassette.json: dropped the replies to 1 removed case\n",
        ),
        (0, "2 passed, 2 recorded (2 cases in 1 file)\n", ""),
    ]
    text = json.loads((recorded / "shop.cassette.json").read_text("utf-8"))
    assert [one["case"] for one in text["recordings"]] == ["broken goods", "a count"]


def test_a_secret_never_reaches_the_cassette(shop, program):
    secret = "correct-horse-battery-9"  # noqa: S105 - of nothing
    (shop / "shop.cases.yaml").write_text(CASES.replace("Give me", f"My key is {secret}. Give me"), "utf-8")
    (shop / "desk.py").write_text(DESK.replace("an order.", f"an order. Key: {secret}"), "utf-8")

    def repeats(messages, tools):
        return ModelReply(secret, (ToolCall("refund", json.dumps({"order": secret, "euros": 40})),))

    with ChatServer.of_model(ScriptedModel(repeats)) as server:
        words = ("--record", "--model", "chat:trip", "--base-url", server.url, "-k", "broken", "--no-cache")
        finished = program("test", "shop.cases.yaml", *words, env={"SHOP_API_KEY": secret, "TOOLKIT_MODEL_KEY": secret})
    assert finished.stdout.splitlines()[-1] == "1 failed, 0 passed, 1 not run, 1 recorded (1 case in 1 file)"
    text = (shop / "shop.cassette.json").read_text("utf-8")
    assert "My key is " in text
    assert secret not in text
    assert server.url not in text


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the JSON is broken: a key in double quotes is expected"),
        ("{}", "'shop.cassette.json' is not a cassette of this version; delete it, and record it again"),
        ('{"toolkit-cassette": 1, "definitions": {}, "recordings": [{}]}',
         "'shop.cassette.json' is not a cassette of this version; delete it, and record it again"),
    ],
)  # fmt: skip
def test_a_broken_cassette_is_an_error(shop, program, text, message):
    (shop / "shop.cassette.json").write_text(text, "utf-8")
    finished = program("test", "shop.cases.yaml", "--model", "chat:trip", "-k", "many", "--no-cache")
    assert finished.returncode == 2
    assert message in finished.stdout.splitlines()[0]


def test_a_cassette_is_never_written_through_a_link_or_over_another_file(shop, program, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "notes.json"
    elsewhere.write_text('{"toolkit-cassette": 1, "definitions": {}, "recordings": []}', "utf-8")
    before = elsewhere.read_text("utf-8")
    (shop / "shop.cassette.json").symlink_to(elsewhere)
    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("--record", "--model", "chat:trip", "--base-url", server.url, "--no-cache")
        finished = program("test", "shop.cases.yaml", *words)
    assert finished.returncode != 0
    assert elsewhere.read_text("utf-8") == before


def test_recording_without_a_choice_is_refused(shop, program):
    (shop / "shop.cases.yaml").write_text("cases: [{name: a, run: calculator, with: 6 * 7}]\n", "utf-8")
    finished = program("test", "shop.cases.yaml", "--record", "--no-cache")
    assert (finished.returncode, finished.stderr) == (
        2,
        "error: --record is for cases that ask a model, and there are none\n",
    )
