"""Problems as people, programs and GitHub read them."""

import json
import unicodedata

import pytest
from hypothesis import given, strategies as st

from toolkit.problems import Location, Problem
from toolkit_cli.rendering.problem_texts import as_github, as_json, as_json_object, as_text, summary_of  # private


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_problem_shows_its_line_and_underlines_the_span(folder):
    (folder / "report.yaml").write_text("steps:\n  - use: sumarize\n", "utf-8")
    problem = Problem(
        "TK604",
        "unknown tool 'sumarize'",
        Location(str(folder / "report.yaml"), 2, 10, 2, 18),
        hint="did you mean 'summarize'?",
    )
    assert as_text([problem]) == (
        "error[TK604]: unknown tool 'sumarize'\n"
        " --> report.yaml:2:10\n"
        "  |\n"
        "2 |   - use: sumarize\n"
        "  |          ^^^^^^^^\n"
        "  |\n"
        "hint: did you mean 'summarize'?"
    )


def test_related_place_has_an_excerpt_and_its_note(folder):
    (folder / "tools.py").write_text("\n".join(["def greet(): ..."] * 12), "utf-8")
    first, second = Location("tools.py", 2, 5, 2, 10), Location("tools.py", 11, 5, 11, 10)
    problem = Problem("TK103", "two tools are called 'greet'", second, related=((first, "first defined here"),))
    assert as_text([problem]) == (
        "error[TK103]: two tools are called 'greet'\n"
        "  --> tools.py:11:5\n"
        "   |\n"
        "11 | def greet(): ...\n"
        "   |     ^^^^^\n"
        "   |\n"
        "  ::: tools.py:2:5\n"
        "   |\n"
        " 2 | def greet(): ...\n"
        "   |     ^^^^^ first defined here\n"
        "   |"
    )


def test_problem_without_a_place_is_one_line():
    assert as_text([Problem("", "nothing to do", severity="warning")]) == "warning: nothing to do"


def test_place_in_a_file_that_cannot_be_read_is_still_named():
    problem = Problem("TK001", "there is no file 'x.py'", Location("nowhere/x.py", 3, 1))
    assert as_text([problem]) == "error[TK001]: there is no file 'x.py'\n --> nowhere/x.py:3:1"


def test_line_behind_the_end_of_the_file_shows_no_excerpt(folder):
    (folder / "a.py").write_text("x\n", "utf-8")
    assert as_text([Problem("", "odd", Location("a.py", 99, 1))]) == "error: odd\n  --> a.py:99:1"


def test_place_without_a_column_underlines_all_that_is_not_blank(folder):
    (folder / "a.py").write_text("    import nothing  \n", "utf-8")
    assert as_text([Problem("TK002", "broken", Location("a.py", 1))]).splitlines()[3:5] == [
        "1 |     import nothing",
        "  |     ^^^^^^^^^^^^^^",
    ]


def test_tabs_and_wide_characters_keep_the_underlining_in_place(folder):
    (folder / "a.yaml").write_text("\tname: 日本 x\n", "utf-8")
    assert as_text([Problem("", "odd", Location("a.yaml", 1, 8, 1, 10))]).splitlines()[3:5] == [
        "1 |     name: 日本 x",
        "  |           ^^^^",
    ]


def test_control_and_invisible_characters_are_shown_as_escapes(folder):
    (folder / "a.yaml").write_text("name: \x1b[31mred\u202e!\n", "utf-8")
    text = as_text([Problem("", "bad \x1b[2J name", Location("a.yaml", 1, 7, 1, 8))])
    assert text.splitlines() == [
        "error: bad \\x1b[2J name",
        " --> a.yaml:1:7",
        "  |",
        "1 | name: \\x1b[31mred\\u202e!",
        "  |       ^^^^",
        "  |",
    ]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('url = "https://ada:correct-horse@shop.test/mcp"', 'url = "https://*****************@shop.test/mcp"'),
        ('headers = { Authorization = "Basic YWRhOm" }', 'headers = { Authorization = "************" }'),
        ("env: {API_KEY: 'hunter2', MODE: 'fast'}", "env: {API_KEY: '*******', MODE: 'fast'}"),
        ('{"password": "hunter2", "key": "city"}', '{"password": "*******", "key": "city"}'),
        ('headers = { Authorization = "Bearer ${TOKEN}" }', 'headers = { Authorization = "Bearer ${TOKEN}" }'),
        (
            "- set: AKIAQ3EGVZ7RJ4TKPLWS and AKIAQ3EGVZ7RJ4TKPLWT",
            "- set: ******************** and ********************",
        ),
    ],
)
def test_secrets_of_a_line_are_stars(folder, line, shown):
    (folder / "toolkit.toml").write_text(line, "utf-8")
    drawn = as_text([Problem("TK005", "wrong", Location(str(folder / "toolkit.toml"), 1, 1, 1, 4))])
    assert drawn.splitlines()[3:5] == [f"1 | {shown}", "  | ^^^"]


def test_long_line_is_windowed_round_the_place(folder):
    (folder / "a.yaml").write_text(f"{'a' * 300}HERE{'b' * 300}\n", "utf-8")
    shown, mark = as_text([Problem("", "odd", Location("a.yaml", 1, 301, 1, 305))], width=60).splitlines()[3:5]
    assert len(shown) <= 60
    assert shown.startswith("1 | …a")
    assert shown.endswith("b…")
    assert shown[mark.index("^") : mark.rindex("^") + 1] == "HERE"


def test_place_at_the_end_of_a_line_is_still_marked(folder):
    (folder / "a.py").write_text("def f(\n", "utf-8")
    assert as_text([Problem("", "never closed", Location("a.py", 1, 7))]).splitlines()[3:5] == [
        "1 | def f(",
        "  |       ^",
    ]


def test_place_behind_a_line_that_fills_the_width_is_inside_it(folder):
    (folder / "a.py").write_text("x" * 56 + "\n", "utf-8")
    shown, mark = as_text([Problem("", "odd", Location("a.py", 1, 57))], width=60).splitlines()[3:5]
    assert (len(shown), len(mark)) == (26, 27)
    assert shown.startswith("1 | …x")


def test_span_over_several_lines_is_underlined_to_the_end_of_the_first(folder):
    (folder / "a.yaml").write_text("with:\n  a: 1\n", "utf-8")
    assert as_text([Problem("", "odd", Location("a.yaml", 1, 3, 2, 6))]).splitlines()[4] == "  |   ^^^"


def test_colour_changes_no_character(folder):
    (folder / "a.py").write_text("x = 1\n", "utf-8")
    problem = Problem("TK002", "broken", Location("a.py", 1, 1), hint="mend it")
    painted = as_text([problem], colour=True)
    assert painted.startswith("\x1b[1;31merror[TK002]\x1b[0m\x1b[1m: broken\x1b[0m\n")
    plain = painted
    for code in ("0", "1", "1;31", "1;34", "1;36"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == as_text([problem])


@given(line=st.text(), column=st.integers(1, 40), length=st.integers(0, 40), width=st.integers(40, 90))
def test_any_line_is_shown_safely_with_its_mark_inside(tmp_path_factory, line, column, length, width):
    file = tmp_path_factory.mktemp("any") / "a.txt"
    file.write_bytes(line.encode("utf-8", "replace"))
    place = Location(str(file), 1, column, 1, column + length)
    text = as_text([Problem("", "odd", place)], width=width)
    assert all(character == "\n" or unicodedata.category(character) not in {"Cc", "Cf", "Cs"} for character in text)
    for row in text.splitlines()[3:5]:
        assert (
            sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in row if not unicodedata.combining(c))
            <= width
        )


def test_summary_counts_kinds_and_files():
    problems = [
        Problem("TK601", "a", Location("a.yaml", 1)),
        Problem("TK602", "b", Location("b.yaml", 1)),
        Problem("TK602", "c", Location("b.yaml", 2)),
        Problem("TK611", "d", Location("b.yaml", 3), severity="warning"),
    ]
    assert summary_of(problems) == "Found 3 errors and 1 warning in 2 files."
    assert summary_of(problems[:1]) == "Found 1 error in 1 file."
    assert summary_of([*problems, Problem("", "e", severity="info")]) == (
        "Found 3 errors, 1 warning and 1 note in 2 files."
    )
    assert summary_of([]) == "Found no problems."


def test_json_has_every_key_always(folder):
    problems = [
        Problem("TK604", "unknown tool 'é'", Location(str(folder / "a.yaml"), 1, 2, 1, 3), hint="h"),
        Problem("", "odd", related=((Location("b.py", 4), "here"),), severity="info"),
    ]
    assert json.loads(as_json(problems)) == [
        {
            "code": "TK604",
            "severity": "error",
            "message": "unknown tool 'é'",
            "location": {"file": "a.yaml", "line": 1, "column": 2, "end_line": 1, "end_column": 3},
            "hint": "h",
            "related": [],
        },
        {
            "code": "",
            "severity": "info",
            "message": "odd",
            "location": None,
            "hint": None,
            "related": [
                {
                    "location": {"file": "b.py", "line": 4, "column": None, "end_line": None, "end_column": None},
                    "message": "here",
                }
            ],
        },
    ]
    assert as_json([]) == "[]"


def test_failure_of_a_command_is_one_json_object_on_one_line():
    text = as_json_object([Problem("TK001", "there is no file 'a'")], 4)
    assert "\n" not in text
    assert json.loads(text) == {
        "exit_code": 4,
        "message": "there is no file 'a'",
        "problems": [
            {
                "code": "TK001",
                "severity": "error",
                "message": "there is no file 'a'",
                "location": None,
                "hint": None,
                "related": [],
            }
        ],
    }


def test_github_annotations_are_escaped_and_have_errors_first():
    problems = [
        Problem("TK611", "never runs", Location("a,b:c.yaml", 3, 2, 3, 9), severity="warning"),
        Problem("TK601", "100% wrong\nhere", Location("a.yaml", 1), hint="mend it"),
        Problem("", "no place", severity="info"),
    ]
    assert as_github(problems).splitlines() == [
        "::error file=a.yaml,line=1,title=toolkit TK601::100%25 wrong%0Ahere%0Ahint: mend it",
        "::warning file=a%2Cb%3Ac.yaml,line=3,endLine=3,col=2,title=toolkit TK611::never runs",
        "::notice title=toolkit::no place",
    ]


def test_github_gets_no_more_of_a_kind_than_it_shows_and_is_told_so():
    problems = [Problem("TK601", f"error {number}", severity="error") for number in range(13)]
    lines = as_github(problems).splitlines()
    assert lines[:10] == [f"::error title=toolkit TK601::error {number}" for number in range(10)]
    assert lines[10:] == ["::notice title=toolkit::3 more not shown; `toolkit lint` shows all"]
