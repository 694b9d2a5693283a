"""Mermaid: a pipeline as a diagram that many a site and editor draws."""

from collections.abc import Collection, Generator, Iterator, Sequence

from toolkit.pipelines.outline import StepOutline, outline_of
from toolkit.pipelines.plans import Plan

_SHAPES = {"use": '["{}"]', "set": '[/"{}"/]', "approve": '{{"{}"}}', "parallel": '{{{{"{}"}}}}'}
_INDENT = "    "


def mermaid_of(plan: Plan) -> str:
    """Return the flowchart of a pipeline in Mermaid's language.

    Steps follow solid arrows; dotted ones show data that comes from steps further back.
    """
    return "\n".join(_Diagram(plan).lines()) + "\n"


class _Diagram:
    def __init__(self, plan: Plan) -> None:
        self._outline = outline_of(plan)
        self._ids: dict[str, str] = {}

    def lines(self) -> Iterator[str]:
        outline = self._outline
        yield "flowchart TD"
        for name in outline.inputs:
            yield f'{_INDENT}{self._id(f"inputs.{name}")}(["{_escaped(name)}"])'
        yield from self._nodes(outline.steps, _INDENT)
        yield f'{_INDENT}{self._id("output")}(["output"])'
        first = [f"inputs.{name}" for name in outline.inputs] if len(outline.inputs) == 1 else []
        last = yield from self._arrows(outline.steps, first)
        yield from self._join(last, "output")
        yield from self._read(outline.ends, last, "output")
        if outline.on_failure:
            yield f'{_INDENT}subgraph failure["on_failure"]'
            yield from self._nodes(outline.on_failure, _INDENT * 2)
            yield f"{_INDENT}end"
            yield from self._arrows(outline.on_failure, [])

    def _nodes(self, steps: Sequence[StepOutline], indent: str) -> Iterator[str]:
        for step in steps:
            shape = _SHAPES[step.kind].format(_escaped(_caption(step)))
            yield f"{indent}{self._id(step.path)}{shape}"
            for name, inner in step.branches.items():
                yield f'{indent}subgraph {self._id(f"{step.path}/{name}/")}["{_escaped(name)}"]'
                yield from self._nodes(inner, indent + _INDENT)
                yield f"{indent}end"

    def _arrows(
        self, steps: Sequence[StepOutline], before: list[str], carried: Collection[str] = ()
    ) -> Generator[str, None, list[str]]:
        """Yield the arrows of a chain, and return where it ends; `carried` is the data that comes along them."""
        for step in steps:
            condition = next((note for note in step.notes if note.startswith("only if ")), None)
            yield from self._join(before, step.path, condition)
            yield from self._read(step.sources, {*before, *carried}, step.path)
            carried = {step.path} if step.kind != "approve" else {*before, *carried}
            before = [step.path]
            if step.branches:
                before = []
                for inner in step.branches.values():
                    before += yield from self._arrows(inner, [step.path], step.sources)
        return before

    def _join(self, before: Sequence[str], to: str, label: str | None = None) -> Iterator[str]:
        text = f'|"{_escaped(label)}"|' if label else ""
        for path in before:
            yield f"{_INDENT}{self._id(path)} -->{text} {self._id(to)}"

    def _read(self, sources: Sequence[str], before: Collection[str], to: str) -> Iterator[str]:
        for source in sources:
            if source not in before:
                arrow = "-->" if source.startswith("inputs.") else "-.->"
                yield f"{_INDENT}{self._id(source)} {arrow} {self._id(to)}"

    def _id(self, path: str) -> str:
        return self._ids.setdefault(path, f"n{len(self._ids) + 1}")


def _caption(step: StepOutline) -> str:
    name = step.label if step.tool in (None, step.label) else f"{step.label}: {step.tool}"
    others = [note for note in step.notes if not note.startswith("only if ")]
    return "\n".join([f"{step.position} · {name}", *others])


def _escaped(text: str) -> str:
    """Return a text that Mermaid draws as it is: its own signs, and those of HTML, as entities."""
    for character, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(character, entity)
    return text.replace("\n", "<br/>")
