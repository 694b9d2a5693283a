"""Mermaid: a pipeline as a diagram that many a site and editor draws."""

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
    """Return the flowchart of a pipeline in Mermaid's language.

    Steps follow solid arrows; dotted ones show data that comes from steps further back.
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
    """Return a text that Mermaid draws as it is: its own signs, and those of HTML, as entities."""
    for character, entity in (("#", "#35;"), ("&", "#amp;"), ('"', "#quot;"), ("<", "#lt;"), (">", "#gt;")):
        text = text.replace(character, entity)
    return text.replace("\n", "<br/>")
