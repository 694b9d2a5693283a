"""What the model of each client and provider receives of a result and of an error: `--as`, through the command line."""

import asyncio
import json

import pytest

from tests.chat_server import ChatServer
from tests.mcp.served import over_stdio
from toolkit.dialects import RESULTS, received
from toolkit.dialects.client_results import APIS, CallOf  # private

TOOLS = '''
from toolkit import ToolResult, tool
from toolkit.tools import Attachment


@tool(read_only=True)
def stock(product: str) -> dict[str, int]:
    """Count the pieces of a product."""
    if product == "none":
        raise ValueError("there is no product 'none'")
    return {"pieces": 3, "boxes": 1}


@tool(read_only=True)
def colours(product: str) -> list[str]:
    """List the colours of a product."""
    return ["red", "blue"]


@tool(read_only=True)
def report(product: str) -> ToolResult:
    """Report on a product, with a picture and a link."""
    picture = Attachment("image", "image/png", b"PNG")
    link = Attachment("link", "text/plain", uri="file:///report.txt", details={"name": "report"})
    return ToolResult.success("red, sold out", structured={"pieces": 0}, artifact=[picture, link])
'''
IMAGE, LINK, TEXT = "[image image/png]\n", "[resource report: file:///report.txt]\n", "red, sold out\n"
LINK_AS_JSON = '{"name":"report","uri":"file:///report.txt","mimeType":"text/plain","type":"resource_link"}\n'
WRAPPED = "<untrusted_context>\nred, sold out\n</untrusted_context>\n"
ERROR = "there is no product 'none'\n"
GEMINI_ERROR = (
    "MCP tool 'stock' reported tool error for function call: "
    '{"name":"stock","args":{"product":"none"}} with response: '
    '[{"functionResponse":{"name":"stock","response":{"_meta":{"toolkit/error_code":"error",'
    '"toolkit/exception":"ValueError"},"content":[{"type":"text","text":"there is no product \'none\'"}],'
    '"isError":true}}}]\n'
)
NOTE = "[Tool 'report' provided the following image data with mime-type: image/png]"
TOLD = "This tool result included an image that is uploaded in the next message."

ROWS = {
    "claude-code": (
        f"{TEXT}{IMAGE}[Resource link: report] file:///report.txt\n",
        19,
        "structured data",
        ERROR,
        7,
    ),
    "claude-desktop": (TEXT + IMAGE + LINK, 18, "structured data", ERROR, 7),
    "codex": (TEXT + IMAGE + LINK_AS_JSON, 31, "structured data", ERROR, 7),
    "copilot-cli": (TEXT, 4, "image, resource_link, structured data", f"MCP server 'toolkit': {ERROR}", 12),
    "vscode": (TEXT + IMAGE + LINK, 18, "structured data", ERROR, 7),
    "gemini-cli": (
        f"{WRAPPED}{NOTE}\n{IMAGE}Resource Link: report at file:///report.txt\n",
        48,
        "structured data",
        GEMINI_ERROR,
        80,
    ),
    "goose": (f"red, sold out {TOLD}\n{IMAGE}", 26, "resource_link, structured data", ERROR, 7),
    "opencode": (TEXT + IMAGE, 8, "resource_link, structured data", ERROR, 7),
    "openai": (TEXT, 4, "image, resource_link, structured data", f"Error: {ERROR}", 9),
    "openai-responses": (TEXT, 4, "image, resource_link, structured data", f"Error: {ERROR}", 9),
    "anthropic": (TEXT, 4, "image, resource_link, structured data", f"Error: {ERROR}", 9),
    "gemini": (TEXT, 4, "image, resource_link, structured data", f"Error: {ERROR}", 9),
}
CALLS = (
    CallOf("report", {"product": "pot"}),
    CallOf("stock", {"product": "none"}),
    CallOf("stock", {"product": "pot"}),
    CallOf("colours", {"product": "pot"}),
)
ANSWERS = [
    {
        "_meta": {"toolkit/structured": {"pieces": 0}},
        "content": [
            {"type": "text", "text": "red, sold out"},
            {"type": "image", "mimeType": "image/png", "data": "UE5H"},
            {"name": "report", "uri": "file:///report.txt", "mimeType": "text/plain", "type": "resource_link"},
        ],
        "isError": False,
    },
    {
        "_meta": {"toolkit/error_code": "error", "toolkit/exception": "ValueError"},
        "content": [{"type": "text", "text": "there is no product 'none'"}],
        "isError": True,
    },
    {
        "content": [{"type": "text", "text": '{"pieces":3,"boxes":1}'}],
        "structuredContent": {"pieces": 3, "boxes": 1},
        "isError": False,
    },
    {
        "content": [{"type": "text", "text": '["red","blue"]'}],
        "structuredContent": {"result": ["red", "blue"]},
        "isError": False,
    },
]
"""The whole answers of the server to these calls, as every client receives them."""
ANSWERS_OF_NOW = [*ANSWERS[:-1], ANSWERS[-1] | {"structuredContent": ["red", "blue"]}]
"""The same in the protocol of 2026-07-28, in which structured content need not be an object."""


def without_frame(answer):
    """Return an answer without what the protocol of 2026-07-28 adds to each: its kind, and the name of the server."""
    meta = {
        key: value for key, value in answer.get("_meta", {}).items() if not key.startswith("io.modelcontextprotocol/")
    }
    kept = {key: value for key, value in answer.items() if key not in ("resultType", "_meta")}
    return kept | ({"_meta": meta} if meta else {})


RAISED = """\
error: ValueError: there is no product 'none'
  --> tools.py:10:9
   |
10 |         raise ValueError("there is no product 'none'")
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
   |
"""


@pytest.fixture
def folder(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    return project


def test_every_client_with_known_facts_is_tested_here():
    assert ROWS.keys() == RESULTS.keys()


@pytest.mark.parametrize("client", ROWS)
def test_result_and_error_are_shown_as_the_model_receives_them(invoke, folder, client):
    shown, tokens, left_out, error, error_tokens = ROWS[client]
    who = f"the model of {RESULTS[client].title} receives about"
    result = invoke("run", "tools.py:report", "product=pot", "--as", client)
    assert (result.exit_code, result.stdout) == (0, shown)
    assert result.stderr == f"{who} {tokens} tokens\nleft out: {left_out}\n"
    failed = invoke("run", "tools.py:stock", "product=none", "--as", client)
    assert (failed.exit_code, failed.stdout) == (1, error)
    assert failed.stderr == f"{who} {error_tokens} tokens\n{RAISED}"


@pytest.mark.parametrize("client", RESULTS)
def test_form_in_which_functions_are_served_loses_nothing_anywhere(invoke, folder, client):
    for name, data in (("stock", {"pieces": 3, "boxes": 1}), ("colours", ["red", "blue"])):
        result = invoke("run", f"tools.py:{name}", "product=pot", "--as", client, "--format", "json")
        [part] = (seen := json.loads(result.stdout)["received"])["parts"]
        text = part["text"].removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>")
        if client == "copilot-cli" and name == "colours":  # it passes on the list as it is, and as it is wrapped
            text, _, wrapped = text.partition("\n\n")
            assert json.loads(wrapped) == {"result": data}
        assert json.loads(text) in (data, {"result": data})
        assert seen["left_out"] == []


@pytest.mark.parametrize("client", [name for name in RESULTS if name not in APIS])
def test_views_stand_on_the_answers_of_the_server(client):
    seen = [f"{received(answer, client, call).text}\n" for call, answer in zip(CALLS, ANSWERS, strict=True)]
    assert (seen[0], seen[1]) == (ROWS[client][0], ROWS[client][3])


def test_client_of_the_sdk_receives_these_answers(folder):
    async def talk():
        async with over_stdio(folder, "tools.py", mode="legacy") as client:
            return [await client.call_tool(call.tool, dict(call.arguments)) for call in CALLS]

    answers = asyncio.run(talk())
    kept = {"mode": "json", "by_alias": True, "exclude_none": True, "exclude": {"result_type"}}
    assert [answer.model_dump(**kept) for answer in answers] == ANSWERS


SCRIPT = """\
turns:
  - calls:
      - {tool: stock, arguments: {product: none}}
      - {tool: report, arguments: {product: pot}}
  - It is over.
"""


def test_api_receives_what_the_view_of_it_shows(program, folder):
    (folder / "shop.yaml").write_text(SCRIPT, "utf-8")
    with ChatServer.of_folder(folder) as server:
        words = (
            "agent",
            "how many?",
            "--model",
            "chat:shop",
            "--base-url",
            server.url,
            "--tools",
            "tools.py",
            "--quiet",
        )
        done = program(*words)
        assert (done.returncode, done.stdout) == (0, "It is over.\n")
        sent = [one["content"] for one in server.asked[-1].body["messages"] if one["role"] == "tool"]
    assert [f"{one}\n" for one in sent] == [ROWS["openai"][3], ROWS["openai"][0]]


def test_facts_about_a_client_are_shown_with_their_sources(invoke, folder):
    shown = invoke("show", "tools.py:stock", "--as", "opencode", "--format", "json")
    [one] = json.loads(shown.stdout)
    assert (one["name"], one["client"]) == ("stock", "opencode")
    assert [(fact["topic"], fact["checked"]) for fact in one["results"]] == [
        ("structured content", "2026-11-27"),
        ("texts, images, links", "2026-11-27"),
        ("order", "2026-11-27"),
        ("errors", "2026-11-27"),
        ("size", "2026-11-27"),
    ]
    text = invoke("show", "tools.py:stock", "--as", "claude-desktop")
    assert (text.exit_code, text.stderr) == (0, "")
    assert text.stdout == (
        "stock\n"
        "  returns text, and the same as structured content\n"
        "\n"
        "  RESULT              WHAT THE MODEL OF CLAUDE DESKTOP RECEIVES\n"
        "  structured content  structured content without content shows nothing\n"
        "                      (https://github.com/seuros/action_mcp/issues/181, checked\n"
        "                      2026-11-26)\n"
        "  size                a result of more than 1,048,576 characters is replaced by\n"
        "                      an error\n"
        "                      (https://github.com/PrefectHQ/fastmcp/issues/1036, checked\n"
        "                      2026-11-26)\n"
    )


def test_result_that_is_too_large_for_a_client_says_so(invoke, folder):
    (folder / "tools.py").write_text(TOOLS.replace('["red", "blue"]', '["red"] * 20_000'), "utf-8")
    result = invoke("run", "tools.py:colours", "product=pot", "--as", "gemini-cli")
    assert result.stderr == (
        "the model of Gemini CLI receives about 30,011 tokens\n"
        "a single text of more than 40,000 characters is cut, and saved to a file\n"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "tools.py:stock", "product=x", "--as", "codx"),
            "error: --as: there are no facts about 'codx'\nhint: did you mean 'codex' or 'vscode'?\n",
        ),
        (
            ("run", "tools.py:stock", "product=x", "--as", "codex", "--dry-run"),
            "error: '--as' shows a single result, so it cannot be combined with '--dry-run'\n",
        ),
        (
            ("show", "tools.py:stock", "--as", "codex", "--format", "mermaid"),
            "error: --as has no diagram; leave out --format mermaid\n",
        ),
    ],
)
def test_what_cannot_be_shown_is_refused(invoke, folder, words, message):
    result = invoke(*words)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
