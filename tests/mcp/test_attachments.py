"""Pictures, recordings, documents and links: from our own tools, and from a server behind ours, to a client."""

import json
import re
import sys
from base64 import b64decode

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client

from tests.mcp.served import in_this_process, over_http, over_stdio
from toolkit import Tool, ToolResult, from_function, tool
from toolkit.mcp import HttpServer, McpTools, Options, StdioServer, close_sessions
from toolkit.redactors import Redactor
from toolkit.tools import Attachment

ICON = {"src": "data:image/png;base64,UE5H", "mimeType": "image/png", "sizes": ["48x48"]}
CONTENT = [
    {"type": "text", "text": "first"},
    {"type": "image", "data": "UE5H", "mimeType": "image/png", "annotations": {"audience": ["user"], "priority": 0.5}},
    {"type": "audio", "data": "V0FW", "mimeType": "audio/wav"},
    {"type": "text", "text": "second"},
    {"type": "resource", "resource": {"uri": "zoo://note", "mimeType": "text/markdown", "text": "# Lions\n\ntwo"}},
    {"type": "resource", "resource": {"uri": "zoo://blob", "mimeType": "application/pdf", "blob": "UERG"}},
    {
        "type": "resource_link",
        "uri": "zoo://map",
        "name": "map",
        "title": "The map",
        "description": "All of it",
        "mimeType": "image/svg+xml",
        "size": 12,
        "icons": [ICON],
    },
    {"type": "text", "text": "last"},
]
GALLERY = """
import json
import sys

CONTENT, ICON = json.loads(sys.argv[1])
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = [
    {"name": "show", "title": "Show all", "description": "Show it.", "inputSchema": NOTHING,
     "icons": [ICON, {"src": "http://zoo.example/a.png"}, {"src": "data:text/html,x"}], "annotations": {"readOnlyHint": True}},
    {"name": "fail", "description": "Fail.", "inputSchema": NOTHING, "annotations": {"readOnlyHint": True, "title": "Fails"}},
]

def told(request):
    match request["method"]:
        case "initialize":
            return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "g", "version": "1"}}
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return {"content": CONTENT, "isError": request["params"]["name"] == "fail"}

for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = told(request)
        said = {"result": result} if result else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}), flush=True)
"""


def plain(blocks):
    return [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in blocks]


def answer_of(one: Tool | object, era="legacy", options=None):
    async def talk():
        async with in_this_process([one], era, options) as (_, client):
            [listed] = (await client.list_tools()).tools
            return await client.call_tool(listed.name, {})

    return anyio.run(talk)


@pytest.fixture
def gallery(tmp_path):
    """A server whose tool gives one of everything."""
    (tmp_path / "gallery.py").write_text(GALLERY, "utf-8")
    yield StdioServer(
        "gallery", sys.executable, (str(tmp_path / "gallery.py"), json.dumps([CONTENT, ICON])), trusted=True
    )
    close_sessions()


OWN = """
from toolkit import ToolResult, tool
from toolkit.tools import Attachment

@tool(read_only=True)
def picture() -> Attachment:
    \"\"\"Draw a picture.\"\"\"
    return Attachment("image", "image/png", b"PNG")

@tool(read_only=True)
def pictures() -> list[Attachment]:
    \"\"\"Draw two pictures.\"\"\"
    return [Attachment("image", "image/png", b"PNG"), Attachment("audio", "audio/wav", b"WAV")]

@tool(read_only=True)
def report() -> ToolResult:
    \"\"\"Write a report.\"\"\"
    document = Attachment("resource", "application/pdf", b"PDF", "report:1")
    return ToolResult.success("Here it is.", artifact=document)

@tool(read_only=True)
def link() -> ToolResult:
    \"\"\"Name a report.\"\"\"
    found = Attachment("link", "text/html", uri="https://shop.example/reports/1", details={"title": "Report"})
    return ToolResult.success("It is there.", structured={"found": 1}, artifact=(found,))
"""
IMAGE = {"type": "image", "data": "UE5H", "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": "V0FW", "mimeType": "audio/wav"}
PDF = {"type": "resource", "resource": {"uri": "report:1", "mimeType": "application/pdf", "blob": "UERG"}}
LINK = {
    "type": "resource_link",
    "name": "1",
    "title": "Report",
    "uri": "https://shop.example/reports/1",
    "mimeType": "text/html",
}


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_attachments_of_our_own_tools_reach_the_client(tmp_path, era, transport):
    (tmp_path / "tools.py").write_text(OWN, "utf-8")

    async def answers(client):
        async with client:
            results = [await client.call_tool(name, {}) for name in ("picture", "pictures", "report", "link")]
            return [plain(result.content) for result in results], results[-1].meta["toolkit/structured"]

    if transport == "stdio":
        told = anyio.run(answers, over_stdio(tmp_path, "tools.py", mode=era))
    else:
        with over_http(tmp_path, "tools.py") as (_, url):
            told = anyio.run(answers, Client(url, mode=era))
    assert told == (
        [
            [IMAGE],
            [IMAGE, AUDIO],
            [{"type": "text", "text": "Here it is."}, PDF],
            [{"type": "text", "text": "It is there."}, LINK],
        ],
        {"found": 1},
    )


def test_what_a_server_behind_ours_sends_arrives_as_it_was_sent(gallery):
    show, fail = McpTools(gallery).tools()
    shown, failed = answer_of(show), answer_of(fail)
    assert (plain(shown.content), shown.is_error) == (CONTENT, False)
    assert (plain(failed.content), failed.is_error) == (CONTENT, True)


@pytest.mark.proof
def test_our_client_gives_everything_that_it_was_sent(gallery):
    result = McpTools(gallery).required_tool("show").run({})
    assert result.output.splitlines() == [
        "first",
        "[image image/png, 3 bytes]",
        "[audio audio/wav, 3 bytes]",
        "second",
        "# Lions",
        "",
        "two",
        "[resource zoo://blob, 3 bytes]",
        "[resource map: zoo://map]",
        "last",
    ]
    places = {"audience": ["user"], "priority": 0.5}
    about = {"name": "map", "title": "The map", "description": "All of it", "size": 12, "icons": [ICON]}
    assert result.artifact == (
        Attachment("image", "image/png", b"PNG", details={"annotations": places}),
        Attachment("audio", "audio/wav", b"WAV"),
        Attachment("resource", "text/markdown", b"# Lions\n\ntwo", "zoo://note", is_text=True),
        Attachment("resource", "application/pdf", b"PDF", "zoo://blob"),
        Attachment("link", "image/svg+xml", uri="zoo://map", details=about),
    )


def test_our_client_takes_them_from_our_server(tmp_path):
    (tmp_path / "tools.py").write_text(OWN, "utf-8")
    with over_http(tmp_path, "tools.py") as (_, url):
        try:
            tools = {one.wire_name: one.run({}) for one in McpTools(HttpServer("own", url, trusted=True)).tools()}
        finally:
            close_sessions()
    assert tools["pictures"] == ToolResult(
        "[image image/png, 3 bytes]\n[audio audio/wav, 3 bytes]",
        artifact=(Attachment("image", "image/png", b"PNG"), Attachment("audio", "audio/wav", b"WAV")),
    )
    assert tools["report"].output == "Here it is.\n[resource report:1, 3 bytes]"


@pytest.mark.proof
def test_attachments_beyond_the_limit_are_left_out_and_said_to_be():
    @tool(read_only=True)
    def draw() -> list[Attachment]:
        """Draw."""
        return [Attachment("image", "image/png", b"x" * size) for size in (8_000_000, 500_000)]

    first, second = answer_of(draw).content
    assert len(first.data) > 10_000_000
    limit = "the attachments have more than 8388608 bytes"
    assert plain([second]) == [{"type": "text", "text": f"[image image/png, 500000 bytes, left out: {limit}]"}]


def test_details_that_the_protocol_has_no_place_for_leave_the_attachment_out_and_nothing_else():
    @tool(read_only=True)
    def draw() -> list[Attachment]:
        """Draw."""
        return [Attachment("image", "image/png", b"PNG", details={"annotations": 7}), Attachment("audio", "", b"WAV")]

    reason = "the protocol cannot express it"
    assert plain(answer_of(draw).content) == [
        {"type": "text", "text": f"[image image/png, 3 bytes, left out: {reason}]"},
        {"type": "audio", "data": "V0FW", "mimeType": "audio/*"},
    ]


def test_secrets_leave_in_no_attachment():
    secret = "hunter2-hunter2"  # noqa: S105 - planted

    @tool(read_only=True)
    def leak() -> list[Attachment]:
        """Leak."""
        return [
            Attachment("image", "image/png", b"\x89PNG" + secret.encode() + b"\xff"),
            Attachment("resource", "text/plain", f"key: {secret}".encode(), f"x:{secret}", is_text=True),
            Attachment("link", "", uri="x:y", details={"name": secret, "title": f"T {secret}"}),
        ]

    answer = answer_of(leak, options=Options(redactor=Redactor(secret)))
    assert secret not in repr(answer)
    image, text, link = answer.content
    assert isinstance(image, types.ImageContent)
    assert b64decode(image.data) == b"\x89PNG" + b"*" * len(secret) + b"\xff"
    assert text.resource.text == "key: **********"
    assert (link.name, link.title) == ("**********", "T **********")


def test_what_returns_attachments_promises_no_form_of_its_result():
    def draw() -> list[Attachment | None]:
        """Draw."""
        return []

    assert from_function(draw).spec.output_schema is None


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("trusted", [True, False])
def test_titles_and_icons_of_a_server_behind_ours_are_kept(gallery, trusted):
    tools = McpTools(StdioServer("gallery", gallery.command, gallery.args, trusted=trusted)).tools()

    async def listed():
        async with in_this_process(tools) as (_, client):
            return [(one.name, one.title, one.icons) for one in (await client.list_tools()).tools]

    icons = [types.Icon.model_validate(ICON)]
    assert anyio.run(listed) == [("gallery_show", "Show all", icons), ("gallery_fail", "Fails", None)]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            (b"PNG", "image/png"),
            "the kind of an attachment must be one of 'image', 'audio', 'resource', 'link', not b'PNG'",
        ),
        (("image", "image/png", "PNG"), "the content of an attachment must be bytes, not str"),
    ],
)
def test_attachment_that_no_client_could_receive_fails_where_it_is_made(arguments, error):
    with pytest.raises((TypeError, ValueError), match=re.escape(error)):
        Attachment(*arguments)
