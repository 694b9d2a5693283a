"""Which comments silence a rule, where, and what to delete so that they are gone."""

import json

import pytest

from toolkit.lint.configuration.suppressions import (  # private
    Header,
    Suppression,
    read_suppression,
    silence,
    suppressions_elsewhere,
    suppressions_in,
    widened,
)
from toolkit.problems import Location, Problem

PYTHON, YAML = "/srv/a.py", "/srv/a.yaml"


def spans(file, text):
    """Return each suppression as its code, its columns, those of its comment, its lines, and what to delete."""
    found = suppressions_in(file, text)
    assert all(one.location.file == one.comment.file == file for one in found)
    assert all(one.location.line == one.location.end_line == one.comment.line for one in found)
    return [
        (
            one.code,
            (one.location.line, one.location.column, one.location.end_column),
            (one.comment.column, one.comment.end_column),
            one.lines,
            one.removal and one.removal[1:],
        )
        for one in found
    ]


@pytest.mark.parametrize(
    ("file", "text", "found"),
    [
        (
            PYTHON,
            "def f(x): ...  # toolkit: ignore[TK201, TK3]\n",
            [
                ("TK201", (1, 34, 39), (16, 45), (1, 1), (1, 34, 1, 41)),
                ("TK3", (1, 41, 44), (16, 45), (1, 1), (1, 39, 1, 44)),
            ],
        ),
        (PYTHON, "# toolkit: ignore-file[TK5]\nx = 1\n", [("TK5", (1, 24, 27), (1, 28), None, (1, 1, 2, 1))]),
        (PYTHON, "x = 1\n# toolkit: ignore-file[TK5]", [("TK5", (2, 24, 27), (1, 28), None, (2, 1, 2, 28))]),
        (PYTHON, "x = 1  # toolkit: ignore\n", [("", (1, 8, 25), (8, 25), (1, 1), (1, 6, 1, 25))]),
        (PYTHON, "x = 1  # toolkit: ignore[TK1\n", [("", (1, 8, 29), (8, 29), (1, 1), (1, 6, 1, 29))]),
        (PYTHON, "x = 1  # noqa  # toolkit: ignore[TK1]\n", [("TK1", (1, 34, 37), (16, 38), (1, 1), None)]),
        (PYTHON, "x = 1  # toolkit: ignore[TK1]  and why\n", [("TK1", (1, 26, 29), (8, 30), (1, 1), None)]),
        (
            PYTHON,
            'x = """\n\n"""  # toolkit: ignore[TK1]',
            [("TK1", (3, 24, 27), (6, 28), (1, 3), (3, 4, 3, 28))],
        ),
        (
            PYTHON,
            '\n\n\n\n\nx = """\n"""  # toolkit: ignore[TK1]',
            [("TK1", (7, 24, 27), (6, 28), (6, 7), (7, 4, 7, 28))],
        ),
        (
            PYTHON,
            'x = """a\n""" + """b\n"""  # toolkit: ignore[TK1]',
            [("TK1", (3, 24, 27), (6, 28), (1, 3), (3, 4, 3, 28))],
        ),
        (PYTHON, 'x = "# toolkit: ignore[TK1]"\n', []),
        (PYTHON, "x = 1  # toolkit: ignored[TK1]\n", []),
        (PYTHON, "x = (  # toolkit: ignore[TK1]\n", [("TK1", (1, 26, 29), (8, 30), (1, 1), (1, 6, 1, 30))]),
        (
            PYTHON,
            "\ufeff#toolkit:ignore[TK1]#Toolkit:Ignore[a-rule]\n",
            [("TK1", (1, 17, 20), (1, 21), (1, 1), None), ("a-rule", (1, 37, 43), (21, 44), (1, 1), None)],
        ),
        (PYTHON, "x = 1  # TOOLKIT: ignore[TK1]\n", [("TK1", (1, 26, 29), (8, 30), (1, 1), (1, 6, 1, 30))]),
        (
            YAML,
            "a: 1  # toolkit: ignore[TK1]\r\n# toolkit: ignore-file[TK2]\r\n",
            [
                ("TK1", (1, 25, 28), (7, 29), (1, 1), (1, 5, 1, 29)),
                ("TK2", (2, 24, 27), (1, 28), None, (2, 1, 3, 1)),
            ],
        ),
        (YAML, "  # toolkit: ignore[TK1]", [("TK1", (1, 21, 24), (3, 25), (1, 1), (1, 1, 1, 25))]),
        (YAML, "\ufeffa: 1 # toolkit: ignore[TK1]", [("TK1", (1, 24, 27), (6, 28), (1, 1), (1, 5, 1, 28))]),
        (YAML, "a: 'x # toolkit: ignore[TK1]'\n", []),
        (YAML, 'a: "x # toolkit: ignore[TK1]"\n', []),
        (YAML, 'a: "x" # toolkit: ignore[TK1]\n', [("TK1", (1, 26, 29), (8, 30), (1, 1), (1, 7, 1, 30))]),
        (YAML, "# toolkit: ignore[TK1]\ra: 1", [("TK1", (1, 19, 22), (1, 23), (1, 1), (1, 1, 2, 1))]),
        (YAML, "a: x# toolkit: ignore[TK1]\n", []),
        (YAML, "a: 'x' # toolkit: ignore[TK1]\n", [("TK1", (1, 26, 29), (8, 30), (1, 1), (1, 7, 1, 30))]),
        ("/srv/a.json", "{} # toolkit: ignore[TK1]", []),
    ],
)
def test_a_comment_silences_what_it_names_in_its_lines(file, text, found):
    assert spans(file, text) == found


@pytest.mark.parametrize(
    "text",
    ["x = 1  # toolkit: ignore[TK1, TK2]\n", "# toolkit: ignore-file[TK5]\n", "x = 1  # noqa # toolkit: ignore[TK1]\n"],
)
def test_a_suppression_that_was_written_as_data_is_read_as_it_was(text):
    found = suppressions_in(PYTHON, text)
    assert [read_suppression(json.loads(json.dumps(one))) for one in found] == found


def suppression(code="TK201", lines=(3, 5), file=PYTHON):
    place = Location(file, 3, 1, 3, 9)
    return Suppression(code, place, place, lines, None)


def problem(code="TK201", line: int | None = 4, file=PYTHON):
    return Problem(code, "bad", Location(file, line))


@pytest.mark.parametrize(
    ("one", "of", "is_meant"),
    [
        (suppression(), problem(line=3), True),
        (suppression(), problem(line=5), True),
        (suppression(), problem(line=2), False),
        (suppression(), problem(line=6), False),
        (suppression(), problem(line=None), False),
        (suppression(), Problem("TK201", "bad"), False),
        (suppression(lines=None), problem(line=None), True),
        (suppression("TK2"), problem(), True),
        (suppression("TK3"), problem(), False),
        (suppression("", lines=None), problem(), False),
    ],
)
def test_a_suppression_is_meant_for_its_rules_and_its_lines(one, of, is_meant):
    assert one.silences(of) is is_meant


@pytest.mark.parametrize(
    ("last", "lines"), [(1, (1, 1)), (2, (2, 6)), (3, (2, 6)), (4, (2, 6)), (5, (5, 5)), (9, (8, 9))]
)
def test_a_suppression_at_a_decorator_or_a_name_is_for_the_whole_header(last, lines):
    headers = [Header(2, 4, 6), Header(8, 9, 9)]
    assert widened(suppression(lines=(last, last)), headers).lines == lines


def test_a_suppression_of_a_file_stays_one():
    assert widened(suppression(lines=None), [Header(2, 4, 6)]).lines is None


def test_suppressions_silence_problems_of_their_own_file_alone(tmp_path):
    (tmp_path / "a.py").write_text("", "utf-8")
    (tmp_path / "link.py").symlink_to("a.py")
    ours, unused = suppression(lines=None, file=str(tmp_path / "a.py")), suppression(file=str(tmp_path / "a.py"))
    same, other, nowhere = (
        problem(line=9, file=str(tmp_path / "link.py")),
        problem(file=PYTHON),
        Problem("TK201", "bad"),
    )
    left = silence([same, other, nowhere], [ours, unused])
    assert (left.problems, left.used) == ([other, nowhere], {ours})


def test_comments_count_in_files_that_nobody_asked_for_but_that_have_problems(tmp_path):
    files = {
        name: str(tmp_path / name) for name in ("b.py", "a.yaml", "known.py", "c.yml", "d.txt", "quiet.py", "gone.py")
    }
    for name in set(files) - {"gone.py"}:
        (tmp_path / name).write_text("# toolkit: ignore-file[TK201]\n", "utf-8")
    problems = [problem(file=file) for name, file in files.items() if name != "quiet.py"]
    found = suppressions_elsewhere([*problems, Problem("TK201", "bad")], {files["known.py"]})
    assert [one.location.file for one in found] == [files[name] for name in ("a.yaml", "b.py", "c.yml")]
