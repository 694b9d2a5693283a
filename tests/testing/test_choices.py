"""Cases that ask a model: what it chooses is compared, and nothing is called."""

import json
from textwrap import dedent

import pytest

TOOLS = '''
from toolkit import tool


@tool(destructive=True)
def refund(order: str, euros: float, reason: str = "damaged") -> str:
    """Pay money back for an order that has arrived."""
    raise SystemExit("the world was touched")


@tool(destructive=True)
def cancel(order: str) -> str:
    """Cancel an order that has not been sent yet."""
    raise SystemExit("the world was touched")


@tool(read_only=True)
def price(order: str, currency: str = "EUR") -> float:
    """Look up what an order cost."""
    raise SystemExit("the world was touched")
'''
CASES = """\
cases:
  - name: broken goods
    ask: The beans of order A-17 came broken. Give me my 40 euros back.
    tools: [shop.py]
    expect: {calls: [{refund: {order: A-17, euros: "${{ 39 <= item <= 41 }}"}}], not: [cancel]}
  - name: a cancellation
    ask: I no longer want order A-18.
    tools: shop.py
    expect: {calls: [{cancel: {order: A-18}}]}
  - name: two prices
    ask: What did A-17 and A-18 cost, in euros?
    tools: [shop.py:price, "shop.py:refund"]
    expect: {calls: [{price: {order: A-18}}, {price: {order: A-17, currency: EUR}}]}
  - name: thanks
    ask: Thank you!
    tools: [shop.py]
    expect: {calls: [], matches: elcome}
"""
MODEL = """
import json

from toolkit import ToolCall
from toolkit.agents import ModelReply

MISTAKES = {mistakes!r}
RIGHT = {{
    "The": [("refund", {{"order": "A-17", "euros": 40.0, "reason": "damaged"}})],
    "I": [("cancel", {{"order": "A-18"}})],
    "What": [("price", {{"order": "A-17"}}), ("price", {{"order": "A-18", "currency": "EUR"}})],
    "Thank": [],
}}


def reply(messages, tools):
    word = messages[-1].text.split()[0]
    calls = {{**RIGHT, **MISTAKES}}[word]
    made = tuple(ToolCall(name, json.dumps(arguments)) for name, arguments in calls)
    return ModelReply("" if made else "You are welcome.", made)
"""


@pytest.fixture
def choose(program, project):
    """Run cases with a model that makes planted mistakes, and return the messages of the cases that fail."""
    (project / "shop.py").write_text(TOOLS, "utf-8")

    def run(mistakes, *options, cases=CASES):
        (project / "shop.cases.yaml").write_text(dedent(cases), "utf-8")
        (project / "model.py").write_text(MODEL.format(mistakes=mistakes), "utf-8")
        finished = program(
            "test", "shop.cases.yaml", "--model", "scripted:model.py", "--format", "json", "--no-cache", *options
        )
        assert not finished.stderr
        found = json.loads(finished.stdout)["cases"]
        return finished.returncode, {
            one["name"]: one["problems"][0]["message"].removeprefix(f"{one['name']}: ")
            for one in found
            if one["problems"]
        }

    return run


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_a_model_without_mistakes_passes_every_case(choose, options):
    assert choose({}, *options) == (0, {})


@pytest.mark.parametrize(
    ("mistakes", "wanted"),
    [
        (
            {"The": [("cancel", {"order": "A-17"})], "Thank": [("price", {"order": "A-17"})]},
            {
                "broken goods": '\'cancel\' was called, with {"order": "A-17"}',
                "thanks": '\'price\' is called needlessly, with {"order": "A-17"}',
            },
        ),
        (
            {
                "The": [("refund", {"order": "A-17", "euros": 80})],
                "I": [("cancel", {"ordr": "A-18"})],
                "What": [("price", {"order": "A-17"}), ("price", {"order": "A-17"})],
            },
            {
                "broken goods": "refund.euros is 80, and ${{ 39 <= item <= 41 }} is false, not true",
                "a cancellation": "cancel.order is missing",
                "two prices": 'price.order is "A-17", not "A-18"',
            },
        ),
        (
            {
                "The": [("refund", {"order": "A-17", "euros": 40, "reason": "late"})],
                "I": [],
                "What": [("prices", {"orders": ["A-17", "A-18"]})],
            },
            {
                "broken goods": 'refund.reason is "late", and should not be there',
                "a cancellation": "'cancel' is not called",
                "two prices": "'prices' is called, and no tool has this name",
            },
        ),
    ],
)
def test_planted_mistakes_of_models_are_told_apart(choose, mistakes, wanted):
    assert choose(mistakes) == (1, wanted)


def test_the_order_of_calls_counts_if_the_case_says_so(choose):
    ordered = CASES.replace("currency: EUR}}]", "currency: EUR}}], ordered: true")
    message = """call 1 is 'price' with {"order": "A-17"}, so the order is another one"""
    assert choose({}, cases=ordered) == (1, {"two prices": message})
    right = {"What": [("price", {"order": "A-18"}), ("price", {"order": "A-17"})]}
    assert choose(right, cases=ordered) == (0, {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{name: a, ask: b, expect: {calls: []}}", "a case with 'ask' needs 'tools'"),
        ("{name: a, ask: b, tools: [shop.py]}", "a case with 'ask' expects nothing"),
        ("{name: a, run: b, ask: b, tools: [shop.py], expect: {calls: []}}", "'run' is not for a case that asks a model"),
        ("{name: a, ask: b, tools: [shop.py], expect: {output: c, calls: []}}", "'output' is not for a case that asks a model"),
        ("{name: a, run: shop.py:price, tools: [shop.py]}", "'tools' are offered to a model that is asked"),
        ("{name: a}", "a case needs 'run'"),
        ("{name: a, run: shop.py:price, expect: {found: 5, calls: [price]}}", "'found' is only for a case with 'ask'"),
        ("{name: a, run: shop.py:price, expect: {ordered: true}}", "'ordered' is only for a case with 'ask'"),
        ("{name: a, ask: b, tools: [shop.py], expect: {calls: [refnd]}}", "a: no tool named 'refnd' is offered"),
        ("{name: a, ask: b, tools: [shop.py], expect: {calls: [{price: {order: '${{ value }}'}}]}}", "there is no 'value'"),
        ("{name: a, ask: b, tools: [shop.py], expect: {calls: [{price: {order: '${{ result }}'}}]}}", "a case cannot read 'result'"),
        ("{name: a, ask: b, tools: [shop.py], model: 'scripted:none.yaml', expect: {calls: []}}", "a: there is no file '{folder}/none.yaml'"),
    ],
)  # fmt: skip
def test_a_choice_that_cannot_be_compared_is_an_error_of_the_file(program, project, text, message):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "shop.cases.yaml").write_text(f"cases: [{text}]\n", "utf-8")
    finished = program("test", "shop.cases.yaml", "--no-cache")
    assert finished.returncode in {2, 4}
    shown = f"{finished.stdout}{finished.stderr}".splitlines()[0]
    assert shown.partition(": ")[2] == message.replace("{folder}", str(project))


def test_a_model_that_does_not_answer_breaks_the_case(program, project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "none.yaml").write_text("turns: []\n", "utf-8")
    (project / "shop.cases.yaml").write_text(CASES, "utf-8")
    finished = program("test", "shop.cases.yaml", "--model", "scripted:none.yaml", "-k", "thanks", "--no-cache")
    assert (finished.returncode, finished.stdout.splitlines()[0]) == (
        2,
        "error: thanks: the script of 'scripted:none.yaml' has only 0 turns, but the agent made another request",
    )
