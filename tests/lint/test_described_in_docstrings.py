"""Frameworks that send the docstring as a whole tell a model what it says about parameters."""

import json

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

SHOP = '''
{imported}


def find(order: str, unit: str) -> str:
    """Find an order of the shop in its books.

    Args:
        order: The number of the order, as on its bill.
    """
    return shop.find(order, unit)


{call}
'''


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("from swarm import Agent", "Agent(functions=[find])"),
        ("import dspy", "dspy.ReAct('question -> answer', tools=[find])"),
        ("import ollama", "ollama.chat('qwen3', tools=[find])"),
        ("from camel.agents import ChatAgent", "ChatAgent('clerk', tools=[find])"),
        ("from transformers.utils import get_json_schema", "get_json_schema(find)"),
        ("from strange import Agent", "Agent(tools=[find])"),
    ],
)
def test_only_a_parameter_that_no_text_describes_is_reported(imported, call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(SHOP.format(imported=imported, call=call), "utf-8")
    command = ["lint", "shop.py", "--static", "--no-cache", "--profile", "all", "--select", "TK204", "--format", "json"]
    found = json.loads(CliRunner().invoke(application(), command).stdout)
    assert [one["message"] for one in found] == ["parameter 'unit' of 'find' has no description"]
