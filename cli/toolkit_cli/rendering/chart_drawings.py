"""Draws charts as SVG: shapes in rows from top to bottom, branches side by side in frames, and arrows between them.

An arrow that would cross other shapes runs beside them: on the left if it shows the order of steps, and on the right if
it shows data that comes from an earlier step. All texts are escaped.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import chain, pairwise

from toolkit.pipelines.charts import Arrow, Frame, FrameEnd, Item, Shape
from toolkit.visibility import disarm
from toolkit_cli.rendering.styles import cut, one_line, width_of, wrap_text

_CHARACTER, _LINE = 7.3, 18.0
_WIDEST_LINE, _WIDEST_LABEL = 38, 44
_GAP, _LABELLED_GAP, _BESIDE = 30.0, 40.0, 22.0
_FRAME, _TITLE = 14.0, 24.0
_LANE = 13.0
_MARGIN = 12.0
_POINTS = 12
_STYLE = 'role="img" fill="#fff" stroke="#6e7781" stroke-width="1.3" font-family="system-ui, sans-serif" font-size="13"'


@dataclass(eq=False, slots=True)
class _Box:
    """A shape with its lines of text and its rectangle."""

    shape: Shape
    lines: list[str]
    width: float
    height: float
    left: float = 0.0
    top: float = 0.0

    @classmethod
    def of(cls, shape: Shape) -> "_Box":
        lines = [piece for line in shape.caption.split("\n") for piece in wrap_text(one_line(line), _WIDEST_LINE)]
        widest = max(map(width_of, lines), default=0)
        return cls(shape, lines, width=max(widest * _CHARACTER + 28, 64), height=len(lines) * _LINE + 14)

    def move(self, left: float, top: float) -> None:
        self.left, self.top = left, top

    @property
    def middle(self) -> float:
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        return self.top + self.height

    def holds(self, x: float, y: float) -> bool:
        return self.left - 3 < x < self.left + self.width + 3 and self.top - 3 < y < self.bottom + 3


@dataclass(eq=False, slots=True)
class _Group:
    """The rows of a chart, or of a frame in it."""

    title: str | None = None
    rows: "list[list[_Box | _Group]]" = field(default_factory=list)
    gap: float = _GAP
    width: float = 0.0
    height: float = 0.0
    left: float = 0.0
    top: float = 0.0

    def add(self, one: "_Box | _Group") -> None:
        """Add a shape or a frame below the others, or beside them: branches, and the inputs, share a row."""
        last = self.rows[-1][-1] if self.rows else None
        are_branches = isinstance(one, _Group) and isinstance(last, _Group)
        if are_branches or (len(self.rows) == 1 and _is_end(one) and _is_end(last)):
            self.rows[-1].append(one)
        else:
            self.rows.append([one])

    def measure(self) -> None:
        for one in chain(*self.rows):
            if isinstance(one, _Group):
                one.measure()
        edge, head = (0.0, 0.0) if self.title is None else (_FRAME, _TITLE)
        own = 0.0 if self.title is None else width_of(self.title) * _CHARACTER
        self.width = max([own, *map(_width_of_row, self.rows)]) + 2 * edge
        tallest = sum(max(one.height for one in row) for row in self.rows)
        self.height = tallest + self.gap * max(len(self.rows) - 1, 0) + 2 * edge + head

    def move(self, left: float, top: float) -> None:
        """Place everything: each row is centred below the one before it."""
        self.left, self.top = left, top
        below = top if self.title is None else top + _FRAME + _TITLE
        for row in self.rows:
            beside = left + (self.width - _width_of_row(row)) / 2
            for one in row:
                one.move(beside, below)
                beside += one.width + _BESIDE
            below += max(one.height for one in row) + self.gap

    def boxes(self) -> Iterator[_Box]:
        for one in chain(*self.rows):
            yield from one.boxes() if isinstance(one, _Group) else [one]

    def frames(self) -> "Iterator[_Group]":
        for one in chain(*self.rows):
            if isinstance(one, _Group):
                yield one
                yield from one.frames()


def _is_end(one: "_Box | _Group | None") -> bool:
    return isinstance(one, _Box) and one.shape.kind == "end"


def _width_of_row(row: "list[_Box | _Group]") -> float:
    return sum(one.width for one in row) + _BESIDE * (len(row) - 1)


def svg_of(items: Iterable[Item]) -> str:
    """Return a chart as an SVG document.

    Each shape is a group of the class `shape`, and `data-path` is the path of its step. The colours are attributes, so
    that the style of a page that contains the drawing can replace them.
    """
    items = list(items)
    arrows = [item for item in items if isinstance(item, Arrow)]
    whole = _grouped(items, _LABELLED_GAP if any(arrow.label for arrow in arrows) else _GAP)
    whole.measure()
    whole.move(0, 0)
    drawn = _Arrows({box.shape.id: box for box in whole.boxes()}, whole)
    lines = [*map(_frame, whole.frames()), *map(drawn.draw, arrows), *map(_shape, whole.boxes())]
    left, width = drawn.left - _MARGIN, drawn.right - drawn.left + 2 * _MARGIN
    height = whole.height + 2 * _MARGIN
    place = f'viewBox="{left:g} {-_MARGIN:g} {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" {place} {_STYLE}>', *lines, "</svg>\n"])


def _grouped(items: Iterable[Item], gap: float) -> _Group:
    open_groups = [_Group(gap=gap)]
    for item in items:
        match item:
            case Shape():
                open_groups[-1].add(_Box.of(item))
            case Frame(_, title):
                open_groups.append(_Group(one_line(title), gap=gap))
            case FrameEnd():
                frame = open_groups.pop()
                open_groups[-1].add(frame)
    return open_groups[0]


class _Arrows:
    """Draws arrows, and gives each that does not fit between shapes a lane beside them."""

    def __init__(self, boxes: dict[str, _Box], whole: _Group) -> None:
        self._boxes = boxes
        self.left, self.right = 0.0, whole.width

    def draw(self, arrow: Arrow) -> str:
        start, end = self._boxes[arrow.start], self._boxes[arrow.end]
        path, x, y = self._between(start, end) or self._beside(start, end, is_right=arrow.is_dotted)
        style = ' stroke-dasharray="3 4"' if arrow.is_dotted else ""
        head = f"M{end.middle - 4:g} {end.top - 7:g}L{end.middle:g} {end.top - 1:g}L{end.middle + 4:g} {end.top - 7:g}"
        drawn = f'<g class="arrow" fill="none"><path d="{path}"{style}/><path d="{head}"/></g>'
        if not arrow.label:
            return drawn
        label = cut(one_line(arrow.label), _WIDEST_LABEL)
        self.right = max(self.right, x + 8 + width_of(label) * _CHARACTER * 0.9)
        text = f'<text x="{x + 8:g}" y="{y + 4:g}" font-size="11.5" fill="#6e7781" stroke="none">{_text(label)}'
        return f"{drawn}\n{text}<title>{_text(arrow.label)}</title></text>"

    def _between(self, start: _Box, end: _Box) -> tuple[str, float, float] | None:
        """Return a curve from a shape to one below it, and its middle; `None` if that would cross another shape."""
        x, y, to_x, to_y = start.middle, start.bottom, end.middle, end.top - 1
        if to_y <= y:
            return None
        bend = min(24.0, (to_y - y) / 2)
        corners = ((x, y), (x, y + bend), (to_x, to_y - bend), (to_x, to_y))
        points = [_on_curve(corners, part / _POINTS) for part in range(_POINTS + 1)]
        others = [box for box in self._boxes.values() if box not in (start, end)]
        if any(box.holds(*point) for box in others for point in points):
            return None
        curve = " ".join(f"{across:g} {down:g}" for across, down in corners[1:])
        return f"M{x:g} {y:g}C{curve}", (x + to_x) / 2, (y + to_y) / 2

    def _beside(self, start: _Box, end: _Box, *, is_right: bool) -> tuple[str, float, float]:
        """Return a line that leaves a shape downwards and reaches the other from above, along a lane of its own."""
        if is_right:
            lane = self.right = self.right + _LANE
        else:
            lane = self.left = self.left - _LANE
        way = 5.0 if is_right else -5.0
        corners = (
            (start.middle + way, start.bottom),
            (start.middle + way, start.bottom + 9),
            (lane, start.bottom + 9),
            (lane, end.top - 11),
            (end.middle, end.top - 11),
            (end.middle, end.top - 1),
        )
        return _rounded(corners), lane, (start.bottom + end.top) / 2


def _on_curve(corners: tuple[tuple[float, float], ...], part: float) -> tuple[float, float]:
    """Return a point of a cubic Bézier curve."""
    weights = ((1 - part) ** 3, 3 * part * (1 - part) ** 2, 3 * part**2 * (1 - part), part**3)
    x, y = (sum(weight * corner[axis] for weight, corner in zip(weights, corners, strict=True)) for axis in (0, 1))
    return x, y


def _rounded(corners: tuple[tuple[float, float], ...]) -> str:
    """Return the path along corners, which are rounded."""
    parts = [f"M{corners[0][0]:g} {corners[0][1]:g}"]
    for (before, corner), (_, after) in pairwise(pairwise(corners)):
        (x, y), (from_x, from_y), (to_x, to_y) = corner, before, after
        back, on = _towards(corner, (from_x, from_y)), _towards(corner, (to_x, to_y))
        parts.append(f"L{back[0]:g} {back[1]:g}Q{x:g} {y:g} {on[0]:g} {on[1]:g}")
    return f"{''.join(parts)}L{corners[-1][0]:g} {corners[-1][1]:g}"


def _towards(corner: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Return the point where a rounded corner begins, on the way to another point in the same row or column."""
    across, down = other[0] - corner[0], other[1] - corner[1]
    length = abs(across) + abs(down)
    share = min(5.0, length / 2) / length if length else 0.0
    return corner[0] + across * share, corner[1] + down * share


def _frame(frame: _Group) -> str:
    rectangle = (
        f'<rect x="{frame.left:g}" y="{frame.top:g}" width="{frame.width:g}" height="{frame.height:g}" rx="8" '
        'fill="none" stroke-width="1" opacity=".55"/>'
    )
    place = f'x="{frame.left + _FRAME:g}" y="{frame.top + 20:g}"'
    title = f'<text {place} font-size="11.5" fill="#6e7781" stroke="none">{_text(frame.title or "")}</text>'
    return f'<g class="frame">{rectangle}{title}</g>'


def _shape(box: _Box) -> str:
    texts = "".join(
        f'<tspan x="{box.middle:g}" y="{box.top + 20.5 + number * _LINE:g}">{_text(line)}</tspan>'
        for number, line in enumerate(box.lines)
    )
    text = f'<text text-anchor="middle" fill="#1c2024" stroke="none">{texts}</text>'
    path = f' data-path="{_text(box.shape.path)}"' if box.shape.path else ""
    return f'<g class="shape {box.shape.kind}"{path}>{_outline(box)}{text}</g>'


def _outline(box: _Box) -> str:
    left, top, right, bottom = box.left, box.top, box.left + box.width, box.bottom
    points: tuple[tuple[float, float], ...]
    match box.shape.kind:
        case "set":
            points = ((left + 8, top), (right, top), (right - 8, bottom), (left, bottom))
        case "approve":
            half = (top + bottom) / 2
            points = (
                (left + 9, top),
                (right - 9, top),
                (right, half),
                (right - 9, bottom),
                (left + 9, bottom),
                (left, half),
            )
        case kind:
            radius = box.height / 2 if kind == "end" else 6
            size = f'width="{box.width:g}" height="{box.height:g}" rx="{radius:g}"'
            thick = ' stroke-width="2.2"' if kind == "parallel" else ""
            return f'<rect x="{left:g}" y="{top:g}" {size}{thick}/>'
    return f'<polygon points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'


def _text(text: str) -> str:
    return escape(disarm(text))
