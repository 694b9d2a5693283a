"""Skills are checked together with the tools that they name, and listed."""

import json
import sys

import pytest
from typer.testing import CliRunner

from toolkit.problems import Location
from toolkit.skills import parse_skill
from toolkit_cli.main import application

TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def get_forecast(city: str) -> str:
    """Return the weather forecast for a city.

    Args:
        city: The city.
    """
    return f"Sunny in {city}."
'''
SKILL = """---
name: forecast
description: Says how the weather will be. Use it for questions about rain and wind.
---
"""


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")

    def run(*arguments, **options):
        result = CliRunner().invoke(application(), arguments, **options)
        return result.exit_code, result.stdout, result.stderr

    return run


def write(place, body="", header=SKILL):
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(header + body, "utf-8")


def lines(invoke, *arguments):
    code, out, _ = invoke("lint", *arguments, "--format", "concise", "--quiet", "--no-cache")
    return code, out.splitlines()


def test_skill_of_a_hidden_folder_is_checked_with_the_tools_beside_it(invoke, tmp_path):
    write(tmp_path / ".claude" / "skills" / "forecast" / "SKILL.md", "Call `get_forcast`.\n")
    found = "5:7: warning[TK645] the skill names the tool 'get_forcast', which no source has"
    assert lines(invoke, ".") == (0, [f".claude/skills/forecast/SKILL.md:{found}"])


@pytest.mark.parametrize(
    ("imported", "is_reported"),
    [
        ("from strands_tools import get_forcast\n", False),
        ("from strands_tools import (\n    editor,\n    get_forcast,\n)\n", False),
        ("from strands_tools import editor  # get_forecast\n", True),
    ],
)
def test_tool_that_a_program_imports_exists(invoke, tmp_path, imported, is_reported):
    (tmp_path / "agent.py").write_text(f"{imported}{TOOLS}", "utf-8")
    write(tmp_path / "forecast" / "SKILL.md", "Call `get_forcast`.\n")
    _, found = lines(invoke, "agent.py", "forecast", "--static", "--select", "TK645")
    assert bool(found) == is_reported


@pytest.mark.parametrize(
    ("name", "is_reported"),
    [
        ("AskQuestion", False),
        ("AskUserQuestion", False),
        ("AskUserQestion", True),
        ("TeamMake", False),
        ("TeamCreate", True),
        ("TaskCreat", True),
    ],
)
def test_tool_of_a_client_exists_under_its_name(invoke, tmp_path, name, is_reported):
    write(tmp_path / "forecast" / "SKILL.md", f"Use the `{name}` tool.\n")
    _, found = lines(invoke, "forecast", "--select", "TK645")
    assert bool(found) == is_reported


def test_renamed_tool_is_found_in_the_lockfile(invoke, tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS.replace("get_forecast", "weather"), "utf-8")
    assert invoke("lock", "--update", "tools.py")[0] == 0
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    write(tmp_path / "forecast" / "SKILL.md", "Call `weather`.\n")
    code, out, _ = invoke("lint", "tools.py", "forecast", "--select", "TK645")
    expected = (
        "warning[TK645]: the skill names the tool 'weather', which no source has\n"
        " --> forecast/SKILL.md:5:7\n"
        "  |\n"
        "5 | Call `weather`.\n"
        "  |       ^^^^^^^\n"
        "  |\n"
        "hint: 'toolkit.lock' has it, so it was renamed or removed; remove it, or add its source\n\n"
        "Found 1 warning in 1 file. (1 tool in 1 file; 1 Python file run)\n"
    )
    assert (code, out) == (0, expected)


def test_tool_that_no_source_shows_is_not_unknown(invoke, tmp_path):
    more = '\nMORE = {"send_report": lambda text: text}\n'
    (tmp_path / "tools.py").write_text(TOOLS + more, "utf-8")
    write(tmp_path / "forecast" / "SKILL.md", "Use the `get_forecast` tool, then the `send_report` tool.\n")
    assert lines(invoke, "tools.py", "forecast") == (0, [])


def test_name_of_a_variable_or_in_an_example_is_not_unknown(invoke, tmp_path):
    more = '\nMADE = {}\nlist_reports = MADE.get("list")\n'
    (tmp_path / "tools.py").write_text(TOOLS + more, "utf-8")
    text = "Use the `get_forecast` tool, or the `list_reports` tool. A\ntool named `search_all` becomes another one.\n"
    write(tmp_path / "forecast" / "SKILL.md", text)
    assert lines(invoke, "tools.py", "forecast") == (0, [])


def test_comment_suppresses_a_finding_in_its_line(invoke, tmp_path):
    body = (
        "Call `get_forcast`. <!-- # toolkit: ignore[TK645] -->\nRead [this](a.md). <!-- # toolkit: ignore[TK643] -->\n"
    )
    header = SKILL.replace("name: forecast", "name: Forecast # toolkit: ignore[TK641]")
    write(tmp_path / "forecast" / "SKILL.md", body, header)
    assert lines(invoke, "tools.py", "forecast") == (0, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: error[TK601] the skill has no header"),
        ("# Forecast\n", "1:1: error[TK601] the skill has no header"),
        ("---\nname: forecast\n", "1:1: error[TK601] the header of the skill does not end"),
        ("---\nname: |\n  forecast\n  ---\n", "1:1: error[TK601] the header of the skill does not end"),
        (
            "---\nname: forecast\n--- # Forecast\n",
            "3:1: error[TK601] the line that ends the header of the skill has more text",
        ),
        ("---\n# Forecast\n--- and more\n", "1:1: error[TK601] the header of the skill does not end"),
        ("--\nname: forecast\n---\n", "1:1: error[TK601] the header of the skill begins with '--'"),
        (
            "<!-- (c) -->\n\n---\nname: forecast\n---\n",
            "3:1: error[TK601] the header of the skill is not at its start, so that clients do not read it",
        ),
        (
            "# Forecast\n\n```markdown\n---\nname: other\n---\n```\n",
            "1:1: error[TK601] the skill has no header",
        ),
        (
            "```markdown\n---\nname: forecast\n---\n```\n",
            "2:1: error[TK601] the header of the skill is not at its start, so that clients do not read it",
        ),
        ("---\n---\n", "1:1: error[TK601] the header of the skill has no keys"),
        ("---\n- name\n---\n", "1:1: error[TK601] the header of the skill has no keys"),
        ("---\nname: a: b\n---\n", "2:8: error[TK601] a second ': ' on one line"),
    ],
)
def test_skill_that_cannot_be_read_says_why(invoke, tmp_path, text, message):
    write(tmp_path / "forecast" / "SKILL.md", header=text)
    code, found = lines(invoke, "forecast/SKILL.md")
    assert (code, found[0]) == (1, f"forecast/SKILL.md:{message}")


@pytest.mark.parametrize(
    ("name", "text", "severity"),
    [
        ("index.yaml", "name: forecast\ndescription: Says how the weather will be.\n", "info"),
        ("skill.json", '{"description": "Says how the weather will be."}', "info"),
        ("index.yaml", "name: forecast\n", "error"),
        ("notes.yaml", "description: Says how the weather will be.\n", "error"),
    ],
)
def test_skill_without_a_header_that_another_file_describes_is_read_by_its_project(
    invoke, tmp_path, name, text, severity
):
    write(tmp_path / "forecast" / "SKILL.md", header="# Forecast\n")
    (tmp_path / "forecast" / name).write_text(text, "utf-8")
    assert lines(invoke, "forecast/SKILL.md")[1][0] == (
        f"forecast/SKILL.md:1:1: {severity}[TK601] the skill has no header"
    )


@pytest.mark.parametrize(
    ("place", "reads", "severity"),
    [
        ("skills/forecast", "open(folder / 'SKILL.md').read().split('## ')", "info"),
        ("skills/forecast", "open(folder / 'SKILL.md').read()", "error"),
        ("skills/forecast", "yaml.safe_load(open(folder / 'SKILL.md').read())", "error"),
        ("skills/forecast", "'see SKILL.md'.split()", "error"),
        (".claude/skills/forecast", "open(folder / 'SKILL.md').read().split('## ')", "error"),
        ("plugins/weather/skills/forecast", "open(folder / 'SKILL.md').read().split('## ')", "error"),
    ],
)
def test_skill_that_a_program_of_the_project_reads_needs_no_header(invoke, tmp_path, place, reads, severity):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "weather"\nversion = "1"\n', "utf-8")
    (tmp_path / "plugins" / "weather" / ".claude-plugin").mkdir(parents=True)
    (tmp_path / "load.py").write_text(f"def load(folder):\n    return {reads}\n", "utf-8")
    write(tmp_path / place / "SKILL.md", header="# Forecast\n")
    found = lines(invoke, place)[1]
    assert found[0] == f"{place}/SKILL.md:1:1: {severity}[TK601] the skill has no header"


def test_skill_that_a_program_beside_it_reads_needs_no_header(invoke, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "weather"\nversion = "1"\n', "utf-8")
    package = tmp_path / "weather"
    for place in (package, package / "guides"):
        write(place / "SKILL.md", header="# Forecast\n")
    (package / "__init__.py").touch()
    for reads, severity in (
        ("read_text()", "info"),
        ("read_text().split('---')  # YAML", "error"),
        ("read_text() and copy_to('.claude/skills')", "error"),
    ):
        (package / "server.py").write_text(f'def guide(folder):\n    return (folder / "SKILL.md").{reads}\n', "utf-8")
        found = [one for one in lines(invoke, ".")[1] if "TK601" in one]
        assert found == [
            f"weather/{one}SKILL.md:1:1: {severity}[TK601] the skill has no header" for one in ("", "guides/")
        ]


@pytest.mark.parametrize(
    ("folder", "severity"),
    [("10_forecast", "info"), ("skills/forecast", "error"), (".claude/skills/forecast", "error")],
)
def test_document_beside_code_may_be_called_like_a_skill(invoke, tmp_path, folder, severity):
    write(tmp_path / folder / "SKILL.md", header="# Forecast\n")
    (tmp_path / folder / "forecast.py").write_text("RAIN = 1\n", "utf-8")
    assert lines(invoke, ".")[1][0] == f"{folder}/SKILL.md:1:1: {severity}[TK601] the skill has no header"


def test_document_of_a_project_that_has_no_skills_may_be_called_like_one(invoke, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "shop"\nversion = "1"\n', "utf-8")
    write(tmp_path / "samples" / "SKILL.md", header="# Skill: how to set the shop up\n")
    for folder, severity in ((None, "info"), ("skills/forecast", "error")):
        if folder is not None:
            write(tmp_path / folder / "SKILL.md")
        found = [one for one in lines(invoke, ".")[1] if "TK601" in one]
        assert found == [f"samples/SKILL.md:1:1: {severity}[TK601] the skill has no header"]


@pytest.mark.parametrize("name", ["{{ name }}", '"{{ name }}"', "<name>", "${NAME}", "REPLACE-with-a-name"])
def test_skill_whose_name_is_to_be_filled_in_is_a_template(invoke, tmp_path, name):
    for folder in ("templates/basic", "skills/basic", "skills/_template", ".claude/skills/basic"):
        write(tmp_path / folder / "SKILL.md", header=SKILL.replace("name: forecast", f"name: {name}"))
    found = [line.partition("[TK")[0].split(": ") for line in lines(invoke, ".")[1]]
    assert {(one[0].partition("/SKILL")[0], one[1]) for one in found if one[1] != "warning"} == {
        ("templates/basic", "info"),
        ("skills/_template", "info"),
        ("skills/basic", "error"),
        (".claude/skills/basic", "error"),
    }


def test_folder_of_a_template_says_so(invoke, tmp_path):
    for folder in (".agents/skills/_template_skill", ".agents/skills/forecast_template"):
        write(tmp_path / folder / "SKILL.md", header=SKILL.replace("name: forecast", "name: template-skill"))
    assert [line.partition("[TK")[0] for line in lines(invoke, ".")[1]] == [
        ".agents/skills/_template_skill/SKILL.md:2:7: info",
        ".agents/skills/forecast_template/SKILL.md:2:7: warning",
    ]


def test_list_that_does_not_end_is_no_name_to_be_filled_in(invoke, tmp_path):
    write(tmp_path / "templates" / "basic" / "SKILL.md", header=SKILL.replace("name: forecast", "name: [forecast"))
    assert [line.partition("[TK")[0] for line in lines(invoke, ".")[1]] == ["templates/basic/SKILL.md:2:7: error"]


def test_skill_is_minor_where_another_one_is_in_its_place(invoke, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "weather"\nversion = "1"\n', "utf-8")
    write(tmp_path / "skills" / "other" / "SKILL.md")
    write(tmp_path / "phase2" / "forecast" / "SKILL.md", header="# Forecast\n")
    write(tmp_path / "backups" / "forecast" / "SKILL.md", header=SKILL.replace("name: forecast", "name: [forecast"))
    found = {line.partition("[")[0] for line in lines(invoke, ".")[1] if "TK601" in line}
    assert found == {"backups/forecast/SKILL.md:2:7: info", "phase2/forecast/SKILL.md:1:1: error"}
    for folder in ("skills", "adapters/codex"):
        write(tmp_path / folder / "forecast" / "SKILL.md")
        found = {line.partition("[")[0] for line in lines(invoke, ".")[1] if "TK601" in line}
        assert found == {"backups/forecast/SKILL.md:2:7: info", "phase2/forecast/SKILL.md:1:1: info"}
        (tmp_path / folder / "forecast" / "SKILL.md").unlink()


def test_link_that_git_could_not_make_is_called_what_it_is(invoke, tmp_path):
    write(tmp_path / "skills" / "forecast" / "SKILL.md")
    write(tmp_path / "codex" / "weather" / "SKILL.md", header="../../skills/forecast/SKILL.md")
    found = [one for one in lines(invoke, ".")[1] if "TK601" in one]
    message = "the skill has nothing but the path of another file"
    assert found == [f"codex/weather/SKILL.md:1:1: error[TK601] {message}"]


def test_document_of_a_project_may_be_called_like_a_skill(invoke, tmp_path):
    (tmp_path / "SKILL.md").write_text("# Skills\n\nWhat the program can do.\n", "utf-8")
    for file, severity in ((None, "error"), ("pyproject.toml", "info")):
        if file is not None:
            (tmp_path / file).write_text('[project]\nname = "shop"\nversion = "1"\n', "utf-8")
        assert lines(invoke, ".")[1][0] == f"SKILL.md:1:1: {severity}[TK601] the skill has no header"


@pytest.mark.parametrize(
    ("folder", "severity"),
    [
        ("forecast", "error"),
        ("skills/forecast", "error"),
        (".claude/skills/forecast", "error"),
        ("web/.cursor/skills/forecast", "error"),
        ("plugins/weather/skills/forecast", "error"),
        ("agent/src/skills/forecast", "info"),
        ("src/skills", "info"),
        (".claude/skills", "info"),
        ("agent/later/skills_archive/forecast", "info"),
    ],
)
def test_skill_that_only_its_project_reads_may_have_a_form_of_its_own(invoke, tmp_path, folder, severity):
    (tmp_path / "plugins" / "weather" / ".claude-plugin").mkdir(parents=True)
    write(tmp_path / folder / "SKILL.md", header="# Forecast\n")
    assert lines(invoke, folder)[1][0] == f"{folder}/SKILL.md:1:1: {severity}[TK601] the skill has no header"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_of_a_skill_have_their_place(end):
    text = end.join(
        ["---", 'name: "forecast"', "description: Rain.", "allowed-tools: Read, Bash(git add:*)", "---", "Go."]
    )
    skill = parse_skill(f"\ufeff{text}", "SKILL.md")
    assert (skill.name.value, skill.name.location) == ("forecast", Location("SKILL.md", 2, 7, 2, 17))
    assert (skill.description.text, skill.description.location) == ("Rain.", Location("SKILL.md", 3, 14, 3, 19))
    assert skill.allowed_tools == [
        ("Read", Location("SKILL.md", 4, 16, 4, 20)),
        ("Bash(git add:*)", Location("SKILL.md", 4, 22, 4, 37)),
    ]
    assert (skill.body, skill.locate(0, 2), skill.problems) == ("Go.", Location("SKILL.md", 6, 1, 6, 3), ())


def test_skill_is_checked_as_it_is_written_in_an_editor(invoke):
    options = ("lint", "-", "--stdin-filename", "forecast/SKILL.md", "--format", "concise", "--quiet")
    assert invoke(*options, input=SKILL.replace("name: forecast", "name: Forecast")) == (
        1,
        "forecast/SKILL.md:2:7: error[TK641] the name 'Forecast' is not valid for a skill\n",
        "",
    )


def test_skills_are_listed_in_a_table_of_their_own(invoke, tmp_path):
    write(tmp_path / "skills" / "forecast" / "SKILL.md")
    write(tmp_path / "skills" / "broken" / "SKILL.md", header="---\n---\n")
    tools = "NAME          MARKS      FROM      DESCRIPTION\nget_forecast  read-only  tools.py  Return the weather forecast for a city.\n"
    skills = (
        "SKILL     FROM                      DESCRIPTION\n"
        "(none)    skills/broken/SKILL.md    (none)\n"
        "forecast  skills/forecast/SKILL.md  Says how the weather will be.\n"
    )
    assert invoke("list", "tools.py") == (0, tools, "")
    assert invoke("list", "skills") == (0, skills, "")
    assert invoke("list", ".") == (0, f"{tools}\n{skills}", "")
    assert invoke("list")[1].endswith(f"\n\n{skills}")
    assert invoke("list", ".", "--static")[1].endswith(f"\n\n{skills}")
    assert json.loads(invoke("list", "skills", "--format", "json")[1]) == []


NAMED = SKILL.replace("name: forecast", "name: {}")


def test_skill_of_claude_code_is_named_by_its_folder(invoke, tmp_path):
    text = SKILL.replace("name: forecast\n", "")
    (tmp_path / "plugin" / ".claude-plugin").mkdir(parents=True)
    none = ["the skill has no name"]
    for place, body, expected in (
        (".claude/skills/look_up", "", []),
        ("plugin/skills/look_up", "", []),
        ("skills/look_up", "", none),
        ("skills/look_for", "Look for $ARGUMENTS.\n", []),
        (".agents/skills/look_up", "", none),
        ("plugin/.codex/skills/look_up", "", none),
        (".agents/skills/look_for", "Look for $ARGUMENTS.\n", none),
        ("skills/look_out", "```sh\nlook $ARGUMENTS\n```\n", none),
    ):
        write(tmp_path / place / "SKILL.md", body, text)
        found = json.loads(invoke("lint", "--static", "--no-cache", "--format", "json", place)[1])
        assert [one["message"] for one in found if one["code"] == "TK641"] == expected


@pytest.mark.parametrize(
    ("place", "name", "severity"),
    [
        ("skills/forecast", "weather", "warning"),
        (".claude/skills/forecast", "weather", "warning"),
        ("forecast", "weather", "info"),
        ("skills", "weather", "info"),
        ("skills/rain_alarm", "rain_alarm", "warning"),
        ("skills/rain_alarm", "Rain_alarm", "error"),
        ("packages/skills/rain_alarm", "rain_alarm", "info"),
        (".claude/skills/rain_alarm", "rain_alarm", "warning"),
    ],
)
def test_name_is_minor_where_no_client_seems_to_read_it(invoke, tmp_path, place, name, severity):
    write(tmp_path / place / "SKILL.md", header=NAMED.format(name))
    for package in ("packages/skills/wind", ".claude/skills/wind"):
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    found = json.loads(invoke("lint", place, "--format", "json", "--no-cache")[1])
    assert [(one["code"], one["severity"]) for one in found] == [("TK641", severity)]


@pytest.mark.parametrize(
    ("place", "key", "severity"),
    [
        ("skills/forecast", "license: MIT", "warning"),
        ("skills/forecast", "context: fork", "info"),
        (".claude/skills/forecast", "license: MIT", "info"),
    ],
)
def test_tag_that_only_the_api_refuses_is_minor_in_a_skill_for_claude_code(invoke, tmp_path, place, key, severity):
    header = SKILL.replace("wind.\n", f"wind in <city>.\n{key}\n")
    write(tmp_path / place / "SKILL.md", header=header)
    assert lines(invoke, ".")[1] == [
        f"{place}/SKILL.md:3:88: {severity}[TK641] the description contains the XML tag '<city>'"
    ]


def test_key_without_a_value_is_absent(invoke, tmp_path):
    keys = "".join(f"{key}:\n" for key in ("license", "compatibility", "metadata", "allowed-tools"))
    write(tmp_path / "skills" / "forecast" / "SKILL.md", header=SKILL.replace("wind.\n", f"wind.\n{keys}"))
    assert lines(invoke, "skills") == (0, [])


def test_links_in_examples_of_documents_need_no_files(invoke, tmp_path):
    example = (
        "```markdown\nRun:\n\n```bash\nscripts/look.py\n```\n\nSee [units](units.md).\n```\n\nSee [rain](rain.md).\n"
    )
    write(tmp_path / "skills" / "forecast" / "SKILL.md", example)
    (tmp_path / "skills" / "forecast" / "scripts").mkdir()
    assert lines(invoke, "skills")[1] == [
        "skills/forecast/SKILL.md:15:12: warning[TK643] there is no file 'rain.md' in the folder of the skill"
    ]


def test_document_that_ends_before_its_inner_block_does_silences_nothing(invoke, tmp_path):
    body = "```markdown\n```bash\n```\n\nSee [rain](rain.md).\n"
    write(tmp_path / "skills" / "forecast" / "SKILL.md", body)
    assert [line.partition("[TK")[0] for line in lines(invoke, "skills")[1]] == [
        "skills/forecast/SKILL.md:9:12: warning"
    ]


def test_link_to_another_skill_that_is_not_there_is_minor(invoke, tmp_path):
    (tmp_path / "skills" / "rain").mkdir(parents=True)
    write(
        tmp_path / "skills" / "forecast" / "SKILL.md",
        "[a](../wind/a.md), [b](../rain/b.md), [c](../../c.md), [d](../snow), [e](../LICENSE)\n",
    )
    message = "there is no file '{}' in the folder of the skill"
    assert lines(invoke, "skills") == (
        0,
        [
            f"skills/forecast/SKILL.md:5:5: info[TK643] {message.format('../wind/a.md')}",
            f"skills/forecast/SKILL.md:5:24: warning[TK643] {message.format('../rain/b.md')}",
            f"skills/forecast/SKILL.md:5:43: warning[TK643] {message.format('../../c.md')}",
            f"skills/forecast/SKILL.md:5:60: info[TK643] {message.format('../snow')}",
            f"skills/forecast/SKILL.md:5:74: warning[TK643] {message.format('../LICENSE')}",
        ],
    )


def test_length_is_minor_if_a_skill_is_divided_already_or_only_a_little_longer(invoke, tmp_path):
    def severities():
        found = json.loads(invoke("lint", "skills", "--select", "TK642", "--format", "json", "--no-cache")[1])
        return [one["severity"] for one in found]

    place = tmp_path / "skills" / "forecast"
    write(place / "SKILL.md", "Rain and wind. " * 1_600)
    assert severities() == ["info"]
    write(place / "SKILL.md", "Rain and wind. " * 1_900)
    assert severities() == ["warning"]
    write(place / "references" / "units.md", header="Degrees Celsius.\n")
    assert severities() == ["info"]
    write(place / "SKILL.md", "Rain and wind. " * 2_600)
    assert severities() == ["warning"]


def test_code_is_read_as_often_for_many_names_as_for_one(invoke, tmp_path):
    text = "from toolkit import tool\n\n\n@tool\ndef forecast(city: str) -> str:\n    return city\n"
    (tmp_path / "weather.py").write_text(text, "utf-8")
    opened, noted = [], []
    sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" and noted else None)
    times = []
    for names in (["forecasts"], ["forecasts", "forecast_", "fore_cast"]):
        write(tmp_path / "weather" / "SKILL.md", "".join(f"Call the tool `{one}`, or `forecast`.\n" for one in names))
        opened.clear()
        noted.append("now")
        found = json.loads(invoke("lint", ".", "--select", "TK645", "--format", "json", "--no-cache")[1])
        noted.clear()
        assert len(found) == len(names)
        times.append(sum(one.endswith("weather.py") for one in opened))
    assert times[0] == times[1] > 0


@pytest.mark.parametrize(
    ("name", "severity"),
    [("shop:find", "info"), ("shop-find", "info"), ("find-shop", "warning"), ("shop: find", "error")],
)
def test_name_by_which_claude_code_offers_the_skill_of_a_plugin_is_mild(invoke, tmp_path, name, severity):
    write(tmp_path / "shop" / ".claude-plugin" / "plugin.json", header='{"name": "shop", "version": "1.0.0"}')
    write(
        tmp_path / "shop" / "skills" / "find" / "SKILL.md",
        header=f"---\nname: '{name}'\ndescription: Finds orders.\n---\n",
    )
    _, found = lines(invoke, ".", "--select", "TK641")
    assert [one.split("[")[0].split()[-1] for one in found] == [severity]


def test_skills_and_manifests_for_tests_are_mild(invoke, tmp_path):
    for folder in ("tests/fixtures/shop", "shop"):
        write(tmp_path / folder / ".claude-plugin" / "plugin.json", header='{"name": "shop", "author": "Me"}')
        write(
            tmp_path / folder / "skills" / "find" / "SKILL.md",
            header="---\nname: Find\ndescription: Finds orders.\n---\n",
        )
    _, found = lines(invoke, ".", "--select", "TK641,TK651")
    assert sorted((one.split(":")[0], one.split("[")[0].split()[-1]) for one in found) == [
        ("shop/.claude-plugin/plugin.json", "warning"),
        ("shop/skills/find/SKILL.md", "error"),
        ("tests/fixtures/shop/.claude-plugin/plugin.json", "info"),
        ("tests/fixtures/shop/skills/find/SKILL.md", "info"),
    ]
