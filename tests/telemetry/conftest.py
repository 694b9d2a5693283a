"""Tools to observe, a receiver of what is observed, and the program in a process of its own."""

import os
import subprocess
import sys

import pytest

from tests.telemetry.receiver import receiving

TOOLS = '''
import os

from toolkit import tool


@tool(read_only=True)
def greet(name: str) -> str:
    """Greet somebody.

    Args:
        name: Who is greeted.
    """
    if name == "nobody":
        raise ValueError("nobody is no name")
    return f"hello {name}"


@tool(read_only=True)
def count(text: str) -> int:
    """Count characters.

    Args:
        text: The text.
    """
    return len(text)


@tool(read_only=True)
def sign_in(password: str) -> str:
    """Sign in.

    Args:
        password: The password.
    """
    return f"signed in with {password}"


@tool(read_only=True)
def parent() -> str:
    """Return the trace that this process belongs to."""
    return os.environ.get("TRACEPARENT", "none")
'''
PIPELINE = """
name: measure
description: Greet somebody, and count the characters of that.
tools: [./tools.py]
steps: [greet, count]
"""
TURNS = """
turns:
  - calls:
      - {tool: greet, arguments: {name: Ada}}
  - All are greeted.
"""
ITEMS = '{"name": "Ada"}\n{"name": "nobody"}\n'


@pytest.fixture
def receiver():
    """Provide a receiver of OTLP, running."""
    with receiving() as received:
        yield received


@pytest.fixture
def project(tmp_path):
    """Return a folder with tools, a pipeline, a script and items."""
    for name, text in (("tools.py", TOOLS), ("measure.yaml", PIPELINE), ("turns.yaml", TURNS), ("items.jsonl", ITEMS)):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def observed(project, receiver):
    """Run the program, with what it sends received; return the process, ended."""

    def run(*arguments, **variables):
        return program(project, *arguments, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, **variables)

    return run


def program(folder, *arguments, **variables):
    """Run the program in a folder, and return the process, ended."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("OTEL_", "TOOLKIT_", "TRACE"))}
    return subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *map(str, arguments)],
        cwd=folder,
        env={**inherited, "COLUMNS": "100", "TOOLKIT_AUDIT": "0", "XDG_STATE_HOME": str(folder / "state"), **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
