"""The marks of agents in files: one that may change something, by whatever it is offered later, is not read-only."""

from textwrap import dedent

import pytest

from toolkit.settings import Configuration
from toolkit.sources import open_targets

TOOLS = '''
from toolkit import tool, toolbox
from toolkit.disclosure import UnfoldingTool


class Customer:
    @tool
    def remind(self) -> str:
        """Send the customer a reminder."""
        return "sent"


@tool(read_only=True)
def find() -> Customer:
    """Find the customer."""
    return Customer()


@tool(open_world=True)
def send() -> str:
    """Send a letter."""
    return "sent"


finding = UnfoldingTool.of("finding", "Find things.", [find])
sending = UnfoldingTool.of("sending", "Send things.", [find, send])
office = UnfoldingTool.of("office", "Find and send things.", [UnfoldingTool.by_category("post", "Post.", {"out": [send]})])
anything = UnfoldingTool.selectable("anything", "Anything.", {"type": "object"}, lambda arguments: [send], tools=[find])
'''


@pytest.mark.parametrize(
    ("offered", "read_only", "open_world"),
    [
        ("tools: [shop.py:find]", True, None),
        ("tools: [shop.py:send]", None, True),
        ("tools: [shop.py:finding]", True, None),
        ("tools: [shop.py:sending]", None, True),
        ("tools: [shop.py:office]", None, True),
        ("tools: [shop.py:anything]", None, None),
        ("tools: [shop.py:find]\nchaining: [shop.py:Customer]", None, None),
        ("tools: [shop.py:find]\nchaining: any", None, None),
        ("references: [{name: post, description: The post., tools: [shop.py:sending], unfold: true}]", None, True),
    ],
)
def test_agent_is_read_only_if_all_is_that_it_may_come_to_call(tmp_path, monkeypatch, offered, read_only, open_world):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text(dedent(TOOLS), "utf-8")
    (tmp_path / "clerk.yaml").write_text(f"agent: simple\ndescription: Does what clerks do.\n{offered}\n", "utf-8")
    opened = open_targets(["clerk.yaml"], Configuration())
    assert opened.problems == []
    spec = opened.tools["clerk"].spec
    assert (spec.read_only, spec.open_world) == (read_only, open_world)
