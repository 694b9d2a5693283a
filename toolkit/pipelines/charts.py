"""Describes a pipeline as shapes, frames and arrows, and draws them as a Mermaid diagram."""

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

from toolkit.pipelines.outline import StepOutline, outline_of
from toolkit.pipelines.plans import Plan


class Shape(NamedTuple):
    """A box of a chart. Its kind is that of the step, or `end` for an input or the output; its path is the step's."""

    id: str
    kind: str
    caption: str
    path: str = ""


class Frame(NamedTuple):
    """The start of a frame around shapes, such as a branch. The frame ends at its `FrameEnd`."""

    id: str
    title: str


class FrameEnd(NamedTuple):
    """The end of the innermost open frame."""


class Arrow(NamedTuple):
    """An arrow between two shapes. A dotted arrow shows data that comes from an earlier step."""

    start: str
    end: str
    label: str = ""
    is_dotted: bool = False


Item = Shape | Frame | FrameEnd | Arrow
FAILURE = "failure"
"""The id of the frame around the `on_failure` steps."""


def chart_of(plan: Plan) -> Iterator[Item]:
    """Yield the items of a pipeline's chart in drawing order."""
    return _Chart(plan).items()


class _Chart:
    def __init__(self, plan: Plan) -> None:
        self._outline = outline_of(plan)
        self._ids: dict[str, str] = {}

    def items(self) -> Iterator[Item]:
        outline = self._outline
        for name in outline.inputs:
            yield Shape(self._id(f"inputs.{name}"), "end", name)
        yield from self._shapes(outline.steps)
        yield Shape(self._id("output"), "end", "output")
        first = [f"inputs.{name}" for name in outline.inputs] if len(outline.inputs) == 1 else []
        last = yield from self._arrows(outline.steps, first)
        yield from self._join(last, "output")
        yield from self._read(outline.ends, last, "output")
        if outline.on_failure:
            yield Frame(FAILURE, "on_failure")
            yield from self._shapes(outline.on_failure)
            yield FrameEnd()
            yield from self._arrows(outline.on_failure, [])

    def _shapes(self, steps: Sequence[StepOutline]) -> Iterator[Item]:
        for step in steps:
            yield Shape(self._id(step.path), step.kind, _caption(step), step.path)
            for name, inner in step.branches.items():
                yield Frame(self._id(f"{step.path}/{name}/"), name)
                yield from self._shapes(inner)
                yield FrameEnd()

    def _arrows(
        self, steps: Sequence[StepOutline], before: list[str], carried: Collection[str] = ()
    ) -> Generator[Item, None, list[str]]:
        """Yield the arrows of a chain and return the paths of its last steps.

        Sources in `carried` reach the first step along its solid arrows and get no dotted arrow.
        """
        for step in steps:
            condition = next((note for note in step.notes if note.startswith("only if ")), "")
            yield from self._join(before, step.path, condition)
            yield from self._read(step.sources, {*before, *carried}, step.path)
            carried = {step.path} if step.kind != "approve" else {*before, *carried}
            before = [step.path]
            if step.branches:
                before = []
                for inner in step.branches.values():
                    before += yield from self._arrows(inner, [step.path], step.sources)
        return before

    def _join(self, before: Sequence[str], to: str, label: str = "") -> Iterator[Item]:
        for path in before:
            yield Arrow(self._id(path), self._id(to), label)

    def _read(self, sources: Sequence[str], before: Collection[str], to: str) -> Iterator[Item]:
        for source in sources:
            if source not in before:
                yield Arrow(self._id(source), self._id(to), is_dotted=not source.startswith("inputs."))

    def _id(self, path: str) -> str:
        return self._ids.setdefault(path, f"n{len(self._ids) + 1}")


def _caption(step: StepOutline) -> str:
    name = step.label if step.tool in (None, step.label) else f"{step.label}: {step.tool}"
    others = [note for note in step.notes if not note.startswith("only if ")]
    return "\n".join([f"{step.position} · {name}", *others])


_SHAPES = {
    "end": '(["{}"])',
    "use": '["{}"]',
    "set": '[/"{}"/]',
    "approve": '{{"{}"}}',
    "parallel": '{{{{"{}"}}}}',
}
_INDENT = "    "


def mermaid_of(plan: Plan) -> str:
    """Return the flowchart of a pipeline in Mermaid syntax.

    Solid arrows show the order of the steps. Dotted arrows show data that comes from an earlier step.
    """
    return "\n".join(_lines(chart_of(plan))) + "\n"


def _lines(items: Iterable[Item]) -> Iterator[str]:
    yield "flowchart TD"
    indent = _INDENT
    for item in items:
        match item:
            case Shape(name, kind, caption, _):
                yield f"{indent}{name}{_SHAPES[kind].format(_escape(caption))}"
            case Frame(name, title):
                yield f'{indent}subgraph {name}["{_escape(title)}"]'
                indent += _INDENT
            case FrameEnd():
                indent = indent.removesuffix(_INDENT)
                yield f"{indent}end"
            case Arrow(start, end, label, is_dotted):
                text = f'|"{_escape(label)}"|' if label else ""
                yield f"{indent}{start} {'-.->' if is_dotted else '-->'}{text} {end}"


def _escape(text: str) -> str:
    """Escape text for Mermaid: its special characters and those of HTML become entities."""
    for character, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(character, entity)
    return text.replace("\n", "<br/>")
