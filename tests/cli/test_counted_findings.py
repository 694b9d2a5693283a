"""Findings belong to `toolkit lint`: other commands count them, and name the command that shows them."""

import json

import pytest

TOOLS = '''from toolkit import tool


@tool(read_only=True)
def shout(text: str) -> str:
    """Shout a text."""
    return text.upper()


@tool(destructive=True)
def publish(text: str) -> str:
    """Publish a text."""
    return text


@tool(read_only=False)
def note(text: str) -> str:
    """Note a text."""
    return text
'''
PIPELINE = """name: steps
description: Say several things.
tools: ["./my tools.py"]
steps:
  - {use: shout, with: {text: a}}
  - {use: publish, with: {text: b}}
  - {use: note, with: {text: c}}
  - {use: shout, with: {text: d}}
"""
COUNTED = "2 findings: toolkit lint 'my steps.yaml'\n"


@pytest.fixture(autouse=True)
def files(project):
    (project / "my tools.py").write_text(TOOLS, "utf-8")
    (project / "my steps.yaml").write_text(PIPELINE, "utf-8")


@pytest.mark.parametrize("command", ["show", "list"])
def test_command_that_opens_a_pipeline_counts_its_findings(invoke, command):
    done = invoke(command, "my steps.yaml")
    assert (done.exit_code, done.stderr) == (0, COUNTED)


@pytest.mark.parametrize(
    "settings", ['ignore = ["TK610"]', 'select = ["TK614"]', '[lint.per-file-ignores]\n"*.yaml" = ["TK610"]']
)
@pytest.mark.parametrize("command", ["show", "list"])
def test_findings_that_the_settings_exclude_are_not_counted(project, invoke, settings, command):
    (project / "toolkit.toml").write_text(f"[lint]\n{settings}\n", "utf-8")
    done = invoke(command, "my steps.yaml")
    assert (done.exit_code, done.stderr) == (0, COUNTED.replace("2 findings", "1 finding"))


def test_findings_that_the_settings_exclude_are_not_in_json_either(project, invoke):
    (project / "toolkit.toml").write_text('[lint]\nignore = ["TK610"]\n', "utf-8")
    said = json.loads(invoke("schema", "my steps.yaml").stderr)
    assert [one["code"] for one in said["problems"]] == ["TK614"]
    (project / "toolkit.toml").write_text('[lint]\nignore = ["TK6"]\n', "utf-8")
    assert invoke("schema", "my steps.yaml").stderr == ""


def test_findings_that_a_comment_or_a_baseline_excludes_are_not_counted(project, invoke):
    (project / "my steps.yaml").write_text(f"# toolkit: ignore-file[TK610]\n{PIPELINE}", "utf-8")
    assert invoke("show", "my steps.yaml").stderr == COUNTED.replace("2 findings", "1 finding")
    (project / "toolkit.toml").write_text('[lint]\nbaseline = "known.json"\n', "utf-8")
    assert invoke("lint", "my steps.yaml", "--update-baseline").exit_code == 0
    assert invoke("show", "my steps.yaml").stderr == ""
    (project / "known.json").write_text("{", "utf-8")
    assert invoke("show", "my steps.yaml").stderr == COUNTED.replace("2 findings", "1 finding")


def test_run_counts_findings_before_its_steps_unless_it_is_quiet(program):
    done = program("run", "my steps.yaml", "--yes")
    assert (done.returncode, done.stderr.startswith(COUNTED), done.stderr.count("TK6")) == (0, True, 0)
    assert program("run", "my steps.yaml", "--yes", "--quiet").stderr == ""


def test_lint_shows_the_findings_that_others_count(invoke):
    done = invoke("lint", "my steps.yaml", "--select", "TK6", "--format", "github")
    assert [line.partition("title=toolkit ")[2][:5] for line in done.stdout.splitlines() if "TK" in line] == [
        "TK610",
        "TK614",
    ]


def test_errors_are_shown_in_full_beside_the_number_of_findings(project, invoke):
    (project / "my steps.yaml").write_text(f"{PIPELINE}  - {{use: shuot}}\n", "utf-8")
    done = invoke("run", "my steps.yaml")
    assert done.exit_code == 2
    assert done.stderr == (
        "error[TK604]: unknown tool 'shuot'\n"
        " --> my steps.yaml:9:11\n"
        "  |\n"
        "9 |   - {use: shuot}\n"
        "  |           ^^^^^\n"
        "  |\n"
        "hint: did you mean 'shout'?\n"
        "1 finding: toolkit lint 'my steps.yaml'\n"
    )
