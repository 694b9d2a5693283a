"""Draw terminal sessions with the files of the tour, and charts of pipelines, as SVG: `python docs/draw_pictures.py`.

With `--check`, as in CI, only check that the pictures are up to date. Each picture shows the output of the real program
on a terminal, in colour. Durations, which differ between runs, are replaced by zeros, so that the same program always
produces the same picture.
"""

import io
import os
import re
import subprocess
import sys
import tempfile
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pexpect
import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
TOUR = ROOT / "docs" / "tour.md"
WIDTH, HEIGHT = 100, 60
PROMPT = "     >"
FILES = re.compile(r"^<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r"\d+(?:\.\d+)? (?:ms|s)\b")
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Session(NamedTuple):
    """One session: the commands, and the answers to the questions of each command, one key per question."""

    commands: tuple[str, ...]
    keys: str = ""
    aligned: str = "right"  # the durations in its columns


SESSIONS = {
    "approve": Session(("toolkit run shop.py:refund order=A-17 euros=40",), "o"),
    "lint": Session(("toolkit lint shop.py broken.py refunds.yaml",)),
    "test": Session(("toolkit test prices.py",), aligned="left"),
    "pipeline": Session(("toolkit run refunds.yaml orders=@orders.json --approve refund",)),
}
CHARTS = {"chart": ("pipelines.md", "report.yaml")}
"""The pipelines that are drawn, each with the page that has its files."""


def draw(name: str) -> str:
    """Return the picture of a session or of a pipeline."""
    return draw_chart(*CHARTS[name]) if name in CHARTS else draw_session(name)


def draw_chart(page: str, pipeline: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for file, text in FILES.findall((ROOT / "docs" / page).read_text("utf-8")):
            Path(folder, file).write_text(text, "utf-8")
        command = [sys.executable, "-m", "toolkit_cli", "show", pipeline, "--format", "svg"]
        return subprocess.run(  # noqa: S603 - our own program
            command, cwd=folder, capture_output=True, encoding="utf-8", check=True
        ).stdout


def draw_session(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for file, text in FILES.findall(TOUR.read_text("utf-8")):
            Path(folder, file).write_text(text, "utf-8")
        session = SESSIONS[name]
        lines = [line for command in session.commands for line in _played(command, session, folder)]
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for line in lines:
        console.print(line)
    return _without_remote_fonts(console.export_svg(title="toolkit", theme=SVG_EXPORT_THEME, unique_id=name))


def _played(command: str, session: Session, folder: str) -> list[Text]:
    """Run a command on a terminal, and return the lines that it shows, with their colours."""
    child: Any = pexpect.spawn(
        "bash",
        ["-c", command],
        cwd=folder,
        env=_environment(),
        encoding="utf-8",
        timeout=60,
        dimensions=(HEIGHT, WIDTH),
    )
    shown = ""
    for key in session.keys:
        child.expect_exact(PROMPT)
        shown += child.before + child.after
        child.send(f"{key}\r")
    child.expect(pexpect.EOF)
    return [Text.assemble(("$ ", "green"), command), *_lines(shown + child.before, session.aligned)]


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return kept | {"PATH": path, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PROMPT_TOOLKIT_NO_CPR": "1"}


def _lines(output: str, aligned: str) -> list[Text]:
    """Return the final lines of a terminal, without those that were overwritten."""
    screen = pyte.Screen(WIDTH, HEIGHT)
    pyte.Stream(screen).feed(output)
    lines = [_line(screen.buffer[number], aligned) for number in range(HEIGHT)]
    while lines and not lines[-1].plain:
        lines.pop()
    return lines


def _line(cells: Any, aligned: str) -> Text:
    styled = [(cells[column].data, _style(cells[column])) for column in range(WIDTH)]
    plain = "".join(character for character, _ in styled)
    justify = str.ljust if aligned == "left" else str.rjust
    for time in reversed(list(TIMES.finditer(plain))):
        is_in_the_middle = bool(plain[time.end() :].strip())  # keep the position of what follows
        zero = justify("0 ms", len(time[0])) if is_in_the_middle else "0 ms"
        styled[time.start() : time.end()] = [(character, styled[time.start()][1]) for character in zero]
    pieces = [("".join(character for character, _ in run), style) for style, run in groupby(styled, itemgetter(1))]
    line = Text.assemble(*pieces)
    line.rstrip()
    return line


def _style(cell: Any) -> Style:
    return Style(color=_colour(cell.fg), bold=cell.bold, italic=cell.italics)


def _colour(name: str) -> str | None:
    names = {"default": None, "brown": "yellow"}
    return names.get(name, f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else name)


def _without_remote_fonts(picture: str) -> str:
    """Make a picture use fonts of the reader's machine, so that it loads nothing from the network."""
    picture = re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL)
    return re.sub(r"font-family: Fira Code, monospace;", f"font-family: {FONTS};", picture)


def main() -> int:
    """Draw every picture or, with `--check`, report those that are out of date."""
    stale = []
    for name in (*SESSIONS, *CHARTS):
        file, picture = FOLDER / f"{name}.svg", draw(name)
        if "--check" not in sys.argv:
            file.write_text(picture, "utf-8")
        elif not file.exists() or file.read_text("utf-8") != picture:
            stale.append(file.name)
    if stale:
        print(f"pictures out of date: {', '.join(stale)}; run python docs/draw_pictures.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
