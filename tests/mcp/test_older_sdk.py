"""Beside an MCP SDK before 2.3, everything of MCP says which one is needed, and all else works."""

import os
import subprocess
import sys

import pytest

from tests.installers import INSTALL

SHOP = '''from toolkit import tool


@tool(read_only=True)
def price(item: str) -> str:
    """Say what an item costs."""
    return f"{item}: 3 EUR"
'''
SETTINGS = """[mcp.zoo]
command = "python"
args = ["-m", "toolkit_cli", "serve", "shop.py"]
"""


@pytest.fixture
def beside(tmp_path):
    """Return a function that runs the program where other versions are installed; their code is never imported."""
    (tmp_path / "shop.py").write_text(SHOP, "utf-8")
    (tmp_path / "toolkit.toml").write_text(SETTINGS, "utf-8")

    paths = filter(None, [os.environ.get("PYTHONPATH")])

    def run(words, **versions):
        for name, version in versions.items():
            metadata = tmp_path / "site" / f"{name}-{version}.dist-info" / "METADATA"
            metadata.parent.mkdir(parents=True, exist_ok=True)
            metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
        return subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *words.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), *paths])},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("serve shop.py", "serving needs"),
        ("serve --print-config claude shop.py", "serving needs"),
        ("run zoo.price item=tea --start zoo", "MCP servers need"),
        ("mcp list", "MCP servers need"),
        ("mcp ping zoo", "MCP servers need"),
        ("list zoo --start zoo", "MCP servers need"),
        ("lock --update zoo --start zoo", "MCP servers need"),
        ("policy check zoo.price item=tea", "MCP servers need"),
    ],
)
def test_needed_sdk_is_named_with_the_command_that_installs_it(beside, words, what):
    done = beside(words, mcp="1.30.0", fastmcp="3.4.11")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error[TK005]: {what} the MCP SDK 2.3 or newer, and mcp 1.30.0 is installed\n"
        f"hint: FastMCP 3.4.11 needs the older SDK; upgrade both: {INSTALL} 'mcp>=2.3' 'fastmcp>=4'\n"
    )


@pytest.mark.parametrize("fastmcp", [None, "4.0.1"])
def test_only_the_sdk_is_upgraded_where_nothing_needs_the_older_one(beside, fastmcp):
    done = beside("serve shop.py", mcp="2.2", **({"fastmcp": fastmcp} if fastmcp else {"other": "1"}))
    assert (done.returncode, done.stderr) == (
        2,
        f"error[TK005]: serving needs the MCP SDK 2.3 or newer, and mcp 2.2 is installed\nhint: {INSTALL} 'mcp>=2.3'\n",
    )


@pytest.mark.parametrize("words", ["list shop.py", "run shop.py:price item=tea", "lint shop.py --select TK1"])
def test_what_needs_no_sdk_works(beside, words):
    assert beside(words, mcp="1.30.0", fastmcp="3.4.11").returncode == 0
