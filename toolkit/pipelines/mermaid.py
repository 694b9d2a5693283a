"""Draws a pipeline as a Mermaid diagram, which many websites and editors can display."""

from collections.abc import Iterable, Iterator

from toolkit.pipelines.charts import Arrow, Frame, FrameEnd, Item, Shape, chart_of
from toolkit.pipelines.plans import Plan

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
            case Shape(name, kind, caption):
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
