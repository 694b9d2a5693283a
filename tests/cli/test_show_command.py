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
  tokens    about 176 in each request

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


BUILT = """
from toolkit import Tool

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
wiper = Tool.create("wipe", "Wipe a path.", SCHEMA, lambda path: f"wiped {path}")
"""


@pytest.mark.parametrize(
    "target", ["built.py:wipe", "built.py:wiper", "built.py", ".", "lists.py:wipe", "lists.py", "built"]
)
def test_command_for_a_tool_that_a_program_has_built_can_be_run_as_it_is(invoke, project, target):
    (project / "built.py").write_text(BUILT, "utf-8")
    if target.startswith("lists"):
        (project / "lists.py").write_text("from built import wiper\n\ntools = [wiper]\n", "utf-8")
    shown = invoke("show", target)
    assert (shown.exit_code, shown.stderr.count("error")) == (0, 0)
    _, run, named, path = shown.stdout.split()[-4:]
    assert (run, path) == ("run", "path=PATH")
    result = invoke(run, named, "path=here")
    assert (result.exit_code, result.stdout) == (0, "wiped here\n")


def test_hint_names_the_tools_that_a_program_has_built_as_targets(invoke, project):
    (project / "built.py").write_text(f"{BUILT}other = wiper.with_name('clear')\n", "utf-8")
    result = invoke("run", "built.py")
    assert result.stderr.endswith("hint: name one: built.py:wipe, built.py:clear\n")
    assert invoke("run", "built.py:clear", "path=here").stdout == "wiped here\n"


def test_command_is_filled_with_the_example(invoke, shop):
    shown = invoke("show", "shop.py:label").stdout
    assert shown.splitlines()[-1] == """  toolkit run shop.py:label 'number=A 17' copies=2 'tags:=["new"]'"""


def test_tools_of_a_file_are_shown_one_after_the_other(invoke, shop):
    shown = invoke("show", "shop.py").stdout
    assert shown.startswith(f"{ORDER}\n\nlabel\n")


def test_built_in_tool_is_shown_by_its_name(invoke):
    result = invoke("show", "calculator")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "  kind    text tool\n  from    builtin\n" in result.stdout
    assert result.stdout.endswith("Run it\n  toolkit run calculator TEXT\n")


def test_options_of_a_ready_tool_are_explained(invoke, project):
    result = invoke("show", "human_input")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(
        """
Options  in [tool.toolkit.builtin.human_input]
  NAME     TYPE      DEFAULT  MEANING
  timeout  duration  "5m"     how long to wait for an answer

Run it
  toolkit run human_input TEXT
"""
    )


def test_options_of_a_ready_tool_are_data_too(invoke, project):
    (project / "toolkit.toml").write_text("[builtin.ask_long]\nkind = 'human_input'\n")
    record = json.loads(invoke("show", "ask_long", "--format", "json").stdout)
    assert (record["name"], record["options"]) == (
        "ask_long",
        [
            {
                "name": "timeout",
                "kind": "duration",
                "meaning": "how long to wait for an answer",
                "default": "5m",
                "required": False,
                "widens": False,
            }
        ],
    )


def test_ready_tool_that_needs_to_be_told_more_is_explained(invoke, project):
    result = invoke("show", "process")
    assert result.exit_code == 0
    assert result.stdout.startswith("process\n  Runs one command")
    assert "Options  in [tool.toolkit.builtin.process]\n" in result.stdout
    assert "the ready tool 'process' cannot be used here: the option 'command' is missing" in result.stderr


def test_ready_tool_that_needs_to_be_told_more_is_data_too(invoke, project):
    result = invoke("show", "process", "--format", "json")
    record = json.loads(result.stdout)
    assert (result.exit_code, record["name"], list(record)) == (0, "process", ["name", "description", "options"])
    assert [option["name"] for option in record["options"] if option["required"]] == ["command"]


def test_diagram_of_what_is_no_pipeline_is_refused(invoke, project):
    result = invoke("show", "process", "--format", "mermaid")
    assert (result.exit_code, result.stdout) == (2, "")


def test_json_has_the_whole_specification(invoke, shop):
    record = json.loads(invoke("show", "shop.py:label", "--format", "json").stdout)
    assert list(record) == [
        "name",
        "description",
        "kind",
        "framework",
        "source",
        "location",
        "requires_approval",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
        "policy",
        "tokens",
        "parameters",
        "output_schema",
        "return_behavior",
        "result_tokens",
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
    assert result.stderr == "error[TK001]: nothing is named 'calculater'\nhint: did you mean 'calculator'?\n"


def test_only_a_pipeline_has_a_diagram(invoke, shop):
    result = invoke("show", "shop.py:label", "--format", "mermaid")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: 'label' has no diagram: it is neither a pipeline nor an agent with states\n"


def test_text_of_strangers_cannot_paint_the_terminal(invoke, shop):
    (shop / "shop.py").write_text(TOOLS.replace("Print labels.", "Print \\x1b[2Jlabels\\u202e."), "utf-8")
    shown = invoke("show", "shop.py:label").stdout
    assert "  Print \\x1b[2Jlabels\\u202e.\n" in shown


PIPELINE = """\
toolkit: 1
name: labels
description: Print a label for every number.
tools: [./shop.py]
inputs:
  numbers: {type: array, items: {type: string}, description: The numbers}
  copies: {type: integer, default: 1}
steps:
  - id: each
    for_each: ${{ inputs.numbers }}
    max_parallel: 2
    use: label
    pipe: number
    with: {copies: "${{ inputs.copies }}", tags: [new]}
  - parallel:
      count:
        - set: ${{ len(prev) }}
      shout:
        - use: calculator
          with: {input: "1 + 1"}
          timeout: 5s
  - approve: Keep them?
output: ${{ prev.count }} of ${{ steps.each.output }}
on_failure:
  - id: cleared
    set: nothing
"""

TREE = """\
Steps
  ├─ 1 each  label  ← inputs.numbers, inputs.copies
  │    copies = ${{ inputs.copies }}
  │    tags = ["new"]
  │    number = the previous output
  │    for each of ${{ inputs.numbers }}, 2 at a time
  ├─ 2 parallel  ← each
  │  ├─ count
  │  │  └─ 1 set  ← each
  │  │       value = ${{ len(prev) }}
  │  └─ shout
  │     └─ 1 calculator
  │          input = 1 + 1
  │          at most 5s
  ├─ 3 approve
  │    asks: Keep them?
  └─ output  ← parallel, each
       ${{ prev.count }} of ${{ steps.each.output }}

After a failure
  └─ 1 cleared  set
       value = nothing

Run it
  toolkit run labels.yaml numbers:=JSON
"""


@pytest.fixture
def labels(shop):
    (shop / "labels.yaml").write_text(PIPELINE, "utf-8")
    return shop


def test_steps_of_a_pipeline_are_drawn_as_a_tree_with_what_flows_between_them(invoke, labels):
    result = invoke("show", "labels.yaml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout[result.stdout.index("Steps\n") :] == TREE


def test_long_values_of_a_step_are_cut_to_the_width(invoke, labels):
    (labels / "labels.yaml").write_text(PIPELINE.replace("1 + 1", " + ".join("1" * 90)), "utf-8")
    [line] = [line for line in invoke("show", "labels.yaml").stdout.splitlines() if "input = " in line]
    assert len(line) == 80
    assert line.endswith("…")


def test_json_of_a_pipeline_has_its_steps(invoke, labels):
    record = json.loads(invoke("show", "labels.yaml", "--format", "json").stdout)
    assert record["kind"] == "pipeline"
    assert list(record["pipeline"]) == ["inputs", "steps", "on_failure", "output", "ends"]
    assert record["pipeline"]["steps"][0] == {
        "label": "each",
        "path": "each",
        "kind": "use",
        "tool": "label",
        "position": 1,
        "sources": ["inputs.numbers", "inputs.copies"],
        "piped": "number",
        "arguments": {"copies": "${{ inputs.copies }}", "tags": '["new"]'},
        "notes": ["for each of ${{ inputs.numbers }}, 2 at a time"],
        "branches": {},
    }


def test_pipeline_is_drawn_as_a_diagram(invoke, labels):
    result = invoke("show", "labels.yaml", "--format", "mermaid")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith('flowchart TD\n    n1(["numbers"])\n    n2(["copies"])\n    n3["1 · each: label')


def test_pipeline_that_cannot_be_planned_is_exit_code_2(invoke, labels):
    (labels / "labels.yaml").write_text(PIPELINE.replace("use: calculator", "use: calculater"), "utf-8")
    result = invoke("show", "labels.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error[TK604]: unknown tool 'calculater'\n  --> labels.yaml:19:16\n")
    assert "hint: did you mean 'calculator'?\n" in result.stderr
