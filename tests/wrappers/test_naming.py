"""Naming: the tools of an object under other names, and only those that are wanted."""

import pytest

from toolkit import InvalidTools, tool
from toolkit.wrappers import tool_object


class Calculator:
    @tool
    def compute_sum(self, a: int, b: int) -> int:
        """Add."""
        return a + b

    @tool
    def compute_product(self, a: int, b: int) -> int:
        """Multiply."""
        return a * b

    @tool
    def log(self) -> str:
        """Tell what was computed."""
        return "nothing"


def names(tools):
    return [each.name for each in tools]


def messages(error):
    return [(problem.code, problem.message, problem.hint) for problem in error.value.problems]


def test_names_are_made_by_a_prefix_or_by_a_strategy():
    assert names(tool_object(Calculator(), prefix="calc_")) == ["calc_compute_sum", "calc_compute_product", "calc_log"]
    assert names(tool_object(Calculator(), naming=str.upper)) == ["COMPUTE_SUM", "COMPUTE_PRODUCT", "LOG"]
    assert names(tool_object(Calculator())) == ["compute_sum", "compute_product", "log"]


def test_the_filter_sees_the_tools_own_names():
    tools = tool_object(Calculator(), prefix="calc_", keep=lambda name: name.startswith("compute"))
    assert names(tools) == ["calc_compute_sum", "calc_compute_product"]
    assert tools[0].run({"a": 2, "b": 3}).output == "5"


def test_names_that_are_taken_or_illegal_are_refused():
    with pytest.raises(InvalidTools) as clash:
        tool_object(Calculator(), naming=lambda name: name.partition("_")[0])
    assert [problem.code for problem in clash.value.problems] == ["TK103"]
    with pytest.raises(InvalidTools, match=r"invalid tool name 'calc\.compute_sum'"):
        tool_object(Calculator(), prefix="calc.")


def test_a_filter_that_keeps_nothing_is_a_mistake():
    with pytest.raises(InvalidTools) as error:
        tool_object(Calculator(), keep=lambda name: name == "sum")
    message = "'keep' excludes every tool of the object of type 'Calculator'"
    assert messages(error) == [("TK003", message, "it has compute_sum, compute_product, log")]


def test_a_collection_is_no_object_with_tools():
    with pytest.raises(InvalidTools) as error:
        tool_object([Calculator()])
    assert messages(error) == [("TK003", "a list is not an object with tools", "call tool_object for each of them")]
