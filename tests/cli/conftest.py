"""The two front doors: the program itself, and the application in this process."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

collect_ignore = ["mistakes"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty working directory, with no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("TOOLKIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def invoke(project):
    """Run a command in this process and return its result."""

    def run(*arguments, **options):
        return CliRunner().invoke(application(), [str(argument) for argument in arguments], **options)

    return run


@pytest.fixture
def program(project):
    """Run the program in a process of its own and return what it printed and its exit code."""

    def run(*arguments, **options):
        environment = {**os.environ, "COLUMNS": "80", **options.pop("env", {})}
        defaults = {"cwd": project} | ({"stdin": subprocess.DEVNULL} if "input" not in options else {})
        return subprocess.run(
            [sys.executable, "-m", "toolkit_cli", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            env=environment,
            timeout=300,  # far longer than anything takes, also on a busy machine
            **(defaults | options),
        )

    return run
