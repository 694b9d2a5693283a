"""Renders pipelines and agents as trees, and the states of agents as charts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.pipelines.charts import Arrow, Item, Shape
from toolkit_cli.rendering.excerpts import shown_path
from toolkit_cli.rendering.styles import Fragment, Line, Stem, cut, one_line, stem, wrap_text

if TYPE_CHECKING:
    from toolkit.agents.agent_outlines import AgentOutline, OfferedTool, StateOutline
    from toolkit.pipelines.outline import PipelineOutline, StepOutline


_NARROWEST = 20


def drawn(outline: "PipelineOutline", width: int) -> list[Line]:
    """Return the tree of a pipeline's steps and output, and the tree of the steps that run after a failure."""
    lines: list[Line] = [[("strong", "Steps")]]
    for place, step in enumerate(outline.steps):
        is_last = place == len(outline.steps) - 1 and outline.output is None
        lines += _step(step, "  ", stem(is_last=is_last), width)
    if outline.output is not None:
        first, below = stem(is_last=True)
        lines.append(_headline("  " + first, "output", "", outline.ends))
        lines.append(_detail("  " + below, outline.output, width))
    if outline.on_failure:
        lines += [[], [("strong", "After a failure")], *_chain(outline.on_failure, "  ", width)]
    return lines


def outline_record(outline: "PipelineOutline") -> dict[str, Any]:
    """Return the steps of a pipeline as plain data."""
    return {
        "inputs": list(outline.inputs),
        "steps": [_plain(step) for step in outline.steps],
        "on_failure": [_plain(step) for step in outline.on_failure],
        "output": outline.output,
        "ends": list(outline.ends),
    }


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {key: _plain(part) for key, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value


def _chain(steps: "Sequence[StepOutline]", indent: str, width: int) -> Iterator[Line]:
    for place, step in enumerate(steps):
        yield from _step(step, indent, stem(is_last=place == len(steps) - 1), width)


def _step(step: "StepOutline", indent: str, branch: Stem, width: int) -> Iterator[Line]:
    what = step.tool or step.kind
    name = f"{step.position} {one_line(step.label)}"
    yield _headline(indent + branch.first, name, "" if what == step.label else one_line(what), step.sources)
    below = indent + branch.below
    for argument, value in step.arguments.items():
        yield _detail(below, f"{argument} = {value}", width)
    if step.piped is not None:
        yield _detail(below, f"{step.piped} = the previous output", width)
    for note in step.notes:
        yield _detail(below, note, width)
    for place, (title, steps) in enumerate(step.branches.items()):
        inner = stem(is_last=place == len(step.branches) - 1)
        yield [("quiet", below + inner.first), ("plain", one_line(title))]
        yield from _chain(steps, below + inner.below, width)


def _headline(before: str, name: str, what: str, sources: Sequence[str]) -> Line:
    line: list[Fragment] = [("quiet", before), ("strong", name)]
    if what:
        line.append(("plain", f"  {what}"))
    if sources:
        line.append(("hint", f"  ← {', '.join(map(one_line, sources))}"))
    return line


def _detail(before: str, text: str, width: int) -> Line:
    room = max(width - len(before) - 2, _NARROWEST)
    return [("quiet", before), ("plain", f"  {cut(one_line(text), room)}")]


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


def states_of(outline: "AgentOutline") -> Iterator[Item]:
    """Yield the states of an agent, and an arrow for each tool that leads from one to another."""
    ids = {state.name: f"s{number}" for number, state in enumerate(outline.states, start=1)}
    for state in outline.states:
        yield Shape(ids[state.name], "end" if state.is_start else "use", state.name)
    for state in outline.states:
        yield from (Arrow(ids[state.name], ids[to or state.name], tool) for tool, to in state.tools.items())
