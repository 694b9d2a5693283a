"""Renders the steps of a pipeline as a tree, with what each does and where its data comes from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit_cli.rendering.branches import Stem, stem
from toolkit_cli.rendering.escaping import cut, one_line
from toolkit_cli.rendering.styles import Fragment, Line

if TYPE_CHECKING:
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
