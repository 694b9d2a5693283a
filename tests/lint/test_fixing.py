"""Fixes: whole ones or none, never over one another, and no file is left that cannot be read."""

import stat
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from toolkit.lint import diff_of, fix_files, make_changes
from toolkit.problems import Edit, Fix, Location, Problem
from toolkit_cli.main import application


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(text, line, start, end, file="a.py", end_line=None):
    return Edit(Location(file, line, start, end_line or line, end), text)


def problem(*edits, safe=True):
    return Problem("TK999", "wrong", edits[0].location, fix=Fix("Mend it", edits, safe))


def texts(problems, *, unsafe=False):
    changes, refused = make_changes(problems, unsafe=unsafe)
    return {change.file: change.after for change in changes}, len(refused)


def test_edits_are_made_together(folder):
    Path("a.py").write_text("one = 1\ntwo = 2\n", "utf-8")
    problems = [problem(edit("eins", 1, 1, 4), edit("zwei", 2, 1, 4)), problem(edit("3", 2, 7, 8))]
    assert texts(problems) == ({"a.py": "eins = 1\nzwei = 3\n"}, 0)


def test_edits_that_overlap_wait(folder):
    Path("a.py").write_text("one = 123\n", "utf-8")
    assert texts([problem(edit("x", 1, 7, 9)), problem(edit("y", 1, 8, 10))]) == ({"a.py": "one = x3\n"}, 0)
    assert texts([problem(edit("x", 1, 7, 8)), problem(edit("y", 1, 8, 10))]) == ({"a.py": "one = xy\n"}, 0)
    assert texts([problem(edit("1", 1, 7, 7)), problem(edit("2", 1, 7, 7))]) == ({"a.py": "one = 1123\n"}, 0)


def test_same_edit_of_two_problems_is_made_once(folder):
    Path("a.py").write_text("one = 1\n", "utf-8")
    assert texts([problem(edit("2", 1, 7, 8)), problem(edit("2", 1, 7, 8))]) == ({"a.py": "one = 2\n"}, 0)


def test_fix_whose_one_edit_does_not_fit_is_not_made_at_all(folder):
    Path("a.py").write_text("one = 1\ntwo = 2\n", "utf-8")
    problems = [problem(edit("9", 1, 7, 8)), problem(edit("8", 1, 7, 8), edit("8", 2, 7, 8))]
    assert texts(problems) == ({"a.py": "one = 9\ntwo = 2\n"}, 0)


def test_fix_that_would_break_its_file_is_refused_and_the_others_made(folder):
    Path("a.py").write_text("one = 1\ntwo = 2\n", "utf-8")
    problems = [problem(edit("(", 1, 7, 8)), problem(edit("3", 2, 7, 8))]
    assert texts(problems) == ({"a.py": "one = 1\ntwo = 3\n"}, 1)
    Path("b.yaml").write_text("a: 1\nb: 2\n", "utf-8")
    Path("c.json").write_text('{"a": 1}', "utf-8")
    broken = [problem(edit("[", 1, 4, 5, "b.yaml")), problem(edit("", 1, 5, 6, "c.json"))]
    assert texts(broken) == ({}, 2)


def test_unsafe_fixes_are_made_only_on_request(folder):
    Path("a.py").write_text("one = 1\n", "utf-8")
    risky = [problem(edit("2", 1, 7, 8), safe=False)]
    assert texts(risky) == ({}, 0)
    assert texts(risky, unsafe=True) == ({"a.py": "one = 2\n"}, 0)


def test_line_ends_marks_and_permissions_stay(folder):
    path = Path("a.py")
    path.write_bytes(b"\xef\xbb\xbfone = 'x'\r\ntwo = 2\r\n")
    path.chmod(0o751)
    left = fix_files(rounds([problem(edit("ä", 1, 8, 9), edit("3", 2, 7, 8))]), unsafe=False)
    assert path.read_bytes() == "\ufeffone = 'ä'\r\ntwo = 3\r\n".encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert (len(left.solved), left.problems, sorted(folder.iterdir())) == (1, [], [folder / "a.py"])


def test_link_leads_to_the_mended_file(folder):
    Path("real.py").write_text("one = 1\n", "utf-8")
    Path("a.py").symlink_to("real.py")
    fix_files(rounds([problem(edit("2", 1, 7, 8))]), unsafe=False)
    assert Path("a.py").is_symlink()
    assert Path("real.py").read_text() == "one = 2\n"


def test_place_that_is_not_in_the_file_is_left_alone(folder):
    Path("a.py").write_text("one = 1\n", "utf-8")
    Path("latin.py").write_bytes(b"# -*- coding: latin-1 -*-\none = '\xe4'\n")
    wrong = [
        problem(edit("2", 9, 1, 2)),
        problem(edit("2", 1, 1, 2, "gone.py")),
        problem(edit("2", 2, 1, 2, "latin.py")),
    ]
    assert texts(wrong) == ({}, 0)


def test_fixing_ends_when_nothing_helps(folder):
    Path("a.py").write_text("one = 1\n", "utf-8")
    seen = []

    def check():
        seen.append(Path("a.py").read_text())
        return [problem(edit(str((int(seen[-1][6]) + 1) % 2), 1, 7, 8))]

    left = fix_files(check, unsafe=False)
    assert len(left.problems) == 1
    assert len(seen) <= 25


def test_diff_tells_of_a_missing_newline(folder):
    Path("a.py").write_text("one = 1", "utf-8")
    [change], _ = make_changes([problem(edit("2", 1, 7, 8))], unsafe=False)
    assert diff_of(change, "a.py") == (
        "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-one = 1\n\\ No newline at end of file\n+one = 2\n\\ No newline at end of file\n"
    )


LINES = st.lists(st.text("abc äß😀", max_size=6), min_size=1, max_size=4)


@given(LINES, st.data())
def test_what_no_edit_touches_stays_as_it_was(tmp_path_factory, lines, data):
    file = str(tmp_path_factory.mktemp("fix") / "a.json")
    text = "\n".join(f'"{line}"' for line in lines)
    Path(file).write_text(text, "utf-8")  # no JSON, and none afterwards, so that no edit is refused
    problems = []
    for number, line in enumerate(lines, start=1):
        start = data.draw(st.integers(1, len(line) + 3))
        end = data.draw(st.integers(start, len(line) + 3))
        problems.append(problem(edit(data.draw(st.text("xyz", max_size=3)), number, start, end, file)))
    changes, _ = make_changes(problems, unsafe=False)
    expected = []
    for line, one in zip(text.split("\n"), problems, strict=True):
        [(place, new)] = one.fix.edits
        expected.append(line[: place.column - 1] + new + line[place.end_column - 1 :])
    for change in changes:
        kept = [one for one in problems if one in change.solved]
        wanted = text.split("\n")
        for one in kept:
            [(place, new)] = one.fix.edits
            wanted[place.line - 1] = expected[place.line - 1]
        assert change.after == "\n".join(wanted)


def rounds(*found):
    """Return a check that finds these problems, a round each, and then none."""
    left = list(found)
    return lambda: left.pop(0) if left else []


TOOL_THAT_DELETES = """\
import shutil

from toolkit import tool


@tool
def delete_project(name: str) -> str:
    \"\"\"Delete a project with all its files.

    Args:
        name: The name of the project's folder.
    \"\"\"
    shutil.rmtree(name)
    return f"deleted {name}"
"""


def test_a_mark_that_adds_a_question_is_written_only_with_unsafe_fixes(folder):
    """An unattended pipeline would stop at the new question, so `--fix` alone must not write it."""
    Path("tools.py").write_text(TOOL_THAT_DELETES, "utf-8")
    select = ["lint", "tools.py", "--no-cache", "--select", "TK506"]
    safe = CliRunner().invoke(application(), [*select, "--fix"])
    assert (safe.exit_code, Path("tools.py").read_text("utf-8")) == (1, TOOL_THAT_DELETES)
    assert safe.stdout.endswith("1 problem can be fixed with `--fix --unsafe-fixes`.\n")
    unsafe = CliRunner().invoke(application(), [*select, "--fix", "--unsafe-fixes"])
    marked = TOOL_THAT_DELETES.replace("@tool\n", "@tool(destructive=True)\n")
    assert (unsafe.exit_code, Path("tools.py").read_text("utf-8")) == (0, marked)
