"""A result keeps everything that is known about a call, whatever is changed of it."""

from dataclasses import fields, replace
from typing import Any

import pytest

from toolkit import Pipeline, ToolResult, from_function, tool
from toolkit.agents import Subagent
from toolkit.tools import SkippedItem, Skips
from toolkit.tools.calls.results import Raised  # private
from toolkit.wrappers import limited

WHOLE: dict[str, Any] = {
    "output": "3 of 4",
    "error": "one failed",
    "error_code": "partial",
    "structured": {"done": 3},
    "artifact": ("any", "object"),
    "remark": "The arguments were changed.",
    "skips": (Skips("each", 4, (SkippedItem(2, "7", "no such order", "not_found"),)),),
    "raised": Raised("KeyError", "KeyError: 7", None),
}


def known_of(result):
    return {field.name: getattr(result, field.name) for field in fields(ToolResult)}


def test_every_field_is_set_where_a_result_is_made():
    assert known_of(ToolResult(**WHOLE)) == WHOLE


@pytest.mark.parametrize("name", WHOLE)
def test_a_changed_copy_keeps_every_other_field(name):
    usual = getattr(ToolResult(), name)
    assert known_of(replace(ToolResult(**WHOLE), **{name: usual})) == WHOLE | {name: usual}


@tool
def ship(order: int) -> str:
    """Ship an order.

    Args:
        order: The number of the order.
    """
    if order == 2:
        raise ValueError("order 2 is lost")
    return f"shipped {order}"


def shipping():
    return (
        Pipeline.builder()
        .name("shipping")
        .description("Ship orders, and skip what fails.")
        .step(
            from_function(ship), id="each", for_each=[1, 2, 3], on_item_error="skip", arguments={"order": "${{ item }}"}
        )
        .build()
    )


AROUND = {
    "as it is": lambda pipeline: pipeline,
    "with a short output": lambda pipeline: limited(pipeline, characters=5),
    "as a subagent": Subagent.of,
    "as a subagent with a short output": lambda pipeline: limited(Subagent.of(pipeline), characters=5),
}


@pytest.mark.parametrize("wrap", AROUND.values(), ids=AROUND)
def test_skipped_items_are_in_the_result_whatever_is_round_a_pipeline(wrap):
    result = wrap(shipping()).run({})
    assert [(one.step, one.of, [item.error for item in one.items]) for one in result.skips] == [
        ("each", 3, ["order 2 is lost"])
    ]
    assert result.text.startswith(
        "Some items were skipped. step 'each': 2 of 3, 1 skipped: item 2 (2): order 2 is lost\n"
    )
