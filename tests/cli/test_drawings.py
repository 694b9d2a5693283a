"""`toolkit show --format svg`: pipelines and states of agents as pictures."""

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from toolkit.pipelines.charts import Arrow, Frame, FrameEnd, Item, Shape  # private
from toolkit_cli.rendering.chart_drawings import svg_of  # private

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_pipelines"
PIPELINES = sorted(file for file in SAMPLES.glob("*.yaml") if not file.name.endswith(".cases.yaml"))
CHART: list[Item] = [
    Shape("n1", "end", "city"),
    Shape("n2", "use", '1 · say "hi" </text>\n3 attempts\x1b', "say"),
    Frame("n3", "left & right"),
    Shape("n4", "approve", "ask", "say/left/ask"),
    FrameEnd(),
    Arrow("n1", "n2"),
    Arrow("n2", "n4", "only if a < b", is_dotted=True),
]
SVG = "{http://www.w3.org/2000/svg}"


def read(drawing):
    return ET.fromstring(drawing)  # noqa: S314 - the program wrote it just now


def rectangle(shape):
    """Return the left, top, right and bottom of a shape."""
    outline = shape[0]
    if outline.tag == f"{SVG}rect":
        left, top, width, height = (float(outline.get(name)) for name in ("x", "y", "width", "height"))
        return left, top, left + width, top + height
    points = [tuple(map(float, point.split(","))) for point in outline.get("points").split()]
    across, down = zip(*points, strict=True)
    return min(across), min(down), max(across), max(down)


def shapes_in(drawing):
    return [group for group in drawing.iter(f"{SVG}g") if (group.get("class") or "").startswith("shape")]


def test_texts_are_shown_as_they_are_and_shapes_know_their_steps():
    drawing = read(svg_of(CHART))
    shown = [(shape.get("class"), shape.get("data-path"), [*shape[1].itertext()]) for shape in shapes_in(drawing)]
    assert shown == [
        ("shape end", None, ["city"]),
        ("shape use", "say", ['1 · say "hi" </text>', "3 attempts\\x1b"]),
        ("shape approve", "say/left/ask", ["ask"]),
    ]
    assert {text for text in drawing.itertext() if " if " in text or "left" in text} == {
        "only if a < b",
        "left & right",
    }


@pytest.mark.parametrize("sample", PIPELINES, ids=[file.stem for file in PIPELINES])
def test_no_shape_of_a_drawing_covers_another_or_leaves_it(invoke, sample):
    shown = invoke("show", sample, "--format", "svg")
    drawing = read(shown.stdout)
    places = [rectangle(shape) for shape in shapes_in(drawing)]
    for (left, top, right, bottom), (start, above, end, below) in combinations(places, 2):
        assert right <= start or end <= left or bottom <= above or below <= top
    left, top, width, height = map(float, drawing.get("viewBox").split())
    assert all(
        left <= x and right <= left + width and top <= y <= bottom <= top + height for x, y, right, bottom in places
    )
    assert shown.stderr == ""


def test_states_of_an_agent_are_drawn_with_the_tools_between_them(invoke):
    shown = invoke("show", SAMPLES / "agents" / "order_desk.yaml", "--format", "svg")
    drawing = read(shown.stdout)
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert len(shapes_in(drawing)) >= 2
    assert [arrow for arrow in drawing.iter(f"{SVG}g") if arrow.get("class") == "arrow"]


def test_several_tools_are_no_picture(invoke, tmp_path):
    tools = "from toolkit import tool\n\n\n@tool\ndef a() -> None: ...\n\n\n@tool\ndef b() -> None: ...\n"
    (tmp_path / "tools.py").write_text(tools, "utf-8")
    result = invoke("show", str(tmp_path / "tools.py"), "--format", "svg")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.endswith(
        "error: an SVG can show only one pipeline or agent, but the target has 2 tools; name one of them\n"
    )
