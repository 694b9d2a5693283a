"""Policy files on the command line: what runs, what is asked about, what is denied, and which rule decides."""

import json

import pytest

TOOLS = '''
from toolkit import tool

@tool(destructive=True)
def write_note(path: str, text: str = "hello") -> str:
    """Write a note."""
    return f"wrote {path}"

@tool
def fetch(url: str) -> str:
    """Fetch a page."""
    return f"got {url}"
'''
RULES = """
toolkit: 1
deny:
  - tool: "*"
    where: {path: {outside: ["."]}}
    because: Writes stay inside the project.
    match: [{path: ../x}]
    no_match: [{path: a/b}]
ask:
  - tool: fetch
    where: {url: {not: {host: docs.python.org}}}
"""
PIPELINE = """
name: notes
description: Write notes.
tools: [./tools.py]
inputs: {url: {type: string}}
steps:
  - id: page
    use: fetch
    with: {url: "${{ inputs.url }}"}
  - use: write_note
    with: {path: "${{ steps.page.text }}"}
"""


@pytest.fixture
def desk(project, monkeypatch):
    (project / "home").mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "home"))
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "notes.yaml").write_text(PIPELINE, "utf-8")
    (project / "toolkit.policy.yaml").write_text(RULES.lstrip(), "utf-8")
    return project


def ended(result):
    return result.exit_code, result.stdout, result.stderr


def test_a_denied_call_exits_with_3_and_yes_does_not_help(desk, invoke):
    message = "error: 'write_note' is denied by deny rule, toolkit.policy.yaml:3: Writes stay inside the project.\n"
    for flags in ([], ["--yes"], ["--approve", "write_note"]):
        assert ended(invoke("run", "tools.py:write_note", "path=../x", *flags)) == (3, "", message)


def test_what_a_rule_asks_about_is_refused_without_a_terminal_and_names_the_flag_that_allows_it(desk, invoke):
    assert ended(invoke("run", "tools.py:fetch", "url=https://docs.python.org/3/")) == (
        0,
        "got https://docs.python.org/3/\n",
        "",
    )
    assert ended(invoke("run", "tools.py:fetch", "url=https://a.example/")) == (
        3,
        "",
        (
            "error: 'fetch' needs approval (ask rule, toolkit.policy.yaml:9), and there is no terminal to ask on\n"
            "hint: allow it with --approve 'fetch(url=https://a.example/)'\n"
        ),
    )
    allowed = invoke("run", "tools.py:fetch", "url=https://a.example/", "--approve", "fetch(url=https://a.example/)")
    assert (allowed.exit_code, allowed.stdout) == (0, "got https://a.example/\n")


def test_only_the_users_own_file_and_the_one_that_they_name_allow(desk, invoke):
    allow = "allow:\n  - tool: write_note\n    because: It is mine.\n"
    (desk / "toolkit.policy.yaml").write_text(allow, "utf-8")
    call = ("run", "tools.py:write_note", "path=x")
    assert invoke(*call).exit_code == 3
    (desk / "own.yaml").write_text(allow, "utf-8")
    said = "·       write_note: allowed by allow rule, own.yaml:2: It is mine.\n"
    assert ended(invoke(*call, "--policy", "own.yaml")) == (0, "wrote x\n", said)
    assert ended(invoke(*call, env={"TOOLKIT_POLICY": "own.yaml"})) == (0, "wrote x\n", said)
    (desk / "home" / "toolkit").mkdir()
    (desk / "home" / "toolkit" / "policy.yaml").write_text(allow, "utf-8")
    assert ended(invoke(*call))[:2] == (0, "wrote x\n")


def test_policy_files_of_all_folders_up_to_the_root_tighten(desk, invoke, monkeypatch):
    inner = desk / "inner"
    inner.mkdir()
    (inner / "toolkit.toml").write_text('sources = ["../tools.py"]\n[[policy.deny]]\ntool = "fetch"\n', "utf-8")
    monkeypatch.chdir(inner)
    assert "denied by deny rule, toolkit.toml:2" in invoke("run", "fetch", "url=https://docs.python.org/").stderr
    assert "denied by deny rule, ../toolkit.policy.yaml:3" in invoke("run", "write_note", "path=/x").stderr.replace(
        str(desk), ".."
    )


def test_a_step_that_may_be_asked_about_fails_before_any_work_and_one_that_may_be_denied_when_it_is(desk, invoke):
    before = invoke("run", "notes.yaml", "url=https://a.example/")
    assert (before.exit_code, before.stdout) == (3, "")
    assert "step 'page' needs approval to run 'fetch' (ask rule, toolkit.policy.yaml:9)" in before.stderr
    late = invoke("run", "notes.yaml", "url=https://docs.python.org/", "--yes", "--quiet")
    assert (late.exit_code, late.stdout) == (0, "wrote got https://docs.python.org/\n")
    (desk / "own.yaml").write_text("deny: [{tool: write_note, where: {path: {glob: '*3/'}}}]", "utf-8")
    late = invoke("run", "notes.yaml", "url=https://docs.python.org/3/", "--yes", "--quiet", "--policy", "own.yaml")
    assert (late.exit_code, late.stdout) == (3, "")
    assert "Denied by deny rule, own.yaml:1" in late.stderr


def test_check_says_which_rule_decides_and_where_it_is_written(desk, invoke):
    assert ended(invoke("policy", "check", "tools.py:write_note", "path=../x")) == (
        3,
        (
            "TOOL        DECISION  BECAUSE\n"
            "write_note  deny      deny rule, toolkit.policy.yaml:3: Writes stay inside the\n"
            "                      project.\n"
        ),
        "",
    )
    assert ended(invoke("policy", "check", "tools.py:fetch", "url=https://docs.python.org/")) == (
        0,
        "TOOL   DECISION  BECAUSE\nfetch  allow     no rule matches, and its risk needs no approval\n",
        "",
    )
    assert ended(
        invoke("policy", "check", "tools.py:fetch", "url=https://docs.python.org/", "--chosen-by", "model")
    ) == (
        3,
        "TOOL   DECISION  BECAUSE\nfetch  ask       a model chose it\n",
        "",
    )


def test_check_of_a_pipeline_says_it_of_every_step(desk, invoke):
    result = invoke("policy", "check", "notes.yaml", "url=https://a.example/", "--format", "json")
    assert result.exit_code == 3
    assert [(one["step"], one["tool"], one["decision"]) for one in json.loads(result.stdout)] == [
        (None, "notes", "allow"),
        ("page", "fetch", "ask"),
        ("write_note", "write_note", "ask"),
    ]
    record = json.loads(result.stdout)[1]
    assert len(record.pop("digest")) == 64
    assert record == {
        "tool": "fetch",
        "step": "page",
        "arguments": {"url": "https://a.example/"},
        "chosen_by": "person",
        "decision": "ask",
        "because": "ask rule, toolkit.policy.yaml:9",
        "rule": {"what": "ask rule", "reason": "", "file": "toolkit.policy.yaml", "line": 9, "column": 5},
        "may_be_allowed": False,
    }


def test_check_wants_a_target_and_its_arguments(desk, invoke):
    assert ended(invoke("policy", "check"))[::2] == (
        2,
        "error: the call to check is missing\nhint: write: toolkit policy check TARGET name=value\n",
    )
    assert invoke("policy", "check", "tools.py:fetch").exit_code == 2
    assert ended(invoke("policy", "list", "tools.py"))[::2] == (
        2,
        "error: unexpected argument 'tools.py'\nhint: see `toolkit policy list --help`\n",
    )


def test_list_shows_the_rules_in_the_order_in_which_they_are_asked(desk, invoke):
    (desk / "own.yaml").write_text("default: {model: deny}\nallow: [{source: builtin, expires: 2000-01-01}]\n", "utf-8")
    assert ended(invoke("policy", "list", "--policy", "own.yaml")) == (
        0,
        (
            "ACTION   FILE                   RULE\n"
            'deny     toolkit.policy.yaml:3  tool *, where path {"outside": ["."]}; Writes\n'
            "                                stay inside the project.\n"
            'ask      toolkit.policy.yaml:9  tool fetch, where url {"not": {"host":\n'
            '                                "docs.python.org"}}\n'
            "allow    own.yaml:2             source builtin, until 2000-01-01; not in effect\n"
            "                                now\n"
            "default  own.yaml:1             model: deny\n"
        ),
        "",
    )
    records = json.loads(invoke("policy", "list", "--format", "json").stdout)
    assert records[0] == {
        "action": "deny",
        "owner": "project",
        "rule": {"tool": "*", "where": {"path": {"outside": ["."]}}},
        "because": "Writes stay inside the project.",
        "holds": True,
        "file": "toolkit.policy.yaml",
        "line": 3,
        "column": 5,
    }


def test_without_rules_that_is_said(project, invoke, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project))
    words = "there are no rules; add some to the project's toolkit.policy.yaml or to your own policy.yaml\n"
    assert ended(invoke("policy", "list")) == (0, "", words)
    assert ended(invoke("policy", "test")) == (0, "", words)
    assert ended(invoke("policy", "list", "--format", "json")) == (0, "[]\n", words)


def test_test_runs_the_tests_of_rules_and_finds_names_that_no_tool_has(desk, invoke):
    (desk / "toolkit.toml").write_text('sources = ["tools.py"]\n', "utf-8")
    assert ended(invoke("policy", "test")) == (0, "1 file, 2 rules, 2 tests, 0 problems\n", "")
    (desk / "toolkit.policy.yaml").write_text(
        "deny:\n"
        "  - tool: write_nte\n"
        "  - tool: write_note\n"
        "    where: {pth: {inside: .}}\n"
        "  - tool: fetch\n"
        "    where: {url: {host: a.example}}\n"
        "    match: [{url: 'https://b.example/'}]\n",
        "utf-8",
    )
    assert ended(invoke("policy", "test")) == (
        1,
        "1 file, 3 rules, 1 test, 3 problems\n",
        (
            'error[TK005]: this deny rule does not match {"url": "https://b.example/"}, its own test\n'
            " --> toolkit.policy.yaml:7:13\n"
            "  |\n"
            "7 |     match: [{url: 'https://b.example/'}]\n"
            "  |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "  |\n"
            "hint: change the rule, or its test\n"
            "\n"
            "error[TK009]: this deny rule names 'write_nte', but the project has no tool of that name\n"
            " --> toolkit.policy.yaml:2:5\n"
            "  |\n"
            "2 |   - tool: write_nte\n"
            "  |     ^^^^^^^^^^^^^^^\n"
            "  |\n"
            "hint: did you mean 'write_note'?\n"
            "\n"
            "error[TK009]: this deny rule names the argument 'pth', which none of its tools has\n"
            " --> toolkit.policy.yaml:3:5\n"
            "  |\n"
            "3 |   - tool: write_note\n"
            "  |     ^^^^^^^^^^^^^^^^\n"
            "  |\n"
            "hint: did you mean 'path'?\n"
        ),
    )


def test_a_policy_that_cannot_be_read_lets_no_call_run(desk, invoke):
    broken = {
        "deny: [": 2,
        "- deny": 2,
        "\0": 2,
        "dney: []": 2,
        "deny: [{tool: a}]\nallow: [{tool: a}]": 2,
        "deny: [{tool: a, where: {x: {regex: '('}}}]": 2,
        "deny: [{tool: a, where: {x: {one_of: []}}}]": 2,
        "deny: [{group: web}]": 2,
    }
    for text, code in broken.items():
        (desk / "toolkit.policy.yaml").write_text(text, "utf-8")
        for command in (["run", "calculator", "1+1"], ["list"], ["show", "calculator"], ["policy", "list"]):
            result = invoke(*command)
            assert (result.exit_code, result.stdout) == (code, ""), (text, command)
            assert "error[TK005]: " in result.stderr
            assert "toolkit.policy.yaml" in result.stderr
    (desk / "toolkit.policy.yaml").unlink()
    (desk / "toolkit.policy.yaml").symlink_to(desk / "gone")
    assert invoke("run", "calculator", "1+1").exit_code == 2
    (desk / "toolkit.policy.yaml").unlink()
    (desk / "toolkit.policy.yaml").mkdir()
    assert invoke("run", "calculator", "1+1").exit_code == 2


def test_a_rule_may_name_a_group_of_the_configuration(desk, invoke):
    (desk / "toolkit.toml").write_text(
        'sources = ["tools.py"]\n[groups.web]\ntools = ["fet*"]\n[groups.far]\nsources = ["tools.py"]\n', "utf-8"
    )
    (desk / "toolkit.policy.yaml").write_text("deny: [{group: web}]\nask: [{group: far}]\n", "utf-8")
    decisions = {}
    for call in (("fetch", "url=x"), ("write_note", "path=x"), ("calculator", "1+1")):
        [record] = json.loads(invoke("policy", "check", *call, "--format", "json").stdout)
        decisions[call[0]] = (record["decision"], record["because"])
    assert decisions == {
        "fetch": ("deny", "deny rule, toolkit.policy.yaml:1"),
        "write_note": ("ask", "ask rule, toolkit.policy.yaml:2"),
        "calculator": ("allow", "no rule matches, and its risk needs no approval"),
    }


def test_every_unknown_group_of_a_rule_is_reported_where_it_is_written(desk, invoke):
    (desk / "toolkit.toml").write_text('sources = ["tools.py"]\n[groups.web]\ntools = ["fet*"]\n', "utf-8")
    (desk / "toolkit.policy.yaml").write_text("deny:\n  - group: [wep, web, far]\nask: [{group: wbe}]\n", "utf-8")
    problems = json.loads(invoke("policy", "list", "--format", "json").stderr)["problems"]
    assert [(one["location"]["line"], one["location"]["column"], one["message"], one["hint"]) for one in problems] == [
        (2, 13, "unknown group 'wep'", "did you mean 'web'?"),
        (2, 23, "unknown group 'far'", "the groups are web"),
        (3, 8, "unknown group 'wbe'", "did you mean 'web'?"),
    ]


def test_list_and_show_say_what_the_rules_make_of_a_tool(desk, invoke):
    result = invoke("list", "tools.py", env={"COLUMNS": "120"})
    assert result.stdout == (
        "NAME        MARKS        POLICY                             FROM      DESCRIPTION\n"
        "write_note  destructive  deny or ask                        tools.py  Write a note.\n"
        "fetch                    ask or allow; a model's call: ask  tools.py  Fetch a page.\n"
    )
    assert "  policy   deny or ask\n" in invoke("show", "tools.py:write_note").stdout
    record = json.loads(invoke("show", "tools.py:fetch", "--format", "json").stdout)
    assert record["policy"] == {"person": ["ask", "allow"], "model": ["ask"]}


def test_the_format_of_policies_is_a_schema_that_editors_read(invoke):
    schema = json.loads(invoke("schema", "--of", "policy").stdout)
    assert list(schema["properties"]) == ["toolkit", "default", "flows", "deny", "ask", "allow"]
    assert schema["additionalProperties"] is False
    rule = schema["properties"]["deny"]["items"]
    assert rule["anyOf"] == [{"required": [name]} for name in ("tool", "source", "framework", "group", "risk", "flow")]


FLOWS = """
deny:
  - {flow: sends, after: private}
ask:
  - {tool: add, after: both}
flows:
  - {tool: add, flow: sends}
"""


def test_a_call_is_checked_as_it_would_be_after_something_was_read(desk, invoke):
    (desk / "own.py").write_text(
        "from toolkit import tool\n\n@tool\ndef add(a: int) -> int:\n    '''Add.'''\n    return a\n", "utf-8"
    )
    (desk / "flows.yaml").write_text(FLOWS, "utf-8")
    found = {}
    for after in ("untrusted", "private", "both"):
        flags = ("--policy", "flows.yaml", "--after", after, "--format", "json")
        [record] = json.loads(invoke("policy", "check", "own.py:add", "a=1", *flags).stdout)
        found[after] = record["decision"]
    assert found == {"untrusted": "allow", "private": "deny", "both": "deny"}
    refused = invoke("policy", "list", "--after", "both")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "error: no such option: --after\nhint: see `toolkit policy list --help`\n",
    )
