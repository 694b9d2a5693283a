"""Cases that check without a model whether searches find a tool for a request."""

import json

import pytest

TOOLS = "".join(
    f'''
@tool(read_only=True)
def {name}(order: str) -> str:
    """{description}"""
    raise SystemExit("the world was touched")

'''
    for name, description in {
        "refund": "Pay money back for goods.",
        "cancel": "Stop a delivery before it leaves.",
        "price": "Look up what goods cost.",
        "back_up": "Save every file to the archive and back again, with money, goods and deliveries in mind.",
    }.items()
)
CASES = """\
cases:
  - name: money back
    ask: Please give me my money back.
    tools: [shop.py]
    expect: {{found: {found}, calls: [{tool}]}}
"""


@pytest.fixture
def search(program, project):
    def run(found, tool):
        (project / "shop.py").write_text(f"from toolkit import tool\n\n{TOOLS}", "utf-8")
        (project / "shop.cases.yaml").write_text(CASES.format(found=found, tool=tool), "utf-8")
        finished = program("test", "shop.cases.yaml", "--format", "json", "--no-cache")
        [case] = json.loads(finished.stdout)["cases"]
        problems = case["problems"]
        return finished.returncode, [
            line.removeprefix("also: ")
            for one in problems
            for line in [one["message"].removeprefix("money back: "), *(one["hint"] or "").split("\n")]
            if line
        ]

    return run


def test_a_tool_that_every_search_finds_passes(search):
    assert search(2, "refund") == (0, [])


def test_a_tool_that_is_found_too_late_or_not_at_all_fails_for_each_search(search):
    assert search(1, "back_up") == (
        1,
        ["a BM25 search finds 'back_up' at place 2, not among the first 1: after refund",
         "a regex search finds 'back_up' at place 2, not among the first 1: after refund"],
    )  # fmt: skip
    assert search(3, "cancel") == (
        1,
        ["our own search does not find 'cancel'", "a BM25 search does not find 'cancel'",
         "a regex search does not find 'cancel'"],
    )  # fmt: skip


def test_what_is_found_needs_the_names_of_tools(program, project):
    (project / "shop.py").write_text(f"from toolkit import tool\n\n{TOOLS}", "utf-8")
    (project / "shop.cases.yaml").write_text(
        "cases: [{name: a, ask: b, tools: [shop.py], expect: {found: 5}}]\n", "utf-8"
    )
    finished = program("test", "shop.cases.yaml", "--no-cache")
    message = "'found' needs 'calls', which names the tools that are looked for, and nothing else"
    assert (finished.returncode, finished.stderr.splitlines()[0]) == (2, f"error[TK602]: {message}")
