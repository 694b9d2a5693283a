"""What the code imports, the project declares: for everybody, or in the extra that the room needs."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {
    "cli": ["mcp"],  # the page of `toolkit ui`, which says so if it is not installed
    "toolkit/mcp": ["keyring"],
    "toolkit/agents": ["agent"],
    "toolkit/batches": ["parquet"],
    "toolkit/stores": ["durable"],
    "toolkit/telemetry": ["otel"],
    "toolkit/builtin": ["tools-extract", "tools-regex"],
}
HOSTS = {"cli": {"pytest"}}
"""The programs that load a part of a folder themselves, so that they are there when it is imported."""
FOLDERS = sorted(
    str(path.relative_to(ROOT)) for path in (ROOT / "toolkit").iterdir() if (path / "__init__.py").exists()
)


def name_and_extras(requirement):
    """Return the name of a required distribution, and which of its extras are required."""
    name, extras = re.match(r"([\w.-]+)(?:\[([\w, -]+)\])?", requirement).groups()
    return name.lower().replace("_", "-"), extras.replace(" ", "").split(",") if extras else []


def declared(extras):
    """Return the names of the distributions that are installed with some extras."""
    waiting = [*PROJECT["dependencies"], *(line for one in extras for line in PROJECT["optional-dependencies"][one])]
    names = set()
    while waiting:
        name, inner = name_and_extras(waiting.pop())
        names.add(name)
        if name == PROJECT["name"]:
            waiting += [line for one in inner for line in PROJECT["optional-dependencies"][one]]
    return names


def imported(folder):
    """Return the packages of others that a folder imports, each with the last file that does so."""
    found = {}
    for file in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            found |= {name.partition(".")[0]: str(file.relative_to(ROOT)) for name in names}
    ours = {"toolkit", "toolkit_cli", *sys.stdlib_module_names}
    return {name: file for name, file in found.items() if name not in ours}


@pytest.fixture(scope="module")
def distributions():
    """Return the distributions that each importable package comes from."""
    return packages_distributions()


@pytest.mark.proof
@pytest.mark.parametrize("folder", [*FOLDERS, "cli"])
def test_what_a_room_imports_is_declared(folder, distributions):
    known = declared(EXTRAS.get(folder, [])) | HOSTS.get(folder, set())
    undeclared = {
        name: file
        for name, file in imported(folder).items()
        if not {one.lower().replace("_", "-") for one in distributions.get(name, [name])} & known
    }
    assert undeclared == {}


@pytest.mark.parametrize("extra", PROJECT["optional-dependencies"])
def test_extras_name_this_project_by_its_own_name(extra):
    assert "toolkit" not in {name_and_extras(line)[0] for line in PROJECT["optional-dependencies"][extra]}
