"""Slips that people make in their first hour: each message says where it is, and what was meant."""

import pytest

TOOLS = '''from toolkit import tool


@tool(read_only=True)
def price(item: str) -> str:
    """Say what an item costs."""
    return f"{item}: 3 EUR"
'''


BAD_JSON = """\
error: argument 'item' is not JSON: a key in double quotes is expected, at line 1, column 2
hint: for plain text write item=…
"""


@pytest.fixture(autouse=True)
def files(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "orders").mkdir()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "calc"), 4, "error[TK001]: nothing is named 'calc'\nhint: did you mean 'calculator'?\n"),
        (("list", "oders/"), 4, "error[TK001]: there is no folder 'oders/'\nhint: did you mean 'orders'?\n"),
        (
            ("run", "shop.py:price", "item:={bad"),
            2,
            BAD_JSON,
        ),
    ],
)
def test_slip_on_the_command_line(invoke, words, code, said):
    done = invoke(*words)
    assert (done.exit_code, done.stdout, done.stderr) == (code, "", said)


@pytest.mark.parametrize(
    ("step", "place", "said"),
    [
        (
            "{name: one, use: price, with: {item: tea}}",
            "5:6",
            "unknown key 'name' in a step%0Ahint: did you mean 'id'?",
        ),
        ("{use: price, args: {item: tea}}", "5:18", "unknown key 'args' in a step%0Ahint: did you mean 'with'?"),
        ("{run: price}", "5:6", "unknown key 'run' in a step%0Ahint: did you mean 'use'?"),
        (
            "set: ${{ 1 + }}",
            "5:16",
            "the expression is incomplete%0Ahint: expressions are written as in Python: prev.name, len(prev) > 0",
        ),
    ],
)
def test_slip_in_a_step(project, invoke, step, place, said):
    head = "name: steps\ndescription: Say what things cost.\ntools: [./shop.py]\nsteps:\n"
    (project / "steps.yaml").write_text(f"{head}  - {step}\n", "utf-8")
    done = invoke("lint", "steps.yaml", "--select", "TK6", "--format", "github")
    line, _, column = place.partition(":")
    assert [
        one
        for one in done.stdout.splitlines()
        if f"line={line}," in one and f",col={column}," in one and one.endswith(said)
    ]
