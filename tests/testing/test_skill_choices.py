"""Cases that ask a model which skill it loads, from the names and descriptions that clients offer."""

import json

import pytest

from tests.chat_server import ChatServer
from tests.lint.test_against import git
from toolkit import ToolCall
from toolkit.agents import ModelReply, ScriptedModel, Usage

REFUNDS = """\
---
name: refunds
description: Pays money back for orders that came broken. Use it if somebody wants <money> back.
---

1. Look up the price.
"""
RETURNS = """\
---
name: returns
description: Sends a label for goods that somebody sends back.
---

Send the label.
"""
TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def price(order: str) -> float:
    """Look up what an order cost."""
    return 40.0
'''
CASES = """\
cases:
  - name: broken goods
    ask: Order A-17 came broken. Give me my money back.
    skills: [skills]
    tools: shop.py
    expect: {skill: refunds}
  - name: a label
    ask: The cup is too small. I want to send it back.
    skills: [skills/refunds, skills/returns]
    expect: {skill: returns}
  - name: thanks
    ask: Thank you!
    skills: skills
    expect: {skill: none}
"""
MODEL = """
import json

from toolkit import ToolCall

LOADED = {loaded!r}


def reply(messages, tools):
    word = messages[-1].text.split()[0]
    if word not in LOADED:
        return messages[-1].text
    return [ToolCall("activate_skill", json.dumps({{"name": name}})) for name in LOADED[word]] or "Welcome."
"""
ONLY_IF_BROKEN = """
always = reply


def reply(messages, tools):
    is_for_me = "Order" not in messages[-1].text or "broken" in tools[-1].description
    return always(messages, tools) if is_for_me else "No."
"""
RIGHT = {"Order": ["refunds"], "The": ["returns"], "Thank": []}


@pytest.fixture
def shop(project):
    for name, text in (("refunds", REFUNDS), ("returns", RETURNS)):
        (project / "skills" / name).mkdir(parents=True)
        (project / "skills" / name / "SKILL.md").write_text(text, "utf-8")
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    return project


@pytest.fixture
def judge(shop, program):
    def run(loaded, *options, cases=CASES):
        (shop / "shop.cases.yaml").write_text(cases, "utf-8")
        if loaded is not None:
            (shop / "model.py").write_text(MODEL.format(loaded=loaded), "utf-8")
        return program("test", "shop.cases.yaml", "--model", "scripted:model.py", "--no-cache", *options)

    return run


def test_the_right_skills_pass(judge):
    finished = judge(RIGHT)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "3 passed (3 cases in 1 file)\n", "")


WRONG = """\
error[TK806]: broken goods: the skill 'returns' is loaded, not 'refunds'
 --> shop.cases.yaml:6:21
  |
6 |     expect: {skill: refunds}
  |                     ^^^^^^^
  |

error[TK806]: a label: the skill 'returns' is not loaded
  --> shop.cases.yaml:10:21
   |
10 |     expect: {skill: returns}
   |                     ^^^^^^^
   |

error[TK806]: thanks: the skill 'refunds' is loaded needlessly
  --> shop.cases.yaml:14:21
   |
14 |     expect: {skill: none}
   |                     ^^^^
   |

3 failed, 0 passed (3 cases in 1 file)
"""


def test_wrong_missing_and_needless_skills_fail(judge):
    finished = judge({"Order": ["returns"], "The": [], "Thank": ["refunds"]})
    assert (finished.returncode, finished.stderr) == (1, "")
    assert finished.stdout == WRONG


def test_which_skill_was_loaded_instead_is_in_the_figures(judge):
    finished = judge(RIGHT | {"Order": ["returns"]}, "--format", "json")
    [figures] = json.loads(finished.stdout)["figures"]
    assert figures["confusions"] == [
        {"asked": "", "called": "", "times": 1},
        {"asked": "skill refunds", "called": "skill returns", "times": 1},
        {"asked": "skill returns", "called": "skill returns", "times": 1},
    ]
    assert figures["grades"] == {"tool": 2, "valid": 3, "arguments": 3, "needless": 3}


OFFERED = """\
Load the instructions for a kind of task. If the task at hand matches the description of one of these skills, \
call this tool with its name before anything else.

<available_skills>
  <skill>
    <name>refunds</name>
    <description>Pays money back for orders that came broken. Use it if somebody wants &lt;money&gt; back.</description>
  </skill>
  <skill>
    <name>returns</name>
    <description>Sends a label for goods that somebody sends back.</description>
  </skill>
</available_skills>"""


def test_names_and_descriptions_are_offered_recorded_and_make_cases_stale(shop, program):
    def reply(messages, tools):
        loads = {"Order": "refunds", "The": "returns"}.get(messages[-1].text.split()[0])
        calls = (ToolCall("activate_skill", json.dumps({"name": loads})),) if loads else ()
        return ModelReply("", calls, Usage(100, 20))

    with ChatServer.of_model(ScriptedModel(reply)) as server:
        words = ("--record", "--model", "chat:m", "--base-url", server.url, "--no-cache")
        assert program("test", "shop.cases.yaml", *words).returncode == 0
        offered = server.asked[0].tools
    assert [tool.name for tool in offered] == ["price", "activate_skill"]
    assert offered[1].description == OFFERED
    assert offered[1].parameters["properties"]["name"]["enum"] == ["refunds", "returns"]
    text = RETURNS.replace("Sends a label", "Sends labels")
    (shop / "skills" / "returns" / "SKILL.md").write_text(text, "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache", "--strict", env={"COLUMNS": "200"})
    assert finished.returncode == 1
    assert finished.stdout.count("its recorded reply is stale: 'activate_skill': the description has changed") == 3


def test_skills_are_compared_with_those_of_a_revision(shop, judge):
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all")
    git("commit", "--quiet", "--message=skills")
    (shop / "skills" / "refunds" / "SKILL.md").write_text(REFUNDS.replace("came broken", "are late"), "utf-8")
    (shop / "model.py").write_text(MODEL.format(loaded=RIGHT) + ONLY_IF_BROKEN, "utf-8")
    finished = judge(None, "--against", "main", "--format", "json")
    [found] = json.loads(finished.stdout)["against"]
    assert (found["before"], found["now"]) == ([3, 3], [2, 3])
    assert [(one["name"], list(one["changes"])) for one in found["moved"]] == [("broken goods", ["activate_skill"])]


def test_a_conversation_receives_the_instructions(judge):
    case = "{name: a, ask: Order A-17 came broken., skills: skills, loop: true, expect: {skill: refunds, matches: Look up}}"
    finished = judge(RIGHT, cases=f"cases: [{case}]\n")
    assert (finished.returncode, finished.stdout) == (0, "1 passed (1 case in 1 file)\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{name: a, ask: b, tools: shop.py, expect: {skill: refunds}}",
         "'skill' needs 'skills', from which the model chooses"),
        ("{name: a, run: shop.py:price, skills: skills}", "'skills' is only for a case with 'ask'"),
        ("{name: a, ask: b, skills: skills, expect: {skill: refund}}", "a: no skill named 'refund' is offered"),
        ("{name: a, ask: b, skills: none, expect: {skill: none}}", "a: there is no 'SKILL.md' in 'none'"),
        ("{name: a, ask: b, skills: broken, expect: {skill: none}}", "a: the skill has no description"),
        ("{name: a, ask: b, skills: [skills, again], expect: {skill: none}}", "a: two skills are named 'returns'"),
        ("{name: a, ask: b, skills: skills, tools: activate.py, expect: {skill: none}}",
         "a: a tool has the name of the one that loads skills, 'activate_skill'"),
        ("{name: a, ask: b, skills: skills, expect: {found: 5, calls: [price]}}",
         "'found' needs 'calls', which names the tools that are looked for, and nothing else"),
    ],
)  # fmt: skip
def test_skills_that_cannot_be_offered_are_errors(shop, program, text, message):
    (shop / "broken").mkdir()
    (shop / "broken" / "SKILL.md").write_text("---\nname: broken\n---\n", "utf-8")
    (shop / "again").mkdir()
    (shop / "again" / "SKILL.md").write_text(RETURNS, "utf-8")
    (shop / "activate.py").write_text(TOOLS.replace("price", "activate_skill"), "utf-8")
    (shop / "empty.yaml").write_text("turns: [{say: Hello}]\n", "utf-8")
    (shop / "shop.cases.yaml").write_text(f"cases: [{text}]\n", "utf-8")
    finished = program("test", "shop.cases.yaml", "--model", "scripted:empty.yaml", "--no-cache")
    shown = f"{finished.stdout}{finished.stderr}".splitlines()[0]
    assert (finished.returncode, shown.partition(": ")[2]) == (2, message)
