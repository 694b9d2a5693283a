"""Skills that our server offers, read by FastMCP's own client, which verifies every digest."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof
READER = Path(__file__).with_name("skill_reader.py")
TOOLS = '''
from toolkit import tool


@tool(read_only=True)
def get_forecast(city: str) -> str:
    """Return the weather forecast for a city."""
    return f"Sunny in {city}."
'''


def test_fastmcp_reads_a_skill_of_our_server(environment, tmp_path):
    python = environment("fastmcp4")
    folder = tmp_path / "skills" / "forecast"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: forecast\ndescription: Says how the weather will be.\n---\nAsk.\n", "utf-8"
    )
    (folder / "sun 1.png").write_bytes(b"\x89PNG\xff")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "toolkit.toml").write_text('sources = ["tools.py"]\nskills = ["skills"]\n', "utf-8")
    command = [str(python.python), str(READER), sys.executable, "-m", "toolkit_cli", "serve"]
    ended = subprocess.run(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=True
    )
    assert json.loads(ended.stdout) == [["forecast", "Says how the weather will be.", ["SKILL.md", "sun 1.png"]]]
