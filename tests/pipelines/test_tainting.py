"""Whose words are followed, and where somebody has been asked on their way."""

from dataclasses import replace

import pytest

from toolkit import WrappedTool, from_function, tool
from toolkit.pipelines import taints_of


class Marked(WrappedTool):
    """A tool that says something else of itself."""

    def __init__(self, inner, **marks):
        super().__init__(inner)
        self.marks = marks

    @property
    def spec(self):  # type: ignore[override]  # it is a plain attribute elsewhere
        return replace(self.inner.spec, **self.marks)


@tool
def fetch(text: str) -> str:
    """Fetch what lies at an address."""
    return text


@tool
def start(command: str) -> str:
    """Start a program."""
    return command


def found(bench, document, **marks):
    """Return the tainted parameters, whose words they have, and whether somebody was asked."""
    bench.add(Marked(from_function(fetch), **marks), start)
    taints = taints_of(bench.load(document).plan)
    return [(path, one.parameter, one.origins, one.is_seen) for path, told in taints.items() for one in told]


TWO_STEPS = "steps: [fetch, start]"
TOLD = [("start", "command", ("fetch",), False)]


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ({"open_world": True}, TOLD),
        ({"open_world": None}, []),
        ({"open_world": False}, []),
        ({"open_world": True, "output_schema": {"type": "integer"}}, []),
        ({"open_world": True, "output_schema": {"enum": ["build", "test"]}}, []),
        ({"source": "mcp://zoo"}, TOLD),
        ({"source": "mcp://zoo", "open_world": False}, []),
    ],
)
def test_words_of_tools_that_reach_out_are_followed(bench, marks, told):
    assert found(bench, TWO_STEPS, **marks) == told


def test_what_a_tool_that_destroys_gives_is_not_what_it_has_fetched(bench):
    document = "steps: [{use: fetch, approve: true}, start]"
    assert found(bench, document, open_world=True, destructive=True) == []


def test_gate_has_seen_what_came_before_it_and_nothing_later(bench):
    document = """
        steps:
          - {id: early, use: fetch}
          - approve: Go on with ${{ prev }}?
          - {id: late, use: fetch}
          - {id: first, use: start, with: {command: "${{ steps.early.output }}"}}
          - {use: start, with: {command: "${{ steps.early.output }} ${{ steps.late.output }} ${{ prev }}"}}
        """
    assert found(bench, document, open_world=True) == [
        ("late", "text", ("early",), True),
        ("first", "command", ("early",), True),
        ("start", "command", ("early", "late"), False),
    ]


def test_gate_that_may_be_passed_by_has_seen_nothing(bench):
    document = """
        steps:
          - fetch
          - {approve: Go on?, when: "${{ len(prev) > 10 }}"}
          - start
        """
    assert found(bench, document, open_world=True) == TOLD
