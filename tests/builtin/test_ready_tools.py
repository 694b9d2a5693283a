"""The ready tools are found by name, and only those that are asked for are imported."""

import doctest
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from toolkit.builtin import ready_tools
from toolkit.errors import ConfigurationError

ROOT = Path(__file__).resolve().parents[2]
NAMES = [
    "calculator",
    "code_edit",
    "code_search",
    "datetime",
    "file_read",
    "file_write",
    "glob",
    "http",
    "human_input",
    "json_parser",
    "process",
    "web_scrape",
    "web_search",
]
NEEDED: dict[str, dict[str, object]] = {"http": {"url": "https://api.example.com"}, "process": {"command": ["true"]}}


def imported_by(program):
    """Run a program in a fresh interpreter and return which modules it has imported."""
    command = [sys.executable, "-c", f"{program}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    finished = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    return set(json.loads(finished.stdout))


def rooms(modules):
    """Return which modules of this room are among some."""
    return sorted(name.removeprefix("toolkit.builtin.") for name in modules if name.startswith("toolkit.builtin."))


def test_there_are_these():
    assert sorted(ready_tools()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_is_built_under_its_name(name, tmp_path):
    tool = ready_tools()[name].build(tmp_path, NEEDED.get(name, {}))
    assert (tool.name, tool.spec.source) == (name, "builtin")
    assert tool.description
    assert tool.spec.output_schema is None, "a result of ours is no data that a program could expect"


@pytest.mark.parametrize("name", NAMES)
def test_each_summary_fits_in_a_line(name):
    assert 10 < len(ready_tools()[name].summary) < 70


def test_file_tools_stay_in_the_given_directory(tmp_path):
    (tmp_path / "here.txt").write_text("here")
    assert ready_tools()["file_read"].build(tmp_path).run({"path": "here.txt"}).output == "here"


def test_file_tools_stay_in_the_current_directory_otherwise(tmp_path, monkeypatch):
    (tmp_path / "here.txt").write_text("here")
    monkeypatch.chdir(tmp_path)
    assert ready_tools()["file_read"].build().run({"path": "here.txt"}).output == "here"


def test_a_missing_directory_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigurationError, match="does not exist"):
        ready_tools()["file_write"].build(tmp_path / "nowhere")


def test_the_catalog_imports_no_tool():
    modules = imported_by("from toolkit.builtin import ready_tools; ready_tools()")
    assert rooms(modules) == ["catalog"]
    assert "toolkit.tools.base" not in modules


def test_a_calculation_imports_the_calculator_alone():
    modules = imported_by(
        "from toolkit.builtin import ready_tools\n"
        "tool = ready_tools()['calculator'].build()\n"
        "assert tool.run({'input': '2^3^2'}).output == '512'"
    )
    assert rooms(modules) == ["calculator", "catalog", "options"]
    assert not {"asyncio", "anyio", "pydantic", "pydantic_core", "yaml", "rich"} & modules


def test_a_date_imports_the_dates_alone():
    modules = imported_by("from toolkit.builtin import DateTime\nDateTime().run({'input': '2024-01-31 + 1 month'})")
    assert rooms(modules) == ["date_time", "options"]
    assert not {"asyncio", "anyio", "pydantic", "pydantic_core", "yaml", "rich", "zoneinfo"} & modules


@pytest.mark.parametrize("module", ["calculator", "date_time", "json_parser"])
def test_examples_hold(module):
    results = doctest.testmod(import_module(f"toolkit.builtin.{module}"))
    assert (results.attempted > 0, results.failed) == (True, 0)


@pytest.mark.proof
def test_what_reaches_outside_imports_no_client_before_it_is_called():
    modules = imported_by(
        "from toolkit.builtin import ready_tools\n"
        "needed = {'http': {'url': 'https://api.example.com'}, 'process': {'command': ['true']}}\n"
        "for name in ('http', 'process', 'web_scrape', 'web_search'):\n"
        "    ready_tools()[name].build(None, needed.get(name, {})).name\n"
    )
    assert not {"httpx2", "selectolax", "trafilatura", "anyio", "asyncio"} & modules
