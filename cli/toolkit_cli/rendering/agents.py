"""Renders an agent: its model, its tools with their locks, and its states."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.branches import stem
from toolkit_cli.rendering.escaping import cut, one_line
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import Fragment, Line
from toolkit_cli.rendering.tables import wrap_text

if TYPE_CHECKING:
    from toolkit.agents.outlines import AgentOutline, OfferedTool, StateOutline

_NARROWEST = 20
_SCRIPTED = "scripted:"
_NOBODY_SAID = "not named: --model, TOOLKIT_MODEL, or the configuration"


def drawn_agent(outline: "AgentOutline", width: int) -> list[Line]:
    """Return an agent's settings and instructions, and its tools with their locks or its states with transitions."""
    facts = {
        "model": one_line(_show(outline.model)) if outline.model else _NOBODY_SAID,
        "turns": f"{outline.turns} at most",
        "budget": outline.budget or "",
        "references": ", ".join(map(one_line, outline.references)),
        "chaining": ", ".join(map(one_line, outline.chaining)),
    }
    known = {name: fact for name, fact in facts.items() if fact}
    widest = max(map(len, known))
    lines: list[Line] = [[("strong", "Agent")]]
    lines += [[("quiet", f"  {name:<{widest}}  "), ("plain", fact)] for name, fact in known.items()]
    if outline.instructions:
        paragraphs = (wrap_text(one_line(line), width - 2) for line in outline.instructions.splitlines())
        lines += [[], [("strong", "Instructions")]]
        lines += [[("plain", f"  {line}".rstrip())] for paragraph in paragraphs for line in paragraph]
    if outline.tools:
        lines += [[], [("strong", "Tools")], *_tools(outline.tools, width)]
    if outline.states:
        lines += [[], [("strong", "States")], *_states(outline)]
    return lines


def agent_record(outline: "AgentOutline") -> dict[str, Any]:
    """Return an agent as plain data."""
    return outline._asdict() | {
        "tools": [tool._asdict() for tool in outline.tools],
        "references": list(outline.references),
        "chaining": list(outline.chaining),
        "states": [state._asdict() | {"tools": dict(state.tools)} for state in outline.states],
        "everywhere": list(outline.everywhere),
    }


def diagram_of(outline: "AgentOutline") -> str:
    """Return the states of an agent and the transitions between them as a Mermaid diagram."""
    labels = {state.name: f"s{number}" for number, state in enumerate(outline.states, start=1)}
    lines = ["stateDiagram-v2"]
    for state in outline.states:
        name = one_line(state.name).replace('"', "'")
        lines.append(f'    state "{name}" as {labels[state.name]}')
    for state in outline.states:
        here = labels[state.name]
        lines += [f"    [*] --> {here}"] if state.is_start else []
        lines += [f"    {here} --> {labels[to or state.name]}: {one_line(tool)}" for tool, to in state.tools.items()]
    return "\n".join([*lines, ""])


def _show(model: str) -> str:
    """Return the name of a model; the file of a script is shown relative to the working directory."""
    return f"{_SCRIPTED}{shown_path(model.removeprefix(_SCRIPTED))}" if model.startswith(_SCRIPTED) else model


def _tools(tools: "Sequence[OfferedTool]", width: int) -> Iterator[Line]:
    for place, tool in enumerate(tools):
        first = stem(is_last=place == len(tools) - 1).first
        name = one_line(tool.name)
        lock = f"  ← first {one_line(tool.first)}" if tool.first else ""
        room = max(width - len(first) - len(name) - len(lock) - 4, _NARROWEST)
        fragments: list[Fragment] = [("hint", lock)] if lock else []
        yield [
            ("quiet", f"  {first}"),
            ("strong", name),
            *fragments,
            ("plain", f"  {cut(one_line(tool.description), room)}"),
        ]


def _states(outline: "AgentOutline") -> Iterator[Line]:
    for place, state in enumerate(outline.states):
        is_last = place == len(outline.states) - 1 and not outline.everywhere
        yield from _state(state, *stem(is_last=is_last))
    if outline.everywhere:
        first, below = stem(is_last=True)
        yield [("quiet", f"  {first}"), ("plain", "in all states")]
        for name in outline.everywhere:
            yield [("quiet", f"  {below}"), ("plain", f"  {one_line(name)}")]


def _state(state: "StateOutline", first: str, below: str) -> Iterator[Line]:
    start: list[Fragment] = [("hint", "  ← start")] if state.is_start else []
    yield [("quiet", f"  {first}"), ("strong", one_line(state.name)), *start]
    for name, to in state.tools.items():
        leads = f"  → {one_line(to)}" if to else ""
        yield [("quiet", f"  {below}"), ("plain", f"  {one_line(name)}{leads}")]
