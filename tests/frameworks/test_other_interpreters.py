"""`toolkit lint --python` with an environment that has a framework, and has nothing of toolkit."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.proof

SERVER = '''
from fastmcp import FastMCP

mcp = FastMCP("weather")
given = {"name": "tell weather"}


@mcp.tool(**given)
def forecast(city: str) -> str:
    """Tell the weather of tomorrow in a city."""
    return f"{city}: sunny"
'''


@pytest.mark.parametrize("name", ["fastmcp2", "fastmcp3", "fastmcp4"])
def test_server_is_opened_with_the_python_that_has_its_framework(name, environment, tmp_path):
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    found = environment(name)
    found.run(
        "-c", "import fastmcp", cwd=tmp_path
    )  # compiled here, so that lint's limit of time is for the import alone
    settings = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("TOOLKIT_") and name != "PYTHONDONTWRITEBYTECODE"
    }
    ended = subprocess.run(
        [
            *(sys.executable, "-m", "toolkit_cli", "lint", "--profile", "recommended", "--format", "concise"),
            *("--python", found.python),
        ],
        cwd=tmp_path,
        env=settings,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ended.stdout, ended.returncode) == (
        (
            "server.py:9:5: error[TK101] invalid tool name 'tell weather': OpenAI, Anthropic, Gemini, Bedrock and Mistral "
            "refuse it\n"
            "Found 1 error in 1 file. (1 tool in 1 file: 1 FastMCP; 1 Python file run; left out: 1 "
            "missing-parameter-description (TK204), see `--profile all`)\n"
        ),
        1,
    )
