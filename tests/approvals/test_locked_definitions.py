"""A tool that is no longer what `toolkit.lock` pins is asked about again, whatever rules allow."""

import subprocess
import sys

import pytest

TOOL = '''
from toolkit import tool

@tool({marks})
def wipe(path: str{more}) -> str:
    """{said}"""
    return "wiped"
'''


@pytest.fixture
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    (tmp_path / "toolkit.toml").write_text('sources = ["tools.py"]\n', "utf-8")
    (tmp_path / "rules.yaml").write_text("allow: [{tool: wipe, source: tools.py}]\n", "utf-8")
    (tmp_path / "open.yaml").write_text("default: allow\n", "utf-8")
    return tmp_path


def write(desk, said="Wipe a path.", marks="destructive=True", more=""):
    (desk / "tools.py").write_text(TOOL.format(said=said, marks=marks, more=more), "utf-8")


def run(*words):
    """Run a command in a process of its own, which imports the file as it is now."""
    command = [sys.executable, "-m", "toolkit_cli", *words]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    return done.returncode, done.stderr.splitlines()[0] if done.stderr else ""


CALL = ("run", "tools.py:wipe", "path=a", "--policy")
ASKED = "'wipe' needs approval (the tool is destructive; its definition has changed since it was locked: "
REWORDED = 'the description was "Wipe a path.", and is "Wipe every path."'


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("rules", "change", "is_asked"),
    [
        ("rules.yaml", {}, ""),
        ("rules.yaml", {"said": "Wipe every path."}, REWORDED),
        ("open.yaml", {"said": "Wipe every path."}, REWORDED),
        ("rules.yaml", {"more": ", force: bool = False"}, ""),
        ("rules.yaml", {"marks": "destructive=True, open_world=True"}, "'open_world' was not set, and is true"),
    ],
    ids=["same", "description", "description_by_default", "optional_parameter", "mark"],
)
def test_a_changed_definition_is_asked_about_although_a_policy_allows_the_tool(desk, rules, change, is_asked):
    write(desk)
    assert run("lock", "--update")[0] == 0
    write(desk, **change)
    code, said = run(*CALL, rules)
    assert (code, f"{ASKED}{is_asked})" in said) == ((3, True) if is_asked else (0, False)), said
    if is_asked:
        assert run("lock", "--update")[0] == 0
        assert run(*CALL, rules)[1].count(ASKED) == 0


def test_of_a_lockfile_that_cannot_be_read_nobody_knows_what_was_agreed_to(desk):
    write(desk)
    (desk / "toolkit.lock").write_text("{", "utf-8")
    code, said = run(*CALL, "rules.yaml")
    assert (code, f"{ASKED}'toolkit.lock' cannot be read)" in said) == (3, True)
