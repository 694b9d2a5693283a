"""Lint reports what the policy of a project makes visible: about its rules, its tools and its pipelines."""

import pytest

TOOLS = '''
from toolkit import tool


@tool(destructive=True)
def drop_table(name: str) -> str:
    """Drop a table with all its rows."""
    return f"dropped {name}"
'''
PIPELINE = """
name: tidy
description: Drop the old tables.
tools: [./tools.py]
inputs: {table: {type: string}}
steps:
  - drop_table: {name: "${{ inputs.table }}"}
"""
DENIES = "toolkit: 1\ndeny:\n  - {tool: drop_table, because: Tables stay.}\n"
DENIED = (
    "tidy.yaml:7:5: error[TK623] step 'drop_table' can never run: 'drop_table' is denied by deny rule, {file}: "
    "Tables stay.\n"
)
CODES = ("--select", "TK005,TK009,TK515,TK516,TK623", "--format", "concise", "--quiet")


@pytest.fixture
def lines(project, invoke, monkeypatch):
    (project / "home" / "toolkit").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "home"))
    monkeypatch.delenv("CI", raising=False)
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "tidy.yaml").write_text(PIPELINE, "utf-8")

    def lint(*arguments, policy=None, toml=None):
        for name, text in (("toolkit.policy.yaml", policy), ("toolkit.toml", toml)):
            if text is not None:
                (project / name).write_text(text, "utf-8")
        result = invoke("lint", *arguments, *CODES)
        assert result.stderr == ""
        return result.exit_code, result.stdout

    return lint


def ended(result):
    return result.exit_code, result.stdout, result.stderr


def test_without_a_policy_nothing_is_reported(lines):
    assert lines() == (0, "")


def test_a_step_that_the_policy_denies_is_an_error_also_from_the_cache(lines):
    expected = (1, DENIED.format(file="toolkit.policy.yaml:3"))
    assert [lines(policy=DENIES), lines(), lines("tidy.yaml")] == [expected] * 3
    assert lines(policy=DENIES.replace("deny", "ask")) == (0, "")


@pytest.mark.proof
def test_a_step_whose_computed_argument_may_be_allowed_is_left_in_peace(lines):
    where = 'toolkit: 1\ndeny:\n  - {tool: drop_table, where: {name: {glob: "old_*"}}}\n'
    assert lines(policy=where) == (0, "")


def test_a_denied_step_is_found_in_the_table_of_the_configuration(lines):
    toml = '[[policy.deny]]\ntool = "drop_table"\nbecause = "Tables stay."\n'
    assert lines(toml=toml) == (1, DENIED.format(file="toolkit.toml:1"))


@pytest.mark.proof
def test_the_users_own_file_counts_only_where_it_is_named(lines, project):
    own = project / "home" / "toolkit" / "policy.yaml"
    own.write_text(DENIES, "utf-8")
    assert lines() == (0, "")
    assert lines("--policy", "home/toolkit/policy.yaml") == (1, DENIED.format(file="home/toolkit/policy.yaml:3"))
    own.write_text("toolkit: 1\nallow:\n  - {tool: '*', source: '*'}\n", "utf-8")
    wide = (
        "home/toolkit/policy.yaml:3:5: warning[TK516] this allow rule covers destructive tools that it does not name: "
        "'drop_table'\n"
    )
    assert lines("--policy", "home/toolkit/policy.yaml") == (0, wide)


@pytest.mark.proof
def test_a_users_rule_that_does_not_reach_tools_of_the_project_is_not_wide(lines, project):
    (project / "mine.yaml").write_text("toolkit: 1\nallow:\n  - {tool: '*'}\n", "utf-8")
    assert lines("--policy", "mine.yaml") == (0, "")


def test_a_destructive_tool_without_a_rule_is_a_remark_where_calls_are_judged_by_risk(lines):
    asks = "toolkit: 1\nask:\n  - {tool: file_write}\n"
    remark = "tools.py:6:5: info[TK515] no policy rule covers the destructive tool 'drop_table'\n"
    assert lines(policy=asks) == (0, remark)
    assert lines(policy=f"{asks}default: ask\n") == (0, "")


@pytest.mark.proof
def test_a_rule_that_nothing_matches_is_reported_where_the_whole_project_is_checked(lines):
    policy = DENIES.replace("drop_table", "drop_tabel").replace("deny", "ask") + "default: ask\n"
    unmatched = "toolkit.policy.yaml:3:5: warning[TK009] this ask rule names 'drop_tabel', but the project has no tool of that name\n"
    assert [lines(policy=policy), lines("."), lines("tools.py")] == [(0, unmatched), (0, unmatched), (0, "")]


@pytest.mark.proof
def test_a_policy_is_not_taken_for_a_pipeline_of_its_folder(lines, project, invoke):
    (project / "toolkit.policy.yaml").write_text("toolkit: 1\ndefault: ask\n", "utf-8")
    assert ended(invoke("lint", ".", "--select", "TK6", "--ignore", "TK614", "--quiet")) == (0, "", "")


def test_a_rule_may_be_about_a_tool_that_a_server_lists(lines):
    policy = "toolkit: 1\ndefault: ask\ndeny:\n  - {tool: shop.buy}\n"
    assert lines(policy=policy, toml='[mcp.shop]\ncommand = "shop"\n') == (0, "")


@pytest.mark.proof
def test_a_rule_that_nothing_matches_is_not_known_where_a_file_cannot_be_opened(lines, project):
    (project / "tools.py").write_text(f"{TOOLS}\nraise RuntimeError('no')\n", "utf-8")
    (project / "toolkit.policy.yaml").write_text("toolkit: 1\nask:\n  - {tool: drop_table}\n", "utf-8")
    assert "TK009" not in lines()[1]


@pytest.mark.proof
def test_a_mistake_in_a_policy_file_is_reported_and_nothing_else_of_it(lines):
    found = lines(policy=f"{DENIES}alow: []\n"), lines("--static")
    mistake = "toolkit.policy.yaml:4:1: error[TK005] unknown key 'alow'"
    assert [(code, text.startswith(mistake), text.count("\n")) for code, text in found] == [(1, True, 1)] * 2


def test_a_comment_in_the_policy_file_silences_a_finding(lines):
    policy = "toolkit: 1\ndefault: ask\nallow:\n  - {tool: 'drop_*'}  # toolkit: ignore[TK516]\n"
    assert lines(policy=policy) == (0, "")


def test_a_pipelines_steps_are_not_judged_by_what_only_their_source_shows(lines):
    assert lines("--static", policy=DENIES) == (0, "")
