"""`toolkit lock`: definitions are pinned, and what has changed is told."""

import json

import pytest

BEFORE = '''from toolkit import tool


@tool(read_only=True)
def forecast(city: str, days: int = 3) -> str:
    """Forecast the weather in a city."""
    return f"sun in {city} for {days} days"
'''
AFTER = BEFORE.replace("(read_only=True)", "").replace("days: int = 3", "days: int").replace("the weather", "snow")


def test_definitions_are_pinned_and_unchanged_ones_pass(project, invoke):
    (project / "tools.py").write_text(BEFORE)
    (project / "toolkit.toml").write_text('sources = ["tools.py"]\n')
    pinned = invoke("lock", "--update")
    assert (pinned.exit_code, pinned.stdout, pinned.stderr) == (0, "", "pinned 1 tool in toolkit.lock\n")
    assert list(json.loads((project / "toolkit.lock").read_text())["tools"]) == ["forecast"]
    checked = invoke("lock", "--check")
    assert (checked.exit_code, checked.stdout) == (0, "all tools match toolkit.lock\n")


def test_tools_that_an_update_leaves_out_are_named(project, invoke):
    (project / "tools.py").write_text(BEFORE)
    (project / "more.py").write_text(BEFORE.replace("forecast", "other"))
    assert invoke("lock", "--update", "tools.py", "more.py").stderr == "pinned 2 tools in toolkit.lock\n"
    assert invoke("lock", "--update", "tools.py").stderr == (
        "pinned 1 tool in toolkit.lock\nno longer pinned, because no target has them: other\n"
    )


def test_lockfile_remembers_its_targets_where_no_sources_are_configured(project, invoke, monkeypatch):
    (project / "tools.py").write_text(BEFORE)
    (project / "more.py").write_text(BEFORE.replace("forecast", "other"))
    (project / "toolkit.toml").touch()
    (project / "below").mkdir()
    monkeypatch.chdir(project / "below")
    assert invoke("lock", "--update", "../tools.py", "--tools", "../more.py").exit_code == 0
    assert json.loads((project / "toolkit.lock").read_text())["targets"] == ["tools.py"]
    assert invoke("lock", "--check").stdout == "all tools match toolkit.lock\n"
    assert invoke("lock", "--update").stderr == "pinned 1 tool in toolkit.lock\n"
    (project / "toolkit.toml").write_text('sources = ["more.py"]\n')
    assert invoke("lock", "--update").stderr == (
        "pinned 1 tool in toolkit.lock\nno longer pinned, because no target has them: forecast\n"
    )
    assert "targets" not in json.loads((project / "toolkit.lock").read_text())


def test_what_nobody_would_see_of_a_definition_is_seen_in_its_schema_and_its_lock(project, invoke):
    (project / "tools.py").write_text(BEFORE.replace("the weather", "the\u200b\u202e wéather ☀"), "utf-8")
    invoke("lock", "--update", "tools.py")
    shown = '"description": "Forecast the\\u200b\\u202e wéather ☀ in a city."'
    assert shown in (project / "toolkit.lock").read_text("utf-8")
    assert shown in invoke("schema", "tools.py").stdout
    assert invoke("lock", "--check", "tools.py").exit_code == 0


def test_changes_are_told_by_whom_they_hurt(project, invoke, program):
    (project / "tools.py").write_text(BEFORE)
    invoke("lock", "--update", "tools.py")
    (project / "tools.py").write_text(AFTER)
    (project / "more.py").write_text(BEFORE.replace("forecast", "other"))
    checked = program("lock", "--check", "tools.py", "more.py")
    assert checked.returncode == 1
    assert checked.stdout.splitlines() == [
        "forecast: breaking",
        "  breaking:   'read_only' was true, and is false",
        "  breaking:   parameter 'days' is now required",
        "  compatible: the default of parameter 'days' was 3, and is not set",
        '  text only:  the description was "Forecast the weather in a city.", and is "Forecast snow in a city."',
        "other: compatible",
        '  compatible: the tool is new: "Forecast the weather in a city."',
        "",
        "2 tools have changed: 1 breaking, 1 compatible",
    ]
    as_json = json.loads(program("lock", "--format", "json", "tools.py", "more.py").stdout)
    assert [(one["tool"], one["kind"], len(one["changes"])) for one in as_json] == [
        ("forecast", "breaking", 4),
        ("other", "compatible", 1),
    ]


def test_without_a_lockfile_the_way_to_one_is_told(project, invoke):
    (project / "tools.py").write_text(BEFORE)
    missing = invoke("lock", "--check", "tools.py")
    assert missing.exit_code == 4
    assert "there is no 'toolkit.lock'" in missing.stderr
    assert "`toolkit lock --update tools.py` writes it" in missing.stderr


def test_what_cannot_be_compared_is_told_and_pins_nothing(project, invoke):
    assert invoke("lock", "--update").exit_code == 2
    assert invoke("lock", "--update", "--check", "calculator").exit_code == 2
    (project / "tools.py").write_text("1 / 0\n")
    assert invoke("lock", "--update", "tools.py").exit_code == 2
    assert not (project / "toolkit.lock").exists()
    (project / "toolkit.lock").write_text("{")
    assert invoke("lock", "calculator").exit_code == 2


@pytest.mark.parametrize(
    ("line", "message", "place"),
    [
        ("<<<<<<< ours", "the JSON is broken: a key in double quotes is expected", "3:1"),
        ('"toolkit-lock": 1,', "duplicate key 'toolkit-lock'", "3:1"),
    ],
    ids=["conflict", "repetition"],
)
def test_broken_lockfile_is_reported_where_it_breaks(project, invoke, line, message, place):
    (project / "tools.py").write_text(BEFORE, "utf-8")
    (project / "toolkit.lock").write_text(f'{{\n"toolkit-lock": 1,\n{line}\n"tools": {{}}\n}}\n', "utf-8")
    result = invoke("lock", "--check", "tools.py")
    assert result.exit_code == 2
    assert f"error[TK514]: 'toolkit.lock' cannot be read: {message}" in result.stderr
    assert f"--> toolkit.lock:{place}" in result.stderr


def test_no_other_file_is_overwritten(project, invoke):
    (project / "tools.py").write_text(BEFORE, "utf-8")
    (project / "profile").write_text("mine", "utf-8")
    (project / "toolkit.lock").symlink_to("profile")
    result = invoke("lock", "tools.py", "--update")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: cannot write 'toolkit.lock': it already exists and is not a lockfile\n",
    )
    assert (project / "profile").read_text("utf-8") == "mine"
    (project / "profile").write_text('<<<<<<< ours\n"toolkit-lock": 1', "utf-8")
    assert "or through a link" in invoke("lock", "tools.py", "--update").stderr
    (project / "profile").replace(project / "toolkit.lock")
    assert invoke("lock", "tools.py", "--update").exit_code == 0
    assert invoke("lock", "tools.py").exit_code == 0


def test_lint_finds_what_is_not_as_it_was_pinned(project, invoke):
    (project / "tools.py").write_text(BEFORE)
    invoke("lock", "--update", "tools.py")
    (project / "tools.py").write_text(AFTER)
    found = json.loads(invoke("lint", "--format", "json", "tools.py").stdout)
    drifts = [(one["code"], one["severity"]) for one in found if one["code"] == "TK514"]
    assert drifts == [("TK514", "warning")]


@pytest.mark.proof
def test_one_word_of_a_long_description_is_shown_alone(project, invoke, program):
    words = [f"w{number}" for number in range(600)]
    changed = [*words[:300], "snowfall", *words[301:]]
    tools = [BEFORE.replace("the weather in a city", " ".join(one)) for one in (words, changed)]
    (project / "tools.py").write_text(tools[0])
    invoke("lock", "--update", "tools.py")
    (project / "tools.py").write_text(tools[1])
    shown = "the description has changed: … w296 w297 w298 w299 [-w300-] {+snowfall+} w301 w302 w303 w304 …"
    assert program("lock", "tools.py").stdout.count(shown) == 1
    [message] = [
        one["message"] for one in json.loads(invoke("lint", "--format", "json", "--select", "TK514", "tools.py").stdout)
    ]
    assert message == f"tool 'forecast' differs from 'toolkit.lock' (text only): {shown}"


HINT = "%0Ahint: `toolkit lock --update tools.py` pins the new definition"
AT_FORECAST = "file=tools.py,line=5,endLine=5,col=5,title=toolkit TK514"


def test_changes_are_written_for_pull_requests_and_code_scanning(project, invoke, program):
    (project / "tools.py").write_text(BEFORE)
    (project / "more.py").write_text(BEFORE.replace("forecast", "other"))
    invoke("lock", "--update", "tools.py", "more.py")
    (project / "tools.py").write_text(BEFORE.replace("the weather", "snow").replace("(read_only=True)", ""))
    annotated = program("lock", "--format", "github", "tools.py")
    described = '"Forecast the weather in a city.", and is "Forecast snow in a city."'
    assert (annotated.returncode, annotated.stdout.splitlines()) == (
        1,
        [
            f"::error {AT_FORECAST}::tool 'forecast': 'read_only' was true, and is false (breaking){HINT}",
            f"::error file=toolkit.lock,title=toolkit TK514::tool 'other': the tool was removed (breaking){HINT}",
            f"::warning {AT_FORECAST}::tool 'forecast': the description was {described} (text only){HINT}",
        ],
    )
    [run] = json.loads(program("lock", "--format", "sarif", "tools.py").stdout)["runs"]
    assert sorted((one["ruleId"], one["level"]) for one in run["results"]) == [
        ("TK514", "error"),
        ("TK514", "error"),
        ("TK514", "warning"),
    ]


def test_what_nobody_would_see_is_escaped_in_every_change(project, invoke, program):
    (project / "tools.py").write_text(BEFORE)
    invoke("lock", "--update", "tools.py")
    (project / "tools.py").write_text(BEFORE.replace("the weather", "the\u200b\u202e\x9b weather"), "utf-8")
    checked = program("lock", "tools.py").stdout
    assert '"Forecast the\\u200b\\u202e\\u009b weather in a city."' in checked
    assert all(character.isprintable() or character == "\n" for character in checked)
