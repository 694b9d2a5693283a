"""`toolkit schema --defer`, for tools that a model searches for, and `--as`, for models that write code."""

import json
import subprocess
import sys
from typing import get_type_hints

import anthropic.types
import openai.types.responses
import pytest
from openai.types.responses import tool_param
from pydantic import TypeAdapter

TOOLS = '''
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict

from pydantic import Field

from toolkit import Tool, tool


class Item(TypedDict, total=False):
    product: str
    pieces: int


@dataclass
class Node:
    name: str
    children: list["Node"] = field(default_factory=list)


CODE = {
    "anthropic": {"allowed_callers": ["code_execution_20260521"]},
    "openai": {"allowed_callers": ["direct", "programmatic"], "defer_loading": False},
}


@tool(metadata=CODE)
def order(
    items: list[Item], speed: Literal["slow", "fast"] = "slow", note: str | None = None, prices: dict[str, float] = {}
) -> list[Item]:
    """Order goods.

    Args:
        items: What is ordered, a */ "piece".
        note: A note
            in two lines.
    """
    return items


@tool(name="get-tree")
def tree(root: Node, level: Literal[1, 2, None] = 1) -> Node:
    """Get a tree.

    It has "branches" */ and more."""
    return root


@tool(name="class")
def now() -> str:
    """Tell the time."""
    return ""


odd = Tool.create(
    "odd",
    "Has odd parameters.",
    {
        "type": "object",
        "properties": {"from": {"type": "string"}, "a-b": {"type": ["integer", "null"]}, "any": {}},
        "required": ["from"],
    },
    lambda **given: "",
)
'''
PYTHON = '''\
from typing import Any, Literal, NotRequired, TypedDict

OrderItemsItem = TypedDict("OrderItemsItem", {"product": "NotRequired[str]", "pieces": "NotRequired[int]"})

Node = TypedDict("Node", {"name": "str", "children": "NotRequired[list[Node]]"})

OddArguments = TypedDict("OddArguments", {"from": "str", "a-b": "NotRequired[int | None]", "any": "NotRequired[Any]"})

def order(*, items: list[OrderItemsItem], speed: Literal["slow", "fast"] = ..., note: str | None = ..., \
prices: dict[str, float] = ...) -> list[OrderItemsItem]:
    """Order goods.

    Args:
        items: What is ordered, a */ "piece".
        note: A note in two lines.
    """
    ...

def get_tree(*, root: Node, level: Literal[1, 2, None] = ...) -> Node:
    """Get a tree.

    It has "branches" */ and more."""
    ...

def tool_class() -> str:
    """Tell the time."""
    ...

def odd(arguments: OddArguments) -> Any:
    """Has odd parameters."""
    ...
'''
TYPESCRIPT = """\
type OrderItemsItem = { product?: string; pieces?: number };

type Node = { name: string; children?: Array<Node> };

/**
 * Order goods.
 * @param args.items What is ordered, a *\\/ "piece".
 * @param args.note A note in two lines.
 */
declare function order(args: { items: Array<OrderItemsItem>; speed?: "slow" | "fast"; note?: string | null; \
prices?: Record<string, number> }): Promise<Array<OrderItemsItem>>;

/**
 * Get a tree.
 *
 * It has "branches" *\\/ and more.
 */
declare function get_tree(args: { root: Node; level?: 1 | 2 | null }): Promise<Node>;

/**
 * Tell the time.
 */
declare function tool_class(): Promise<string>;

/**
 * Has odd parameters.
 */
declare function odd(args: { from: string; "a-b"?: number | null; any?: unknown }): Promise<unknown>;
"""


@pytest.fixture
def folder(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    return project


def request(invoke, *options):
    result = invoke("schema", "tools.py:order", "tools.py:tree", "tools.py:now", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def marks(tools):
    return [
        {key: one[key] for key in ("type", "name", "defer_loading", "allowed_callers") if key in one} for one in tools
    ]


def test_request_to_anthropic_has_the_search_and_what_runs_code(invoke, folder):
    tools = request(invoke, "--dialect", "anthropic", "--defer")
    callers = ["code_execution_20260521"]
    assert marks(tools) == [
        {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
        {"type": "code_execution_20260521", "name": "code_execution"},
        {"name": "order", "defer_loading": True, "allowed_callers": callers},
        {"name": "get-tree", "defer_loading": True},
        {"name": "class", "defer_loading": True},
    ]
    kept = request(invoke, "--dialect", "anthropic", "--defer", "--keep-loaded", "200")
    assert [one["name"] for one in kept if one.get("defer_loading")] == ["get-tree", "class"]
    assert request(invoke, "--dialect", "anthropic", "--defer", "--keep-loaded", "9999")[0]["name"] == "code_execution"


def test_request_to_openai_has_the_form_of_the_responses_api(invoke, folder):
    tools = request(invoke, "--dialect", "openai", "--defer")
    assert marks(tools) == [
        {"type": "tool_search"},
        {"type": "programmatic_tool_calling"},
        {"type": "function", "name": "order", "allowed_callers": ["direct", "programmatic"]},
        {"type": "function", "name": "get-tree", "defer_loading": True},
        {"type": "function", "name": "class", "defer_loading": True},
    ]
    assert tools[2]["output_schema"]["type"] == "array"
    assert all("output_schema" not in one for one in tools[3:])


def test_types_of_the_sdks_accept_every_entry(invoke, folder):
    for_anthropic = TypeAdapter(anthropic.types.ToolUnionParam)
    known = get_type_hints(anthropic.types.ToolParam)
    for one in request(invoke, "--dialect", "anthropic", "--defer"):
        for_anthropic.validate_python(one)
        assert "type" in one or one.keys() <= known.keys()
    for_openai = TypeAdapter(tool_param.ToolParam)
    known = get_type_hints(openai.types.responses.FunctionToolParam)
    for one in request(invoke, "--dialect", "openai", "--defer"):
        for_openai.validate_python(one)
        assert one["type"] != "function" or one.keys() <= known.keys()


def test_python_stubs_pass_a_strict_check_of_types(invoke, folder):
    result = invoke("schema", "tools.py", "--as", "python")
    assert (result.exit_code, result.stdout, result.stderr) == (0, PYTHON, "")
    (folder / "shop.pyi").write_text(result.stdout, "utf-8")
    (folder / "use.py").write_text(
        'from shop import get_tree, odd, order\n\nname: str = get_tree(root={"name": "a"})["name"]\n'
        'pieces = order(items=[{"product": name}], speed="fast")[0]["pieces"] + 1\nodd({"from": "x", "a-b": None})\n',
        "utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "shop.pyi", "use.py"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert checked.stdout == "Success: no issues found in 2 source files\n"


def test_typescript_stubs_are_valid_syntax(invoke, folder):
    result = invoke("schema", "tools.py", "--as", "typescript")
    assert (result.exit_code, result.stdout, result.stderr) == (0, TYPESCRIPT, "")
    tree_sitter = pytest.importorskip("tree_sitter")
    grammar = pytest.importorskip("tree_sitter_typescript")
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language_typescript()))
    assert not parser.parse(result.stdout.encode()).root_node.has_error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--defer"], "error: 'plain' has no deferred tools\nhint: add --dialect anthropic or --dialect openai\n"),
        (
            ["--dialect", "gemini", "--defer"],
            "error: 'gemini' has no deferred tools\nhint: add --dialect anthropic or --dialect openai\n",
        ),
        (["--as", "python", "--defer"], "error: '--as' prints stubs, which have no dialect\n"),
    ],
)
def test_what_no_request_can_express_is_refused(invoke, folder, options, message):
    result = invoke("schema", "tools.py", *options)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)


POINTS = """
from pydantic import BaseModel

from toolkit import Tool, tool


class Point(BaseModel):
    x: int
    y: int


@tool(read_only=True)
def origin() -> Point:
    return Point(x=0, y=0)


@tool(read_only=True)
def move(start: Point) -> Point:
    return start


PAIR = {"properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x", "y"], "type": "object"}
resize = Tool.create(
    "resize",
    "Resize a picture.",
    {
        "type": "object",
        "properties": {"old": {"$ref": "#/$defs/a"}, "new": {"$ref": "#/$defs/b"}, "at": {"$ref": "#/$defs/c"}},
        "$defs": {"a": {"title": "Size", **PAIR}, "b": {"title": "Size", **PAIR}, "c": {"title": "Place", **PAIR}},
    },
    lambda **given: "",
)
"""


def test_equal_objects_are_one_type_unless_their_titles_differ(invoke, project):
    (project / "points.py").write_text(POINTS, "utf-8")
    assert invoke("schema", "points.py:resize", "--as", "python").stdout == (
        "from typing import Any, TypedDict\n\n"
        'Size = TypedDict("Size", {"x": "int", "y": "int"})\n\n'
        'Place = TypedDict("Place", {"x": "int", "y": "int"})\n\n'
        "def resize(*, old: Size = ..., new: Size = ..., at: Place = ...) -> Any:\n"
        '    """Resize a picture."""\n    ...\n'
    )
    assert invoke("schema", "points.py:origin", "points.py:move", "--as", "typescript").stdout == (
        "type OriginResult = { x: number; y: number };\n\n"
        "declare function origin(): Promise<OriginResult>;\n\n"
        "declare function move(args: { start: OriginResult }): Promise<OriginResult>;\n"
    )


def test_tool_without_a_description_has_none_in_the_plain_definition(invoke, project):
    (project / "points.py").write_text(POINTS, "utf-8")
    result = invoke("schema", "points.py:origin")
    assert json.loads(result.stdout) == {"name": "origin", "parameters": {"type": "object", "properties": {}}}
