"""How large results may be: `result_tokens` in `run`, `serve`, agents and `toolkit test`; the tokens that are shown."""

import asyncio
import json

import pytest

from tests.mcp.served import over_stdio

TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def names(limit: int) -> list[str]:
    """List the names of people."""
    return ["person"] * limit


@tool(result_tokens=5, idempotent=True)
def report(title: str) -> str:
    """Write a report."""
    return title * 10
'''
TOO_MANY = "the result of 'names' has about 68 tokens, more than its limit of 20; ask for less, with 'limit'"
TOO_LONG = "the call was made, but the result of 'report' has about 10 tokens, more than its limit of 5; ask for less"
HINT = "hint: return less from it, or raise `result_tokens`, in its @tool(…) or under [defaults] in toolkit.toml\n"


@pytest.fixture
def folder(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "toolkit.toml").write_text("[defaults]\nresult_tokens = 20\n", "utf-8")
    return project


def test_run_refuses_a_result_that_is_too_large(invoke, folder):
    small = invoke("run", "tools.py:names", "limit=2")
    assert (small.exit_code, small.stdout, small.stderr) == (0, '["person","person"]\n', "")
    large = invoke("run", "tools.py:names", "limit=30")
    assert (large.exit_code, large.stdout, large.stderr) == (1, "", f"error: {TOO_MANY}\n{HINT}")
    marked = invoke("run", "tools.py:report", "title=Cats")
    assert (marked.exit_code, marked.stdout, marked.stderr) == (1, "", f"error: {TOO_LONG}\n{HINT}")


def test_result_within_a_pipeline_is_not_limited_but_that_of_the_pipeline_is(invoke, folder):
    steps = "toolkit: 1\nname: count\ntools: [./tools.py]\nsteps:\n  - {id: all, use: names, with: {limit: 30}}\n"
    (folder / "count.yaml").write_text(f"{steps}output: ${{{{ len(steps.all.output) }}}}\n", "utf-8")
    short = invoke("run", "count.yaml", "--quiet")
    assert (short.exit_code, short.stdout, short.stderr) == (0, "30\n", "")
    (folder / "count.yaml").write_text(f"{steps}output: ${{{{ steps.all.output }}}}\n", "utf-8")
    whole = invoke("run", "count.yaml", "--quiet", "--format", "json")
    assert (whole.exit_code, json.loads(whole.stdout)["error_code"]) == (1, "too_large")


def test_items_of_a_batch_have_the_same_limit(invoke, folder):
    (folder / "items.jsonl").write_text('{"limit": 2}\n{"limit": 30}\n', "utf-8")
    result = invoke("run", "tools.py:names", "--each", "items.jsonl", "--quiet")
    assert [json.loads(line).get("error") for line in result.stdout.splitlines()] == [None, TOO_MANY]


def test_clients_of_a_server_receive_the_refusal(folder):
    async def talk():
        async with over_stdio(folder, "tools.py", "--approve", "report") as client:
            return [
                await client.call_tool("names", {"limit": 30}),
                await client.call_tool("report", {"title": "Cats"}),
                await client.call_tool("names", {"limit": 2}),
            ]

    answers = asyncio.run(talk())
    assert [(one.is_error, one.content[0].text) for one in answers] == [
        (True, TOO_MANY),
        (True, TOO_LONG),
        (False, '["person","person"]'),
    ]


SCRIPT = """\
turns:
  - calls: [{tool: names, arguments: {limit: 30}}, {tool: report, arguments: {title: Cats}}]
  - Too many.
"""


def test_model_of_an_agent_receives_the_refusal(program, folder):
    (folder / "script.yaml").write_text(SCRIPT, "utf-8")
    agent = ("agent", "who is there?", "--model", "scripted:script.yaml", "--tools", "tools.py")
    finished = program(*agent, "--yes", "--quiet", "--transcript", "said.json")
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "Too many.\n", "")
    said = json.loads((folder / "said.json").read_text("utf-8"))["messages"]
    assert [one["text"] for one in said if one["role"] == "tool"] == [f"Error: {TOO_MANY}", f"Error: {TOO_LONG}"]


def test_tests_of_tools_and_cases_report_results_that_are_too_large(invoke, folder):
    checked = invoke("test", "tools.py", "--approve", "*", "--format", "json", "--examples", "10")
    assert checked.exit_code == 1
    found = [one for tool in json.loads(checked.stdout)["tools"] for one in tool["findings"]]
    assert {(one["kind"], one["severity"], one["message"].partition(" has")[0]) for one in found} == {
        ("result-budget", "error", "a result of 'names'"),
        ("result-budget", "error", "a result of 'report'"),
    }
    case = "cases:\n  - {name: many, run: tools.py:names, with: {limit: 30}, expect: {error: more than its limit}}\n"
    (folder / "many.cases.yaml").write_text(case, "utf-8")
    assert invoke("test", "many.cases.yaml").exit_code == 0


def test_tokens_of_definitions_and_results_are_shown(invoke, program, folder):
    listed = invoke("list", "tools.py", "-v")
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert listed.stdout == (
        "NAME    MARKS       ~TOKENS  FROM      DESCRIPTION\n"
        "names   read-only   38       tools.py  List the names of people.\n"
        "report  idempotent  36       tools.py  Write a report.\n"
        "\n"
        "all definitions together add about 74 tokens to each request\n"
    )
    shown = invoke("show", "tools.py:report").stdout
    assert "  tokens   about 36 in each request\n  most     5 tokens of a result\n" in shown
    ran = program("run", "tools.py:names", "limit=2", "-v")
    assert ran.stderr.endswith(" ms, about 5 tokens]\n")


def test_limit_that_is_no_number_is_reported(invoke, folder):
    (folder / "tools.py").write_text(TOOLS.replace("result_tokens=5", "result_tokens='5k'"), "utf-8")
    assert invoke("run", "tools.py:report", "title=Cats").stderr.startswith(
        "error[TK323]: result_tokens must be a whole number above zero, not '5k'\n"
    )
