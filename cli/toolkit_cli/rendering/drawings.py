"""Renders charts of pipelines and of agents' states in Graphviz's DOT language."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from toolkit.pipelines.charts import Arrow, Frame, FrameEnd, Item, Shape
from toolkit_cli.rendering.escaping import one_line

if TYPE_CHECKING:
    from toolkit.agents.outlines import AgentOutline

_SHAPES = {"end": "oval", "use": "box", "set": "parallelogram", "approve": "diamond", "parallel": "hexagon"}
_HEAD = """digraph {
  graph [fontname="sans-serif", labeljust=l]
  node [fontname="sans-serif", margin="0.2,0.1"]
  edge [fontname="sans-serif", fontsize=11]"""


def dot_of(items: Iterable[Item]) -> str:
    """Return a chart in the DOT language."""
    return "\n".join([_HEAD, *map(_line, items), "}", ""])


def states_of(outline: "AgentOutline") -> Iterator[Item]:
    """Yield the states of an agent, and an arrow for each tool that leads from one to another."""
    ids = {state.name: f"s{number}" for number, state in enumerate(outline.states, start=1)}
    for state in outline.states:
        yield Shape(ids[state.name], "end" if state.is_start else "use", state.name)
    for state in outline.states:
        yield from (Arrow(ids[state.name], ids[to or state.name], tool) for tool, to in state.tools.items())


def _line(item: Item) -> str:
    match item:
        case Shape(name, kind, caption):
            return f"  {name} [shape={_SHAPES[kind]}, label={_quote(caption)}]"
        case Frame(name, title):
            return f"  subgraph cluster_{name} {{ label={_quote(title)}"
        case FrameEnd():
            return "  }"
        case Arrow(start, end, label, is_dotted):
            return f"  {start} -> {end} [label={_quote(label)}, style={'dotted' if is_dotted else 'solid'}]"


def _quote(text: str) -> str:
    """Return a text as a quoted Graphviz string, with escape sequences disabled."""
    lines = (one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n"))
    joined = "\\n".join(lines)
    return f'"{joined}"'
