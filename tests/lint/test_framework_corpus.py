"""Modules as the documentation of each framework writes them, read from source alone."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

TESTS = Path(__file__).parents[1]
SESSIONS = TESTS / "frameworks/cases"
FOLDERS = [SESSIONS, TESTS / "source_code/cases"]


@pytest.mark.proof
@pytest.mark.parametrize("command", ["lint --static --no-cache --format json", "list --static --format json"])
def test_no_module_of_the_corpus_causes_an_exception(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(application(), [*command.split(), *map(str, FOLDERS)])
    assert isinstance(result.exception, SystemExit | None)
    assert result.exit_code in (0, 1)
    assert "Traceback" not in result.output
    assert json.loads(result.stdout)


def test_each_session_has_a_module_whose_tools_are_read_from_source(tmp_path, monkeypatch):
    """Sessions that export our tools share one module of them."""
    monkeypatch.chdir(tmp_path)
    shared = SESSIONS.parent / "exported.py"
    listed = CliRunner().invoke(application(), ["list", "--static", "--format", "json", str(SESSIONS), str(shared)])
    found = {Path(one["path"]).resolve() for one in json.loads(listed.stdout)}
    assert shared in found
    names = {path.relative_to(SESSIONS).parts[0] for path in found - {shared}}
    sessions = {path.parent.name for path in SESSIONS.glob("*/session.txt")}
    assert {name for name in sessions if not name.endswith("_exports")} - names == set()
