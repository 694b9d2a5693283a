"""What crosses, from the context of a call here to the context of the tool at the other end, over a real wire."""

import json

import pytest

from tests.mcp.serving import TOOLKIT
from toolkit import ToolContext
from toolkit.mcp import StdioServer, close_sessions, connection_to, converter_from, tools_from, wait_for

TOOLS = '''
"""What arrives."""

from toolkit import ToolContext, tool


@tool(read_only=True)
def arrived(context: ToolContext) -> dict[str, object]:
    """Return the values of the context."""
    return dict(context.values)
'''
TRACE = {
    "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "tracestate": "congo=t61rcWkgMzE",
}
CONTEXT = ToolContext({"tenantId": "acme", "apiKey": "k-1", "baggage": "user=ada", "database": object(), **TRACE})


@pytest.fixture(scope="module")
def arrived(tmp_path_factory):
    """Return what of a context arrives at a server of ours, by a `meta` setting of the client."""
    folder = tmp_path_factory.mktemp("arrived")
    (folder / "tools.py").write_text(TOOLS)
    (folder / "toolkit.toml").write_text("")
    arguments = ("serve", "tools.py", "--meta", "tenantId", "--meta", "apiKey", "-q")

    def call(setting, context=CONTEXT):
        converter = converter_from(setting)
        server = StdioServer("arrived", TOOLKIT, arguments, cwd=folder, trusted=True, converter=converter)
        tools, _ = tools_from(server, wait_for(connection_to(server).listing()))
        return json.loads(tools[0].run({}, context).output)

    yield call
    close_sessions()


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("setting", "values"),
    [
        (None, {}),
        (["tenantId"], {"tenantId": "acme"}),
        (["tenantId", "baggage"], {"tenantId": "acme", "baggage": "user=ada"}),
        ({"deny": ["apiKey", "baggage"]}, {"tenantId": "acme"}),
        ("all", {"tenantId": "acme", "apiKey": "k-1", "baggage": "user=ada"}),
    ],
    ids=["nothing", "list", "baggage", "deny", "all"],
)
def test_only_what_the_converter_lets_through_arrives_and_the_trace_always(arrived, setting, values):
    assert arrived(setting) == {**values, **TRACE}


@pytest.mark.proof
def test_a_server_takes_nothing_but_what_it_was_told_to(arrived):
    assert arrived("all", ToolContext({"tenantId": "acme", "role": "admin", "traceparent": "00-forged"})) == {
        "tenantId": "acme"
    }
