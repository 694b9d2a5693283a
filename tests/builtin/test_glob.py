"""The tool `glob` finds files beneath its directory, in one order, and follows no link."""

import os

import pytest

from tests.processes import handles_below
from toolkit.builtin import Glob
from toolkit.builtin.files.listing import Effort, list_files  # private


@pytest.fixture
def base(tmp_path):
    """Return the directory of a tool, with a secret beside it."""
    for name in (
        "sand/src/b.py",
        "sand/src/a.py",
        "sand/src/deep/c.py",
        "sand/top.py",
        "sand/.hidden.py",
        "secret/s.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path / "sand"


def found(base, pattern, path=".", **options):
    """Return what a model is sent."""
    return Glob(base, **options).run({"pattern": pattern, "path": path}).text


def test_finds_files_in_order(base):
    assert found(base, "**/*.py") == ".hidden.py\nsrc/a.py\nsrc/b.py\nsrc/deep/c.py\ntop.py"
    assert found(base, "*.py") == ".hidden.py\ntop.py"


def test_a_pattern_is_relative_to_the_folder_and_paths_to_the_directory(base):
    assert found(base, "*.py", "src") == "src/a.py\nsrc/b.py"
    assert found(base, "*.py", "") == ".hidden.py\ntop.py"
    assert found(base, "**/c.py", "./src/") == "src/deep/c.py"
    assert found(base, "*.py", str(base / "src" / "deep")) == "src/deep/c.py"


def test_finding_nothing_is_no_failure(base):
    assert found(base, "*.md") == "No files found matching pattern: *.md"


@pytest.mark.parametrize(
    ("pattern", "path", "answer"),
    [
        (" ", ".", "Pattern must not be blank"),
        ("[a", ".", "Invalid glob pattern: '[' is not closed by ']'"),
        ("/etc/*", ".", "Invalid glob pattern: it must be relative to the folder and stay inside"),
        ("*", "..", "Access denied: path is outside the sandbox directory"),
        ("*", "/etc", "Access denied: path is outside the sandbox directory"),
        ("*", "../secret", "Access denied: path is outside the sandbox directory"),
        ("*", "nowhere", "File or folder not found: nowhere"),
        ("*", "a\0b", "Access denied: path is outside the sandbox directory"),
    ],
)
def test_says_why_it_cannot_look(base, pattern, path, answer):
    assert found(base, pattern, path) == f"Error: {answer}"


def test_links_are_neither_followed_nor_found(base, tmp_path):
    (base / "out").symlink_to(tmp_path / "secret")
    (base / "in").symlink_to("src")
    (base / "link.py").symlink_to("top.py")
    assert found(base, "**/*.py") == ".hidden.py\nsrc/a.py\nsrc/b.py\nsrc/deep/c.py\ntop.py"
    assert found(base, "*", "out").startswith("Error: Access denied: ")
    assert found(base, "*.py", "in") == "in/a.py\nin/b.py"


def test_only_regular_files_are_found(base):
    os.mkfifo(base / "pipe.py")
    assert "pipe" not in found(base, "**")


def test_more_than_the_limit_is_said(base):
    assert found(base, "**/*.py", max_results=2) == (
        ".hidden.py\nsrc/a.py\n[there are more than 2 files: narrow the pattern or the path]"
    )
    assert Glob(base, max_results=5).run({"pattern": "**/*.py"}).structured["complete"] is True


def test_names_that_break_lines_are_escaped(base):
    (base / "a\nb.md").touch()
    (base / "c\u202ed.md").touch()
    (base / os.fsdecode(b"\xff.md")).touch()
    assert found(base, "*.md") == "a\\nb.md\nc\\u202ed.md\n\\udcff.md"


def test_a_folder_that_cannot_be_read_is_counted(base):
    deep = base
    for _ in range(102):
        deep = deep / "d"
    deep.mkdir(parents=True)
    assert found(base, "*.md") == "No files found matching pattern: *.md\n[1 folder could not be read]"


def test_looking_ends_with_its_limits(base):
    effort = Effort(60, entries=2)
    assert [file.path for file in list_files(base, ".", effort)] == []
    assert effort.remarks() == ["stopped after 2 files and folders: choose a smaller folder as path"]
    effort = Effort(0.0)
    assert [file.path for file in list_files(base, ".", effort)] == []
    assert effort.remarks() == ["stopped after 0 seconds: choose a smaller folder as path"]


def test_no_handle_stays_open(base):
    for path in (".", "src", "nowhere", "top.py", ".."):
        found(base, "**", path, max_results=1)
    assert handles_below(base.parent) == []


def test_a_folder_swapped_for_a_link_never_leaks(base, tmp_path, swapping_directory, tries):
    (base / "room").mkdir()
    (base / "room" / "harmless.py").touch()
    tool = Glob(base)
    with swapping_directory(base / "room", tmp_path / "secret"):
        answers = [
            tool.run({"pattern": "**/*.py", "path": path}).text for _ in range(tries(1_500)) for path in (".", "room")
        ]
    leaks = sum("/s.py" in answer for answer in answers)
    reads = sum("harmless.py" in answer for answer in answers)
    print(f"\nglob: {leaks} leaks in {len(answers)} tries, {reads} of them reads")  # noqa: T201
    assert leaks == 0
    assert reads > 0


def test_hints_and_schema(base):
    spec = Glob(base).spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (True, False, True, False)
    assert spec.required == ("pattern",)
