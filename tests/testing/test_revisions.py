"""Choices compared with those from the tools of a git revision: what moved, why, and what cannot be compared."""

import json

import pytest

from tests.chat_server import ChatServer
from tests.lint.test_against import git
from tests.testing.test_choices import CASES, MODEL, TOOLS
from tests.testing.test_figures import CAREFUL, DROP
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage

WORSE = TOOLS.replace(" that has not been sent yet", "")


@pytest.fixture
def shop(project, monkeypatch):
    """A repository whose tools have become worse since its only commit."""
    monkeypatch.setenv("PYTHONPATH", str(project))
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all")
    git("commit", "--quiet", "--message=shop")
    (project / "shop.py").write_text(WORSE, "utf-8")
    (project / "right.py").write_text(MODEL.format(mistakes={}), "utf-8")
    (project / "careful.py").write_text(CAREFUL, "utf-8")
    return project


@pytest.fixture
def against(shop, program):
    """Run cases with a scripted model, compared with a revision."""

    def run(revision, *options, cases="shop.cases.yaml"):
        words = ("test", cases, "--model", "scripted:careful.py", "--no-cache", "--against", revision)
        return program(*words, *options, env={"COLUMNS": "200"})

    return run


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_a_significant_drop_fails_and_names_the_definition_and_the_case(against, options):
    finished = against("main", "--repeat", "10", *options)
    assert (finished.returncode, finished.stderr) == (1, "")
    shown = finished.stdout[finished.stdout.index("MODEL  ", finished.stdout.index("ASKED FOR")) :]
    assert " ".join(shown.split()) == " ".join(f"{DROP} 10 failed, 30 passed (40 runs of 4 cases in 1 file)".split())


def test_the_same_definitions_move_nothing(against, shop):
    (shop / "shop.py").write_text(TOOLS, "utf-8")
    finished = against("HEAD", "--format", "json")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert json.loads(finished.stdout)["against"] == [
        {"model": "scripted:careful.py", "before": [4, 4], "now": [4, 4], "interval": [-0.4899, 0.4899],
         "dropped": False, "moved": []},
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------------- cassettes


def clerk(messages, tools):
    """A model that looks at one description, and does not see that the other one has changed."""
    says = {tool.name: tool.description for tool in tools}
    name, arguments = (
        ("cancel", {"order": "A-18"}) if "no longer" in messages[-1].text else ("price", {"order": "A-17"})
    )
    is_known = name not in says or "sent yet" in says[name] or name == "price"
    return ModelReply("", (ToolCall(name, json.dumps(arguments)),) if is_known else (), Usage(100, 20))


TWO = """\
cases:
  - {name: a cancellation, ask: I no longer want order A-18., tools: ["shop.py:cancel"], expect: {calls: [cancel]}}
  - {name: a price, ask: What did A-17 cost?, tools: ["shop.py:price"], expect: {calls: [price]}}
"""
UNRECORDED = """\
error: a cancellation: it was not compared with 'main': no reply of 'chat:m' to the definitions there is recorded
 --> shop.cases.yaml:2:12
  |
2 |   - {name: a cancellation, ask: I no longer want order A-18., tools: ["shop.py:cancel"], expect: {calls: [cancel]}}
  |            ^^^^^^^^^^^^^^
  |
hint: `toolkit test` with `--record --model chat:m` and the same `--against` asks the model

MODEL   BEFORE  NOW  CHANGE  95%
chat:m  1/1     1/1  +0%     -79% to +79%

1 cannot be run, 1 passed (2 cases in 1 file)
"""


@pytest.fixture
def record(shop, program):
    """Record the cases with a server that is gone afterwards, and return what was shown and how often it was asked."""
    (shop / "shop.cases.yaml").write_text(TWO, "utf-8")

    def run(*options):
        with ChatServer.of_model(ScriptedModel(clerk)) as server:
            words = ("--record", "--model", "chat:m", "--base-url", server.url, "--no-cache", *options)
            finished = program("test", "shop.cases.yaml", *words, env={"COLUMNS": "200"})
            return finished, len(server.asked)

    return run


@pytest.mark.proof
def test_requests_with_the_definitions_of_the_revision_that_are_not_recorded_are_named(record, program, shop):
    (shop / "shop.py").write_text(TOOLS.replace("has not been sent yet", "was not yet sent yet"), "utf-8")
    assert record()[0].returncode == 0
    finished = program("test", "shop.cases.yaml", "--against", "main", "--no-cache", env={"COLUMNS": "200"})
    assert (finished.returncode, finished.stdout, finished.stderr) == (2, UNRECORDED, "")


MOVED = """\
MODEL   BEFORE  NOW  CHANGE                 95%
chat:m  2/2     1/2  -50%, not significant  -91% to +27%

MOVED           BEFORE  NOW  95%           BY      CHANGED
a cancellation  1/1     0/1  -100% to +12% chat:m  'cancel': the description was "Cancel an order that has not been
 sent yet.", and is "Cancel an order."
"""


@pytest.mark.proof
def test_both_sides_are_recorded_and_replayed_and_what_is_the_same_is_asked_once(record, program):
    finished, asked = record("--against", "main")
    assert (finished.returncode, finished.stderr, asked) == (0, "", 3)
    replayed = program("test", "shop.cases.yaml", "--against", "main", "--no-cache", env={"COLUMNS": "200"})
    assert (replayed.returncode, replayed.stderr) == (0, "")
    for one, summary in ((finished, "1 failed, 1 passed, 2 recorded"), (replayed, "1 failed, 1 passed")):
        shown = f"{MOVED} {summary} (2 cases in 1 file)"
        assert " ".join(one.stdout[one.stdout.index("MODEL  ") :].split()) == " ".join(shown.split())


def test_a_stale_reply_is_never_compared(record, program, shop):
    record("--against", "main")
    (shop / "shop.py").write_text(TOOLS.replace("Cancel an order that", "Cancel any order that"), "utf-8")
    finished = program("test", "shop.cases.yaml", "--against", "main", "--no-cache", env={"COLUMNS": "200"})
    assert finished.returncode == 1
    assert "error[TK514]: a cancellation: its recorded reply is stale: 'cancel'" in finished.stdout


def test_conversations_are_compared_with_the_tools_of_the_revision(shop, against):
    (shop / "shop.py").write_text(TOOLS.replace('raise SystemExit("the world was touched")', "return 40.0"), "utf-8")
    git("commit", "--quiet", "--all", "--message=price")
    (shop / "shop.py").write_text(TOOLS.replace('raise SystemExit("the world was touched")', "return 50.0"), "utf-8")
    (shop / "careful.py").write_text(
        "def reply(messages, tools):\n"
        "    from toolkit import ToolCall\n"
        "    return messages[-1].text if len(messages) > 1 else ToolCall('price', '{\"order\": \"A-17\"}')\n",
        "utf-8",
    )
    case = "{name: loop, ask: How much?, tools: shop.py, loop: true, expect: {calls: [price], output: '40.0'}}"
    (shop / "shop.cases.yaml").write_text(f"cases: [{case}]\n", "utf-8")
    finished = against("HEAD")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "scripted:careful.py  1/1     0/1  -100%, not significant  -100% to +12%" in finished.stdout
    assert "no definition" in finished.stdout


# ------------------------------------------------------------------------------------------------ what is not there

NEW = """\
warning[TK001]: a new file: it was not compared with 'main': there is no file 'new.py'
 --> shop.cases.yaml:2:12
  |
2 |   - {name: a new file, ask: Thank you!, tools: [new.py], expect: {calls: []}}
  |            ^^^^^^^^^^
  |

MODEL                BEFORE  NOW  CHANGE  95%
scripted:careful.py  1/1     1/1  +0%     -79% to +79%

2 passed, 1 not compared (2 cases in 1 file)
"""


def test_a_file_that_did_not_exist_is_named(shop, against):
    (shop / "new.py").write_text(TOOLS, "utf-8")
    new = "{name: a new file, ask: Thank you!, tools: [new.py], expect: {calls: []}}"
    old = '{name: an old one, ask: Thank you!, tools: ["shop.py:price"], expect: {calls: []}}'
    (shop / "shop.cases.yaml").write_text(f"cases:\n  - {new}\n  - {old}\n", "utf-8")
    finished = against("main")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, NEW, "")
    (shop / "shop.cases.yaml").write_text(f"cases:\n  - {new}\n", "utf-8")
    alone = against("main")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert alone.stderr.splitlines()[0] == NEW.splitlines()[0].replace("warning", "error")


def test_tools_of_the_working_tree_do_not_stand_for_those_of_the_revision(shop, against):
    text = f'cases: [{{name: a, ask: Thank you!, tools: ["{shop}/shop.py"], expect: {{calls: []}}}}]\n'
    (shop / "shop.cases.yaml").write_text(text, "utf-8")
    finished = against("main")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "it was not compared with 'main': 'refund' comes from the working tree, 'shop.py'" in finished.stderr


def test_helpers_that_the_path_leads_to_are_those_of_the_revision(shop, against):
    (shop / "words.py").write_text('WORDS = "Cancel an order that has not been sent yet."\n', "utf-8")
    (shop / "tools").mkdir()
    text = (
        "from words import WORDS\n\nfrom toolkit import tool\n\n\n@tool(description=WORDS)\n"
        'def cancel(order: str) -> str:\n    return ""\n'
    )
    (shop / "tools" / "stock.py").write_text(text, "utf-8")
    git("add", "words.py", "tools")
    git("commit", "--quiet", "--message=words")
    (shop / "words.py").write_text('WORDS = "Cancel an order."\n', "utf-8")
    case = "{name: a, ask: I no longer want order A-18., tools: tools/stock.py, expect: {calls: [cancel]}}"
    (shop / "shop.cases.yaml").write_text(f"cases: [{case}]\n", "utf-8")
    finished = against("HEAD")
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "a      1/1     0/1  -100% to +12%  scripted:careful.py  'cancel': the description was" in finished.stdout


@pytest.mark.parametrize(
    ("revision", "message", "hint"),
    [
        ("mian", "error: there is no revision 'mian' in '{shop}'", "hint: did you mean 'main'?"),
        ("before.json", "error: 'before.json' cannot be read: No such file or directory", None),
        ("careful.py", "error: 'careful.py' is not a JSON report of `toolkit test`", None),
    ],
)
def test_what_is_neither_a_report_nor_a_revision_is_refused_before_anything_is_asked(
    shop, against, revision, message, hint
):
    finished = against(revision)
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.splitlines() == [message.format(shop=shop), *([hint] if hint else [])]


def test_without_a_repository_it_is_refused(shop, against):
    git("update-ref", "-d", "HEAD")
    (shop / ".git").rename(shop / "gone")
    finished = against("main")
    assert (finished.returncode, finished.stdout) == (2, "")
    message, hint = finished.stderr.splitlines()
    assert message.startswith(f"error: '{shop}' cannot be compared with a revision: not a git repository")
    assert hint == "hint: run it inside the working tree of a repository"


def test_a_file_is_a_report_even_if_there_is_a_branch_of_its_name(shop, against):
    git("branch", "report")
    before = against("main", "--format", "json")
    (shop / "report").write_text(before.stdout, "utf-8")
    assert "scripted:careful.py  3/4     3/4  +0%" in against("report").stdout
    assert "scripted:careful.py  4/4     3/4  -25%, not significant" in against("refs/heads/report").stdout


def test_it_is_for_cases_that_ask_a_model(shop, against):
    (shop / "shop.cases.yaml").write_text("cases: [{name: a, run: calculator, with: 6 * 7}]\n", "utf-8")
    finished = against("main")
    message = "error: --against is for cases that ask a model, and there are none\n"
    assert (finished.returncode, finished.stderr) == (2, message)


def test_a_tool_that_ends_the_process_there_is_named(shop, against):
    (shop / "shop.py").write_text(f"import os\n\nos._exit(3)\n{TOOLS}", "utf-8")
    git("commit", "--quiet", "--all", "--message=exits")
    (shop / "shop.py").write_text(TOOLS, "utf-8")
    finished = against("HEAD", "-k", "thanks")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.splitlines()[0].startswith("error[TK806]: thanks: it was not compared with 'HEAD': ")
