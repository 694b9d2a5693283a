"""Figures about models: two of them with planted mistakes are told apart exactly, and pass rates have an interval."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

from tests.chat_server import ChatServer
from tests.testing.test_choices import CASES, MODEL, TOOLS
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage
from toolkit.cases.figures import Rate  # private

HASTY = {"The": [("cancel", {"order": "A-17"})], "What": [("price", {"order": "A-17"})]}
EAGER = {
    "The": [("refund", {"order": "A-17", "euros": 80})],
    "I": [("cancel", {"ordr": "A-18"})],
    "Thank": [("price", {"order": "A-17"})],
}


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    (project / "hasty.py").write_text(MODEL.format(mistakes=HASTY), "utf-8")
    (project / "eager.py").write_text(MODEL.format(mistakes=EAGER), "utf-8")
    (project / "right.py").write_text(MODEL.format(mistakes={}), "utf-8")
    return project


TABLES = """\
MODEL              PASSED  95%     TOOL  VALID  ARGUMENTS  NOT NEEDLESS  TOKENS
scripted:hasty.py  2/4     15-85%  2/4   4/4    4/4        4/4           0
scripted:eager.py  1/4     5-70%   4/4   3/4    2/4        3/4           0

ASKED FOR  CALLED  TIMES  BY
none       price   1      scripted:eager.py
price      none    1      scripted:hasty.py
refund     cancel  1      scripted:hasty.py

5 failed, 3 passed (8 runs of 4 cases in 1 file)
"""


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_two_models_with_planted_mistakes_are_told_apart_exactly(shop, program, options):
    models = ("--model", "scripted:hasty.py", "--model", "scripted:eager.py")
    finished = program("test", "shop.cases.yaml", *models, "--no-cache", *options, env={"COLUMNS": "200"})
    assert (finished.returncode, finished.stderr) == (1, "")
    shown = finished.stdout[finished.stdout.index("MODEL ") :]
    assert without_times(shown) == TABLES
    failures = [line for line in finished.stdout.splitlines() if line.startswith("error")]
    assert failures == [
        'error[TK806]: broken goods (scripted:hasty.py): \'cancel\' was called, with {"order": "A-17"}',
        "error[TK806]: broken goods (scripted:eager.py): refund.euros is 80, and ${{ 39 <= item <= 41 }} is false, not true",
        "error[TK806]: a cancellation (scripted:eager.py): cancel.order is missing",
        "error[TK806]: two prices (scripted:hasty.py): 'price' is not called",
        'error[TK806]: thanks (scripted:eager.py): \'price\' is called needlessly, with {"order": "A-17"}',
    ]


def without_times(text):
    return re.sub(r" +TIME$|  +[\d.]+ s$", "", text, flags=re.MULTILINE)


def test_the_json_report_has_the_figures_and_the_definitions(shop, program):
    models = ("--model", "scripted:hasty.py", "--model", "scripted:right.py", "--repeat", "3")
    finished = program("test", "shop.cases.yaml", *models, "--format", "json", "--no-cache")
    report = json.loads(finished.stdout)
    assert [(one["model"], one["passed"], one["runs"], one["interval"]) for one in report["figures"]] == [
        ("scripted:hasty.py", 6, 12, [0.2538, 0.7462]),
        ("scripted:right.py", 12, 12, [0.7575, 1.0]),
    ]
    assert report["figures"][0]["grades"] == {"tool": 6, "valid": 12, "arguments": 12, "needless": 12}
    assert report["figures"][0]["confusions"] == [
        {"asked": "", "called": "", "times": 3},
        {"asked": "cancel", "called": "cancel", "times": 3},
        {"asked": "price", "called": "", "times": 3},
        {"asked": "price", "called": "price", "times": 3},
        {"asked": "refund", "called": "cancel", "times": 3},
    ]
    offered = report["cases"][0]["choice"]["tools"]
    assert [report["definitions"][offered[name]]["description"] for name in ("refund", "cancel")] == [
        "Pay money back for an order that has arrived.",
        "Cancel an order that has not been sent yet.",
    ]


def test_each_attempt_is_recorded_and_replayed(shop, program):
    asked = []

    def sometimes(messages, tools):
        asked.append(messages[-1].text)
        calls = (ToolCall("cancel", '{"order": "A-18"}'),) if len(asked) != 2 else ()
        return ModelReply("", calls, Usage(100, 10, None))

    with ChatServer.of_model(ScriptedModel(sometimes)) as server:
        words = ("--record", "--model", "chat:m", "--base-url", server.url, "-k", "cancellation", "--no-cache")
        first = program("test", "shop.cases.yaml", *words, "--repeat", "4")
    assert len(asked) == 4
    replayed = program("test", "shop.cases.yaml", "-k", "cancellation", "--repeat", "4", "--no-cache")
    assert [one.stdout.splitlines()[-1] for one in (first, replayed)] == [
        "1 failed, 3 passed, 3 not run, 4 recorded (4 runs of 1 case in 1 file)",
        "1 failed, 3 passed, 3 not run (4 runs of 1 case in 1 file)",
    ]
    assert "a cancellation (2 of 4): 'cancel' is not called" in replayed.stdout
    more = program("test", "shop.cases.yaml", "-k", "cancellation", "--repeat", "5", "--no-cache")
    assert more.returncode == 2
    assert "no reply of 'chat:m' is recorded for attempt 5" in more.stdout
    assert "`--record --model chat:m --repeat 5` asks the model" in more.stdout


def test_the_interval_is_the_one_of_wilson():
    """The example of Newcombe, Statistics in Medicine 17 (1998), pages 857 and 873: 81 of 263, and 56/70 against 48/80."""
    assert [round(end, 4) for end in Rate(81, 263).interval] == [0.2553, 0.3662]
    assert [round(end, 4) for end in Rate(56, 70).change_from(Rate(48, 80))] == [0.0524, 0.3339]


CAREFUL = """
import right


def reply(messages, tools):
    says = {tool.name: tool.description for tool in tools}
    if "no longer want" in messages[-1].text and "not been sent" not in says["cancel"]:
        return right.ModelReply("")
    return right.reply(messages, tools)
"""
DROP = """\
MODEL                BEFORE  NOW    CHANGE                    95%
scripted:careful.py  40/40   30/40  -25%, a significant drop  -40% to -11%

MOVED           BEFORE  NOW   95%            BY                   CHANGED
a cancellation  10/10   0/10  -100% to -61%  scripted:careful.py  'cancel': the description was "Cancel an order that has not been sent yet.", and is "Cancel an order."
"""


@pytest.fixture
def report(shop, program, monkeypatch):
    """Return a function that tests a model again after a change, against a report of the time before it."""
    monkeypatch.setenv("PYTHONPATH", str(shop))
    (shop / "careful.py").write_text(CAREFUL, "utf-8")

    def run(repeat, *options):
        words = ("test", "shop.cases.yaml", "--model", "scripted:careful.py", "--repeat", repeat, "--no-cache")
        before = program(*words, "--format", "json")
        assert before.returncode == 0, before.stderr
        (shop / "before.json").write_text(before.stdout, "utf-8")
        (shop / "shop.py").write_text(TOOLS.replace(" that has not been sent yet", ""), "utf-8")
        return program(*words, "--against", "before.json", *options, env={"COLUMNS": "200"})

    return run


def test_a_significant_drop_fails_and_names_the_definition_and_the_case(report):
    finished = report(10)
    assert (finished.returncode, finished.stderr) == (1, "")
    assert " ".join(DROP.split()) in " ".join(finished.stdout.split())
    assert finished.stdout.splitlines()[-1] == "10 failed, 30 passed (40 runs of 4 cases in 1 file)"


def test_a_drop_that_may_be_chance_is_shown_and_does_not_fail(report):
    finished = report(1)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "scripted:careful.py  4/4     3/4  -25%, not significant" in finished.stdout
    assert "a cancellation  1/1     0/1" in finished.stdout


def test_the_json_report_has_the_comparison(report):
    finished = report(10, "--format", "json")
    [found] = json.loads(finished.stdout)["against"]
    [moved] = found.pop("moved")
    assert found == {"model": "scripted:careful.py", "before": [40, 40], "now": [30, 40],
                     "interval": [-0.4019, -0.1108], "dropped": True}  # fmt: skip
    assert (moved["name"], moved["before"], moved["now"], list(moved["changes"])) == (
        "a cancellation", [10, 10], [0, 10], ["cancel"],
    )  # fmt: skip


def test_markdown_has_the_tables_of_the_comparison(report):
    finished = report(10, "--format", "markdown")
    _, *tables = finished.stdout.rstrip("\n").split("\n\n| ")[1:]
    assert [one.splitlines()[0] for one in tables] == [
        "model | passed | 95% | tool | valid | arguments | not needless | tokens | cost | time |",
        "asked for | called | times | by |",
        "model | before | now | change | 95% |",
        "moved | before | now | 95% | by | changed |",
    ]
    assert tables[1].splitlines()[1:] == ["| --- | --- | --- | --- |", "| cancel | none | 10 | scripted:careful.py |"]
    assert tables[2].splitlines()[2] == (
        "| scripted:careful.py | 40/40 | 30/40 | -25%, a significant drop | -40% to -11% |"
    )


def test_github_annotations_end_with_the_comparison(report):
    finished = report(10, "--format", "github")
    assert finished.stdout.splitlines()[-2:] == [
        (
            "::notice title=toolkit::model scripted:careful.py, before 40/40, now 30/40, change -25%25, a significant drop, "
            "95%25 -40%25 to -11%25"
        ),
        (
            "::notice title=toolkit::moved a cancellation, before 10/10, now 0/10, 95%25 -100%25 to -61%25, "
            "by scripted:careful.py, changed 'cancel': the description was \"Cancel an order that has not been sent yet.\", "
            'and is "Cancel an order."'
        ),
    ]


def test_junit_says_what_a_model_called_in_a_case_that_fails(report):
    finished = report(1, "--format", "junit")
    root = ET.fromstring(finished.stdout)  # noqa: S314 - our own output
    assert [
        (case.get("name"), {one.get("name"): one.get("value") for one in case.iter("property")})
        for case in root.iter("testcase")
        if case.find("properties") is not None
    ] == [("a cancellation", {"model": "scripted:careful.py", "asked": "cancel", "called": "", "faults": "tool"})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "error: 'before.json' is not a JSON report of `toolkit test`"),
        ('{"cases": [], "definitions": {}}', "error: 'before.json' has no results of these models for these cases"),
    ],
)
def test_a_report_that_cannot_be_compared_is_an_error(shop, program, text, message):
    (shop / "before.json").write_text(text, "utf-8")
    words = ("test", "shop.cases.yaml", "--model", "scripted:right.py", "--against", "before.json", "--no-cache")
    finished = program(*words)
    assert (finished.returncode, finished.stderr.splitlines()[0]) == (2, message)
