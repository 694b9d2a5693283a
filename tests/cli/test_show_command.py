"""`toolkit show`."""

import json

import pytest

TOOLS = '''
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolkit import tool


class Item(BaseModel):
    """One line of an order."""

    product: Annotated[str, Field(description="Its number")]
    pieces: Annotated[int, Field(ge=1)] = 1


@tool(destructive=True, category="orders")
def order(
    items: Annotated[list[Item], "What is ordered"],
    due: date,
    speed: Literal["slow", "fast"] = "slow",
    note: Annotated[str | None, Field(max_length=80)] = None,
    prices: dict[str, float] = {},
) -> list[int]:
    """Order goods.

    Use it only after the customer has confirmed.
    """
    return [len(items)]


@tool(examples=[{"number": "A 17", "copies": 2, "tags": ["new"]}])
def label(number: str, copies: int, tags: list[str]) -> str:
    """Print labels."""
    return number
'''

ORDER = """\
order
  Order goods.

  Use it only after the customer has confirmed.

  kind      function
  from      shop.py
  defined   shop.py:18:5
  category  orders
  marks     destructive
  returns   list of integer

Parameters
  NAME             TYPE              DEFAULT   DESCRIPTION
  items            list of object    required  What is ordered
  items[].product  string            required  Its number
  items[].pieces   integer           1         (at least 1)
  due              date              required
  speed            "slow" | "fast"   "slow"
  note             string | null     null      (at most 80 characters)
  prices           object of number  {}

Run it
  toolkit run shop.py:order items:=JSON due=DUE
"""


@pytest.fixture
def shop(project):
    (project / "shop.py").write_text(TOOLS, "utf-8")
    return project


def test_everything_about_a_tool_is_shown(invoke, shop):
    result = invoke("show", "shop.py:order")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == ORDER


def test_command_is_filled_with_the_example(invoke, shop):
    shown = invoke("show", "shop.py:label").stdout
    assert shown.splitlines()[-1] == """  toolkit run shop.py:label 'number=A 17' copies=2 'tags:=["new"]'"""


def test_tools_of_a_file_are_shown_one_after_the_other(invoke, shop):
    shown = invoke("show", "shop.py").stdout
    assert shown.startswith(f"{ORDER}\n\nlabel\n")


def test_built_in_tool_is_shown_by_its_name(invoke):
    result = invoke("show", "calculator")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "  kind   text tool\n  from   builtin\n" in result.stdout
    assert result.stdout.endswith("Run it\n  toolkit run calculator TEXT\n")


def test_json_has_the_whole_specification(invoke, shop):
    record = json.loads(invoke("show", "shop.py:label", "--format", "json").stdout)
    assert list(record) == [
        "name",
        "description",
        "kind",
        "source",
        "location",
        "requires_approval",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
        "parameters",
        "output_schema",
        "return_behavior",
        "category",
        "strict",
        "metadata",
        "examples",
    ]
    assert record["examples"] == [{"number": "A 17", "copies": 2, "tags": ["new"]}]
    assert record["parameters"]["required"] == ["number", "copies", "tags"]


def test_unknown_tool_is_exit_code_4(invoke, shop):
    result = invoke("show", "calculater")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == "error[TK001]: nothing is called 'calculater'\nhint: did you mean 'calculator'?\n"


def test_only_a_pipeline_has_a_diagram(invoke, shop):
    result = invoke("show", "shop.py:label", "--format", "mermaid")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: 'label' is no pipeline: there are no steps to draw\n"


def test_text_of_strangers_cannot_paint_the_terminal(invoke, shop):
    (shop / "shop.py").write_text(TOOLS.replace("Print labels.", "Print \\x1b[2Jlabels\\u202e."), "utf-8")
    shown = invoke("show", "shop.py:label").stdout
    assert "  Print \\x1b[2Jlabels\\u202e.\n" in shown
