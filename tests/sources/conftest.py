"""A project of its own for every test, in which users' files are imported for real."""

import os
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from toolkit.settings import Configuration, find_configuration
from toolkit.sources import Opened, open_targets


class Project:
    """A folder that is the working directory while the test runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).removeprefix("\n"), "utf-8")
        return path

    def tool(self, name: str, tool: str, *, description: str = "Does it.", before: str = "") -> Path:
        """Write a module with one marked function, whose name stands at 5:5 unless something comes before."""
        head = f"{before}\n" if before else ""
        body = f'def {tool}(text: str) -> str:\n    """{description}"""\n    return text\n'
        return self.write(name, f"{head}from toolkit import tool\n\n\n@tool\n{body}")

    def open(self, *targets: str, configuration: Configuration | None = None) -> Opened:
        return open_targets(targets, configuration or Configuration())

    def configured(self) -> Configuration:
        configuration, problems = find_configuration(self.folder, {})
        assert problems == []
        return configuration

    def problems(self, *targets: str, configuration: Configuration | None = None) -> list[str]:
        return [str(problem) for problem in self.open(*targets, configuration=configuration).problems]


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, modules = list(sys.path), set(sys.modules)
    yield Project(tmp_path)
    os.chdir(tmp_path)
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.startswith(str(tmp_path.resolve())):
            del sys.modules[name]
