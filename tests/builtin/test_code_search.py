"""The tool `code_search` finds lines of text beneath its directory, and no file and no pattern makes it hang."""

import os
from random import Random
from time import monotonic

import pytest

from toolkit.builtin import CodeSearch


@pytest.fixture
def base(tmp_path):
    """Return the directory of a tool, with a secret beside it."""
    (tmp_path / "sand" / "src").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "s.py").write_text("token = 'SECRET'\n")
    (tmp_path / "sand" / "src" / "b.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return one() + 1\n")
    (tmp_path / "sand" / "src" / "a.txt").write_bytes(b"Def one\r\nend\r\n")
    (tmp_path / "sand" / "note.md").write_text("call one()")
    return tmp_path / "sand"


def search(base, pattern, **more):
    """Return what a model is sent."""
    return CodeSearch(base).run({"pattern": pattern, **more}).text


def test_finds_lines_by_file(base):
    assert search(base, r"\bone\b") == (
        "note.md:1:call one()\nsrc/a.txt:1:Def one\nsrc/b.py:1:def one():\nsrc/b.py:6:    return one() + 1"
    )


def test_case_can_be_ignored(base):
    assert search(base, "^DEF", ignore_case=True) == (
        "src/a.txt:1:Def one\nsrc/b.py:1:def one():\nsrc/b.py:5:def two():"
    )
    assert search(base, "^DEF") == "No matches found for pattern: ^DEF"


def test_lines_end_before_their_ends(base):
    assert search(base, "one$") == "src/a.txt:1:Def one"


def test_context_is_set_apart(base):
    assert search(base, "return", context_lines=1) == (
        "src/b.py-1-def one():\nsrc/b.py:2:    return 1\nsrc/b.py-3-\n--\n"
        "src/b.py-5-def two():\nsrc/b.py:6:    return one() + 1"
    )
    assert search(base, "two|one", path="src", context_lines=20) == (
        "src/a.txt:1:Def one\nsrc/a.txt-2-end\n--\n"
        "src/b.py:1:def one():\nsrc/b.py-2-    return 1\nsrc/b.py-3-\nsrc/b.py-4-\nsrc/b.py:5:def two():\n"
        "src/b.py:6:    return one() + 1"
    )


@pytest.mark.parametrize(
    ("glob", "path", "files"),
    [
        ("*.py", ".", ["src/b.py"]),
        ("*.{md,txt}", ".", ["note.md", "src/a.txt"]),
        ("src/*", ".", ["src/a.txt", "src/b.py"]),
        ("**/*.md", ".", ["note.md"]),
        ("*.py", "src", ["src/b.py"]),
        ("src/*", "src", []),
        ("", "src/b.py", ["src/b.py"]),
        ("*.md", "src/b.py", []),
    ],
)
def test_files_can_be_chosen(base, glob, path, files):
    matches = CodeSearch(base).run({"pattern": "one", "glob": glob, "path": path}).structured["matches"]
    assert list(dict.fromkeys(match["file"] for match in matches)) == files


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ({"pattern": ""}, "Search pattern must not be empty"),
        (
            {"pattern": "("},
            "Invalid regular expression: unclosed group: '(' at character 1; write \\( to match it literally",
        ),
        ({"pattern": "a", "glob": "["}, "Invalid glob pattern: '[' is not closed by ']'"),
        ({"pattern": "a", "path": "../secret"}, "Access denied: path is outside the sandbox directory"),
        ({"pattern": "a", "path": "nowhere"}, "File or folder not found: nowhere"),
        ({"pattern": "a", "context_lines": 21}, "context_lines must be from 0 to 20"),
        ({"pattern": "a", "context_lines": -1}, "context_lines must be from 0 to 20"),
    ],
)
def test_says_why_it_cannot_search(base, arguments, answer):
    assert search(base, **arguments) == f"Error: {answer}"


@pytest.mark.parametrize("pattern", ["--pre=touch pwned", "-e", "-f/etc/passwd", "--"])
def test_a_pattern_that_looks_like_an_option_is_a_pattern(base, pattern):
    (base / "options").write_text(f"x {pattern} y\n")
    assert search(base, pattern) == f"options:1:x {pattern} y"
    assert sorted(path.name for path in base.iterdir()) == ["note.md", "options", "src"]


def test_what_is_no_text_or_left_out_is_not_searched(base):
    (base / "binary").write_bytes(b"one\0two\n")
    (base / "wide.txt").write_text("one", "utf-16")
    (base / "old.txt").write_bytes(b"one \xe5\n")
    (base / ".gitignore").write_text("note.md\nsrc/\n")
    assert search(base, "one") == "old.txt:1:one \ufffd"


def test_links_are_not_followed(base, tmp_path):
    (base / "link.py").symlink_to(tmp_path / "secret" / "s.py")
    (base / "out").symlink_to(tmp_path / "secret")
    assert search(base, "SECRET") == "No matches found for pattern: SECRET"
    assert search(base, "SECRET", path="out").startswith("Error: Access denied: ")
    assert search(base, "SECRET", path="link.py").startswith("Error: Access denied: ")


def test_what_is_no_file_does_not_hang(base):
    os.mkfifo(base / "pipe")
    assert search(base, "two") == "src/b.py:5:def two():"
    assert search(base, "two", path="pipe").startswith("Error: ")


def test_more_than_the_limit_is_said(base):
    tool = CodeSearch(base, max_results=2)
    assert tool.run({"pattern": "one"}).text == (
        "note.md:1:call one()\nsrc/a.txt:1:Def one\n[there are more matches: narrow the pattern, the glob or the path]"
    )
    assert CodeSearch(base, max_results=4).run({"pattern": "one"}).structured["complete"] is True


def test_a_large_file_is_not_searched_and_that_is_said(base):
    tool = CodeSearch(base, max_bytes=20)
    assert tool.run({"pattern": "one"}).text == (
        "note.md:1:call one()\nsrc/a.txt:1:Def one\n[1 file is larger than 20 bytes and not searched]"
    )


def test_long_lines_and_long_answers_are_cut(base):
    (base / "long.txt").write_text("needle" + "x" * 1_000)
    assert search(base, "needle") == f"long.txt:1:needle{'x' * 494}… [506 more characters]"
    (base / "long.txt").write_text(("needle" + "x" * 1_000 + "\n") * 90 + "y\n" * 900 + "end\n")
    answer = search(base, "needle|end", context_lines=20, path="long.txt")
    assert len(answer) < 100_000
    (base / "long.txt").write_text(("n" + "x" * 600 + "\n") * 400)
    several = CodeSearch(base, max_results=400).run({"pattern": "n", "path": "long.txt"}).text
    assert several.endswith("\n[more than 100000 characters: ask for fewer lines of context]")


def test_a_catastrophic_pattern_does_not_hang(base):
    (base / "bad.txt").write_text(("a" * 5_000 + "b\n") * 20)
    started = monotonic()
    for pattern in ("^(a+)+$", "(a|aa)+$", "(.*)*=", "a{0,400}a{0,400}c"):
        assert "bad.txt" not in search(base, pattern)
    taken = monotonic() - started
    print(f"\ncode_search: four catastrophic patterns on 100 kB in {taken:.1f} s")  # noqa: T201
    assert taken < 40  # each has a deadline of ten seconds; backtracking would take longer than the sun will shine


def test_a_line_that_is_too_long_for_the_pattern_is_not_searched_and_that_is_said(base):
    (base / "big.txt").write_text("ab" * 500_000 + "\nabab\n")
    answer = CodeSearch(base).run({"pattern": "b(a|b){0,300}b", "path": "big.txt"}).text
    assert answer == "big.txt:2:abab\n[1 line is too long for this pattern and not searched: make it shorter]"


def test_the_deadline_ends_a_search(base):
    chance = Random(1)  # noqa: S311 - so that an automaton has few states twice
    (base / "big.txt").write_text("\n".join("".join(chance.choices("ab", k=20_000)) for _ in range(100)))
    answer = CodeSearch(base, timeout=0.05).run({"pattern": "(a|b)*a(a|b){300}c"}).text
    assert answer.endswith("[stopped after 0.05 seconds: choose a smaller folder as path]")


def test_a_file_swapped_for_a_link_never_leaks(base, tmp_path, swapping_file, tries):
    (base / "src" / "prize.txt").write_text("harmless")
    tool = CodeSearch(base)
    with swapping_file(base / "src" / "prize.txt", tmp_path / "secret" / "s.py"):
        answers = [tool.run({"pattern": "SECRET|harmless", "path": "src"}).text for _ in range(tries(3_000))]
    leaks = sum("prize.txt:1:token" in answer for answer in answers)
    reads = sum("prize.txt:1:harmless" in answer for answer in answers)
    print(f"\ncode_search: {leaks} leaks in {len(answers)} tries, {reads} of them reads")  # noqa: T201
    assert leaks == 0
    assert reads > 0


def test_programs_get_the_matches_themselves(base):
    assert CodeSearch(base).run({"pattern": "two"}).structured == {
        "matches": [{"file": "src/b.py", "line": 5, "text": "def two():"}],
        "complete": True,
    }


def test_hints_and_schema(base):
    spec = CodeSearch(base).spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (True, False, True, False)
    assert spec.required == ("pattern",)
    assert list(spec.properties) == ["pattern", "path", "glob", "ignore_case", "context_lines"]
