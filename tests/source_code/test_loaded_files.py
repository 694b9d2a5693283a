"""Functions that a program loads as tools from the files of a folder are found there, without running anything."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

HEAD = """
import importlib.util
import inspect
import os
from pathlib import Path

from mcp.server.fastmcp import FastMCP

server = FastMCP("shop")
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = Path(__file__).resolve().parent / "plugins"
OUTSIDE = Path(__file__).resolve().parents[2]


def load_tool(name, file):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    TAKE


"""
ALL = "for found, one in inspect.getmembers(module, inspect.isfunction): server.add_tool(one)"
SAME = "server.add_tool(getattr(module, name))"
FIND = '''
from json import loads


def find(order: str, hidden) -> str:
    """Find an order by its number."""
    return order


def _read(order): ...


def pay(order: str) -> str:
    """Pay an order by its number."""
    return order


def main(): ...
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write a server beside plug-ins; a function runs a command in its folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("find", FIND), ("deep/send", FIND.replace("find", "send")), ("_base", FIND), ("broken", "(")):
        Path("plugins", f"{name}.py").parent.mkdir(parents=True, exist_ok=True)
        Path("plugins", f"{name}.py").write_text(text, "utf-8")
    Path("pyproject.toml").write_text('[project]\nname = "shop"\n', "utf-8")

    def run(take, text, *command):
        Path("server.py").write_text(HEAD.replace("TAKE", take) + text, "utf-8")
        return CliRunner().invoke(application(), [*command, "--static", "--format", "json"])

    return run


def names(result):
    return [one["name"] for one in json.loads(result.stdout or "[]") if one["name"] is not None]


@pytest.mark.parametrize(
    ("loop", "found"),
    [
        (
            "for root, _, files in os.walk(os.path.join(HERE, 'plugins')):\n    for file in files: load_tool(file, root)\n",
            ["send", "pay", "find", "pay"],
        ),
        ("for file in sorted(FOLDER.rglob('*.py')): load_tool(file.stem, file)\n", ["send", "pay", "find", "pay"]),
        ("for file in FOLDER.glob('**/*.py'): load_tool(file.stem, file)\n", ["send", "pay", "find", "pay"]),
        ("for file in FOLDER.glob('*.py'): load_tool(file.stem, file)\n", ["find", "pay"]),
        ("for file in FOLDER.rglob('s*.py'): load_tool(file.stem, file)\n", ["send", "pay"]),
        ("for file in os.listdir(FOLDER): load_tool(file, FOLDER)\n", ["find", "pay"]),
        (
            "folder = Path(__file__).parent.joinpath('plugins')\nfor file in folder.iterdir(): load_tool(file.stem, file)\n",
            ["find", "pay"],
        ),
    ],
)
def test_functions_of_the_files_in_a_folder_are_tools(loop, found, project):
    inner = loop.replace("\n", "\n    ").rstrip()
    shown = project(ALL, f"def load_all():\n    {inner}\n", "list")
    assert names(shown) == found
    assert {one["line"] for one in json.loads(shown.stdout) if one["name"] is not None} == {16}
    shown = project(SAME, f"def load_all():\n    {inner}\n", "list")
    assert names(shown) == [one for one in found if one != "pay"]


LOOP = "def load_all():\n    for file in PLACE.glob('*.py'): load_tool(file.stem, file)\n"


@pytest.mark.parametrize(
    "place",
    [
        "OUTSIDE",
        "Path('/')",
        "Path(__file__).parent",
        "(FOLDER / '..')",
        "(FOLDER / '../../other')",
        "Path(os.path.join(HERE, 'x' * 300))",
        f"(FOLDER / '{'x' * 300}')",
        "Path(__file__).parents[10000000000]",
        "Path(__file__).parents[-1]",
        "unknown",
    ],
)
def test_only_a_folder_of_the_project_that_the_source_shows_counts(place, project, tmp_path):
    Path(tmp_path.parent, "other").mkdir(exist_ok=True)
    Path(tmp_path.parent, "other", "outside.py").write_text(FIND, "utf-8")
    shown = project(ALL, LOOP.replace("PLACE", place), "list")
    assert (shown.exit_code, names(shown)) == (0, [])


@pytest.mark.parametrize(
    "take",
    [
        "for found, one in inspect.getmembers(module, inspect.isclass): server.add_tool(one)",
        "for one in vars(module).values():\n        if getattr(one, 'is_tool', False): server.add_tool(one)",
    ],
)
def test_loader_that_takes_only_some_of_what_it_finds_is_not_followed(take, project):
    assert names(project(take, LOOP.replace("PLACE", "FOLDER"), "list")) == []


def test_loader_of_something_else_makes_no_tools(project):
    text = LOOP.replace("PLACE", "FOLDER")
    assert names(project("return module.name", text, "list")) == []
    Path("server.py").unlink()
    Path("other.py").write_text((HEAD.replace("TAKE", ALL) + text).replace("load_tool", "load_plugin"), "utf-8")
    result = CliRunner().invoke(application(), ["list", "--static", "--format", "json"])
    assert names(result) == []


def test_loaded_functions_are_checked_and_new_files_are_noticed(project):
    def run():
        words = ["lint", "--static", "--select", "TK204", "--format", "json", "."]
        return [one["message"] for one in json.loads(CliRunner().invoke(application(), words).stdout)]

    project(SAME, LOOP.replace("PLACE", "FOLDER"), "list")
    first = [f"parameter '{name}' of 'find' has no description" for name in ("order", "hidden")]
    second = [f"parameter '{name}' of 'send' has no description" for name in ("order", "hidden")]
    Path("plugins/deep/send.py").unlink()
    assert run() == run() == first
    Path("plugins/send.py").write_text("(", "utf-8")
    assert run() == run() == first
    Path("plugins/send.py").write_text(FIND.replace("find", "send"), "utf-8")
    assert run() == run() == [*first, *second]
    shutil.rmtree("plugins")
    assert [run(), run()] == [
        ["MCP SDK may have more tools: the source does not show what 'server.add_tool(…)' registers"]
    ] * 2
    Path("plugins").mkdir()
    Path("plugins/find.py").write_text(FIND, "utf-8")
    assert run() == run() == first
