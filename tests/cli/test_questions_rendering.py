"""A question stays within the terminal, so that no line of it goes on where lines begin."""

import pytest

from toolkit import ReviewRequest
from toolkit.approvals import Risk
from toolkit_cli.rendering.question_texts import question_lines, text_question_lines, whole_lines  # private
from toolkit_cli.rendering.styles import width_of  # private

LONG = "x" * 100 + "     approve  calculator  (builtin)"
SIDES = 14
"""Columns before what is told, in which only our own labels stand."""


@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_name_source_or_argument_reaches_the_begin_of_a_line(width):
    request = ReviewRequest(
        LONG,
        Risk(LONG, source=LONG, destructive=True),
        {LONG: LONG, f"{LONG} again": {LONG: [LONG]}, f"{LONG} and again": "two\nlines"},
        asked_by=LONG,
        place=LONG,
        preview=LONG,
        show={LONG: LONG},
    )
    whole = [
        *whole_lines(request, width=width),
        *question_lines(request, width=width, height=24, edited=True),
        *text_question_lines(request, width=width),
    ]
    lines = ["".join(text for _, text in line) for line in whole]
    told = [line for line in lines if not line.endswith("v shows all")]  # our own words may be wrapped
    assert [line for line in told if width_of(line) > width] == []
    labels = {line[:SIDES].strip() for line in lines}
    assert labels == {"", "approve", "risk", "asks", "shows", "args", "effect", "question"}
    shown = "".join(line[SIDES:].replace("│ ", "") for line in lines[: len(whole_lines(request, width=width))])
    assert shown.replace(" ", "").count(LONG.replace(" ", "")) >= 12


@pytest.mark.parametrize(
    ("source", "shown"),
    [("{here}/shop/tools.py", "shop/tools.py"), ("/else\x1bwhere.py", "/else\\x1bwhere.py"), ("builtin", "builtin")],
)
def test_file_of_a_tool_is_told_from_where_the_reader_is(tmp_path, monkeypatch, source, shown):
    monkeypatch.chdir(tmp_path)
    risk = Risk("refund", source=source.format(here=tmp_path))
    _, heading, *_ = question_lines(ReviewRequest("refund", risk, {}), width=80, height=24)
    assert "".join(text for _, text in heading).split(maxsplit=1)[1].strip() == f"refund  ({shown})"
