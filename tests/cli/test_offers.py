"""A tool that a policy denies is neither offered, nor found, nor described; `toolkit list --why` says why."""

import asyncio
import json

import pytest

from tests.mcp.served import over_stdio

TOOLS = '''
from toolkit import tool, toolbox
from toolkit.disclosure import ToolSearch


@tool(read_only=True)
def find_order(customer: str) -> str:
    """Find the last order of a customer."""
    return "A 17"


@tool(destructive=True)
def cancel_order(number: str) -> str:
    """Cancel an order irrevocably."""
    return "gone"


@toolbox(description="Work with invoices.")
class Invoices:
    @tool(read_only=True)
    def read_invoice(self, number: str) -> str:
        """Read an invoice."""
        return "9 EUR"

    @tool(destructive=True)
    def void_invoice(self, number: str) -> str:
        """Void an invoice."""
        return "gone"


@tool
def wipe() -> str:
    """Wipe everything."""
    return "gone"


search = ToolSearch([find_order, cancel_order])
'''
FOUND = "Tools now available:\n- find_order: Find the last order of a customer.\n"
POLICY = """\
deny:
  - {tool: cancel_order, because: orders are final}
  - {tool: "void_*"}
  - {tool: wipe}
"""


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    (project / "toolkit.policy.yaml").write_text(POLICY, "utf-8")
    return project


def test_list_says_why_a_model_is_not_offered_a_tool(invoke, shop):
    result = invoke("list", "shop.py", "--why")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "NAME                       OFFERED  WHY\n"
        "find_order                 yes\n"
        "cancel_order               no       denied: deny rule, toolkit.policy.yaml:2:\n"
        "                                    orders are final\n"
        "Invoices                   yes\n"
        "wipe                       no       denied: deny rule, toolkit.policy.yaml:4\n"
        "search_tools               yes\n"
        "Invoices.read_invoice      later    after a call of 'Invoices'\n"
        "Invoices.void_invoice      no       denied: deny rule, toolkit.policy.yaml:3\n"
        "search_tools.find_order    later    after a call of 'search_tools'\n"
        "search_tools.cancel_order  no       denied: deny rule, toolkit.policy.yaml:2:\n"
        "                                    orders are final\n"
    )
    records = json.loads(invoke("list", "shop.py", "--why", "--format", "json").stdout)
    assert records[0] == {"name": "find_order", "offered": "yes", "why": ""}
    refused = invoke("list", "--why", "--groups")
    assert (refused.exit_code, refused.stderr) == (2, "error: --why does not go with --groups\n")


def test_denied_tools_are_not_offered_found_or_described_to_a_client(shop):
    async def talk():
        async with over_stdio(shop, "shop.py", "--policy", "toolkit.policy.yaml", mode="legacy") as client:
            before = [one.name for one in (await client.list_tools()).tools]
            found = await client.call_tool("search_tools", {"query": "order irrevocably"})
            nothing = await client.call_tool("search_tools", {"query": "irrevocable cancel"})
            revealed = await client.call_tool("Invoices", {})
            after = [one.name for one in (await client.list_tools()).tools]
            called = await client.call_tool("wipe", {})
            return before, found, nothing, revealed, after, called

    before, found, nothing, revealed, after, called = asyncio.run(talk())
    assert before == ["find_order", "Invoices", "search_tools"]
    assert not {"wipe", "cancel_order", "void_invoice"} & {*after}
    assert [one.content[0].text for one in (found, nothing, revealed)] == [
        f"{FOUND}Renamed to avoid conflicts: 'find_order' is 'search_tools_find_order'.",
        "No tool was found for 'irrevocable cancel'. Try other words.",
        "Tools now available: read_invoice. Call the one that you need.",
    ]
    assert (called.is_error, called.content[0].text) == (True, "Denied by deny rule, toolkit.policy.yaml:4")


def test_stateless_search_finds_no_denied_tool(shop):
    async def talk():
        async with over_stdio(shop, "shop.py") as client:
            return (await client.call_tool("toolkit_search_tools", {"query": "void invoice"})).content[0].text

    text = asyncio.run(talk())
    assert "read_invoice" in text
    assert "void_invoice" not in text


SCRIPT = """\
turns:
  - calls: [{tool: search_tools, arguments: {query: cancel order}}]
  - Done.
"""


def test_denied_tools_are_not_described_to_the_model_of_an_agent(program, shop):
    (shop / "script.yaml").write_text(SCRIPT, "utf-8")
    words = ("agent", "cancel it", "--model", "scripted:script.yaml", "--tools", "shop.py", "--quiet")
    done = program(*words, "--transcript", "said.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "Done.\n", "")
    said = (shop / "said.json").read_text("utf-8")
    assert "find_order: Find the last order" in said
    assert "irrevocably" not in said
