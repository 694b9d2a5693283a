"""The form in which a result is sent: no client withholds something from its model, and programs receive all data."""

import asyncio
import json

import pytest

from tests.mcp.served import over_stdio
from tests.mcp.serving import TOOLKIT

TOOLS = """
from typing import TypedDict

from toolkit import ToolContext, ToolResult, TypedTool, tool
from toolkit.tools import Attachment

PICTURE = Attachment("image", "image/png", b"PNG")


class Pot(TypedDict):
    \"\"\"A pot.\"\"\"

    colour: str


@tool(read_only=True)
def written() -> ToolResult:
    \"\"\"Return a text, and data for programs.\"\"\"
    return ToolResult.success("a red pot", structured={"colour": "red"}, artifact=PICTURE)


@tool(read_only=True)
def same() -> ToolResult:
    \"\"\"Return data, and the same as text.\"\"\"
    return ToolResult.success('{"colour": "red"}', structured={"colour": "red"})


@tool(read_only=True)
def pictured() -> ToolResult:
    \"\"\"Return data, the same as text, and a picture.\"\"\"
    return ToolResult.success('{"colour": "red"}', structured={"colour": "red"}, artifact=PICTURE)


@tool(read_only=True, metadata={"mcp": {"_meta": {"ui": {"resourceUri": "ui://pots/page.html"}}}})
def shown() -> ToolResult:
    \"\"\"Return a text, and data for a page.\"\"\"
    return ToolResult.success("a red pot", structured={"colour": "red"})


@tool(read_only=True)
def noted() -> ToolResult:
    \"\"\"Return data, the same as text, and a note for the model.\"\"\"
    return ToolResult.success('{"colour": "red"}', structured={"colour": "red"}).remarked("There is more.")


@tool(read_only=True)
def warned() -> ToolResult:
    \"\"\"Fail with a note for the model.\"\"\"
    return ToolResult.failure("no pots", 7).remarked("There is more.")


def promise(parameters: Pot, context: ToolContext) -> ToolResult:
    return ToolResult.success("a red pot", structured={"colour": parameters["colour"]})


promised = TypedTool(name="promised", description="Return a pot.", input_type=Pot, output_type=Pot, function=promise, read_only=True)
"""
TEXT, JSON = {"type": "text", "text": "a red pot"}, {"type": "text", "text": '{"colour": "red"}'}
NOTE = {"type": "text", "text": "There is more."}
IMAGE = {"type": "image", "data": "UE5H", "mimeType": "image/png"}
RED = {"colour": "red"}
IN_META = {"_meta": {"toolkit/structured": RED}}
ANSWERS = {
    "written": {"content": [TEXT, IMAGE], "isError": False, **IN_META},
    "same": {"content": [JSON], "structuredContent": RED, "isError": False},
    "pictured": {"content": [JSON, IMAGE], "isError": False, **IN_META},
    "noted": {"content": [JSON, NOTE], "isError": False, **IN_META},
    "warned": {
        "content": [{"type": "text", "text": "no pots"}, NOTE],
        "isError": True,
        "_meta": {"toolkit/error_code": 7},
    },
    "shown": {"content": [TEXT], "structuredContent": RED, "isError": False},
    "promised": {
        "content": [TEXT, {"type": "text", "text": '{"colour":"red"}'}],
        "structuredContent": RED,
        "isError": False,
    },
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    return tmp_path


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_each_result_is_sent_in_the_form_that_loses_nothing(folder, era):
    async def talk():
        async with over_stdio(folder, "tools.py", mode=era) as client:
            arguments = {"promised": RED}
            return {name: await client.call_tool(name, arguments.get(name, {})) for name in ANSWERS}

    received = {}
    for name, answer in asyncio.run(talk()).items():
        one = answer.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"result_type"})
        one.get("_meta", {}).pop("io.modelcontextprotocol/serverInfo", None)
        received[name] = {key: value for key, value in one.items() if key != "_meta" or value}
    assert received == ANSWERS


def test_our_own_client_receives_the_data_wherever_it_is_sent(zoo):
    zoo.write("tools.py", TOOLS)
    zoo.write("toolkit.toml", f'[mcp.pots]\ncommand = {json.dumps(TOOLKIT)}\nargs = ["serve", "tools.py"]\n')
    outcomes = {}
    for name in ANSWERS.keys() - {"warned"}:
        words = ("colour=red",) if name == "promised" else ()
        done = zoo.run("run", f"pots.{name}", *words, "--yes", "--format", "json", "-q")
        assert done.exit_code == 0, done.stderr
        result = json.loads(done.stdout)
        outcomes[name] = (result["output"].splitlines()[0], result["structured"])
    assert outcomes == {
        "written": ("a red pot", RED),
        "same": (JSON["text"], RED),
        "pictured": (JSON["text"], RED),
        "noted": (JSON["text"], RED),
        "shown": ("a red pot", RED),
        "promised": ("a red pot", RED),
    }


def test_file_that_is_read_reaches_models_of_clients_that_prefer_data(folder):
    (folder / "note.txt").write_text("remember the milk\nand the bread\n", "utf-8")

    async def talk():
        async with over_stdio(folder, "file_read", mode="legacy") as client:
            return await client.call_tool("file_read", {"path": "note.txt", "start_line": 2})

    answer = asyncio.run(talk())
    assert (answer.content[0].text, answer.structured_content) == ("and the bread\n", None)
    assert answer.meta == {"toolkit/structured": {"start_line": 2, "end_line": 2, "lines": 2}}
