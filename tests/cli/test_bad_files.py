"""A folder of bad files gives, for each, one report with its place and a hint, the right exit code and no traceback."""

import json

import pytest

MARKED = '\n\nfrom toolkit import tool\n\n\n@tool\ndef never(name: str) -> str:\n    """Never."""\n    return name\n'
"""What makes a file one that is imported; it stands behind what is wrong with the file."""

MODULES = {
    "syntax.py": ("from toolkit import tool\n\n@tool\ndef greet(name:\n    return name\n", "TK002", "syntax.py:4:10"),
    "unknown_import.py": ("import nothing_of_this_name\n" + MARKED, "TK002", "unknown_import.py:1:1"),
    "raises.py": ("limits = {}\nlimit = limits['daily']\n" + MARKED, "TK002", "raises.py:2:9"),
    "exits.py": ("import sys\nsys.exit('bye')\n" + MARKED, "TK002", "exits.py:2:1"),
    "no_tools.py": ("def greet(name: str) -> str:\n    return name\n", "TK004", "no_tools.py"),
    "bad_name.py": (
        'from toolkit import tool\n\n@tool(name="get weather")\ndef greet(name: str) -> str:\n    """Greet."""\n    return name\n',
        "TK101",
        "bad_name.py:4:5",
    ),
    "twins.py": (
        (
            "from toolkit import tool\n\n"
            '@tool(name="greet")\ndef one(name: str) -> str:\n    """Greet."""\n    return name\n\n'
            '@tool(name="greet")\ndef two(name: str) -> str:\n    """Greet."""\n    return name\n'
        ),
        "TK103",
        "twins.py:9:5",
    ),
    "callback.py": (
        (
            "from collections.abc import Callable\nfrom toolkit import tool\n\n"
            '@tool\ndef later(what: Callable[[], None]) -> str:\n    """Do it later."""\n    return ""\n'
        ),
        "TK321",
        "callback.py:5:11",
    ),
    "unresolved.py": (
        'from toolkit import tool\n\n@tool\ndef pay(amount: "Money") -> str:\n    """Pay."""\n    return ""\n',
        "TK322",
        "unresolved.py:4:9",
    ),
    "bad_option.py": (
        'from toolkit import tool\n\n@tool(destuctive=True)\ndef wipe(path: str) -> str:\n    """Wipe."""\n    return ""\n',
        "TK323",
        "bad_option.py:4:5",
    ),
}
PIPELINES = {
    "broken.yaml": ("steps: [\n", "TK601", "broken.yaml:1:9"),
    "unknown_key.yaml": ("toolkit: 1\nstepz:\n  - calculator\n", "TK602", "unknown_key.yaml:2:1"),
    "twice.yaml": ("name: one\nname: two\nsteps: [calculator]\n", "TK603", "twice.yaml:2:1"),
    "unknown_tool.yaml": ("steps:\n  - use: calculater\n", "TK604", "unknown_tool.yaml:2:10"),
    "unknown_step.yaml": (
        'steps:\n  - use: calculator\n    with: {input: "${{ steps.sum.text }}"}\n',
        "TK605",
        "unknown_step.yaml:3:24",
    ),
    "expression.yaml": ('steps:\n  - set: "${{ 1 + }}"\n', "TK606", "expression.yaml:2:17"),
    "missing_argument.yaml": (
        "steps:\n  - use: file_write\n    with: {path: a.txt}\n",
        "TK608",
        "missing_argument.yaml:2:10",
    ),
    "unknown_argument.yaml": (
        "steps:\n  - use: calculator\n    with: {inputt: 1 + 1}\n",
        "TK609",
        "unknown_argument.yaml:3:12",
    ),
}
BAD = MODULES | PIPELINES


@pytest.fixture
def folder(project):
    for name, (text, _, _) in BAD.items():
        (project / name).write_text(text, "utf-8")
    return project


@pytest.mark.proof(everyday=5)
@pytest.mark.parametrize("name", [name for name in BAD if name != "no_tools.py"])
def test_bad_file_is_a_finding_of_lint_with_place_and_hint(invoke, folder, name):
    _, code, place = BAD[name]
    result = invoke("lint", name)
    assert (result.exit_code, result.stderr) == (1, ""), result.stderr
    assert f"error[{code}]: " in result.stdout
    assert f" --> {place}\n" in result.stdout
    assert "\nhint: " in result.stdout
    assert "Traceback" not in result.stdout


@pytest.mark.proof(everyday=5)
@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_a_definition_that_schema_refuses(invoke, folder, name):
    _, code, place = BAD[name]
    result = invoke("schema", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"error[{code}]: " in result.stderr
    assert f" --> {place}\n" in result.stderr
    assert "\nhint: " in result.stderr
    assert "Traceback" not in result.stderr


def test_one_run_of_lint_reports_every_bad_file(program, folder):
    finished = program("lint", "--format", "json")
    assert (finished.returncode, json.loads(finished.stderr)) == (
        1,
        {"files": {"read": 10, "imported": 8}, "tools": {"tools": 2, "files": 1, "servers": 0}},
    )
    found = {
        (problem["location"]["file"], problem["code"]) for problem in json.loads(finished.stdout) if problem["location"]
    }
    assert {(name, code) for name, (_, code, _) in BAD.items() if name != "no_tools.py"} <= found


def test_one_run_of_schema_reports_every_bad_file(program, folder):
    finished = program("schema", ".", "--format", "json")
    assert (finished.returncode, finished.stdout) == (2, "")
    told = json.loads(finished.stderr)
    found = {(problem["location"]["file"], problem["code"]) for problem in told["problems"] if problem["location"]}
    assert {(name, code) for name, (_, code, _) in BAD.items() if name != "no_tools.py"} <= found


def test_configuration_that_is_nested_too_deeply_is_told(invoke, project):
    (project / "toolkit.toml").write_text("sources = " + "[" * 5000 + "]" * 5000, "utf-8")
    result = invoke("list")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[0] == "error[TK005]: the TOML is nested too deeply"


def test_file_that_cannot_be_read_is_told_without_running_anything(invoke, project):
    (project / "broken.yaml").write_text("name: report\nsteps: [\n", "utf-8")
    (project / "latin.yaml").write_bytes(b"name: caf\xe9\n")
    result = invoke("lint", "--static", "broken.yaml", "latin.yaml", "--format", "concise")
    assert result.exit_code == 1
    assert [line.partition("[")[2][:5] for line in result.stdout.splitlines()[:2]] == ["TK601", "TK601"]
