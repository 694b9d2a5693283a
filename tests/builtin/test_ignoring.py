"""What `.gitignore` files leave out is what git leaves out, and path patterns mean one thing in linear time."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin import Glob
from toolkit.builtin.files.listing import MalformedPatternError, compile_glob  # private

NAMES = ["a", "b", "ab", "a.b", "b.a", "#a", "!b", " ", "a ", "x[1]", "-z", "a\\b", "A", "1", "b b"]
PARTS = [
    "a", "b", ".", "*", "/", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[!]a]", "[[:alpha:]]", "[[:none:]]", "[a-]",
    "[z-a]", "[a", "[:", "\\", "\\ ", " ", "#", "!", "-", "1", "A", "/**/",
]  # fmt: skip
ENDS = ["", "", "", "/", "/**"]
STARTS = ["", "", "", "!", "/", "**/"]

lines = st.tuples(
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join),
    st.sampled_from(ENDS),
    st.sampled_from(["\n", "\n", "\r\n", "  \n"]),
).map("".join)
ignore_files = st.lists(lines, max_size=4).map("".join)
trees = st.recursive(
    st.just(None),
    lambda inner: st.tuples(st.dictionaries(st.sampled_from(NAMES), inner, max_size=4), ignore_files),
    max_leaves=12,
)


def plant(tree, folder):
    """Make the files and folders of a tree, with an ignore file in each folder."""
    content, ignored = tree
    folder.mkdir()
    (folder / ".gitignore").write_bytes(ignored.encode())
    for name, inner in content.items():
        if inner is None:
            (folder / name).touch()
        else:
            plant(inner, folder / name)


def files_by_git(folder):
    """Return the files that git would take, which it tells where nothing is known to it yet."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True, env=environment)
    command = ["git", "ls-files", "--others", "--exclude-per-directory=.gitignore", "-z"]
    listed = subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)
    return sorted(name for name in listed.stdout.decode().split("\0") if name)


def files_by_us(folder):
    return sorted(Glob(folder, max_results=10_000).run({"pattern": "**"}).structured["files"])


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@settings(max_examples=examples(120), deadline=None)
@given(trees.filter(lambda tree: tree is not None))
def test_the_same_files_are_left_out_as_by_git(tree):
    with TemporaryDirectory() as place:
        folder = Path(place, "tree")
        plant(tree, folder)
        assert files_by_us(folder) == files_by_git(folder)


def found(tmp_path, ignored, *names, path="."):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for folder, text in ignored.items():
        (tmp_path / folder / ".gitignore").write_text(text)
    listed = Glob(tmp_path).run({"pattern": "**", "path": path}).structured["files"]
    return [name for name in listed if not name.endswith(".gitignore")]


def test_a_folder_that_is_left_out_is_not_entered_again(tmp_path):
    ignored = {".": "build/\n!build/keep.txt\n"}
    assert found(tmp_path, ignored, "build/keep.txt", "main.py") == ["main.py"]


def test_the_innermost_file_decides(tmp_path):
    ignored = {".": "*.log\n", "logs": "!keep.log\n"}
    assert found(tmp_path, ignored, "a.log", "logs/keep.log", "logs/b.log") == ["logs/keep.log"]


def test_files_above_the_folder_count_too(tmp_path):
    ignored = {".": "*.log\n/src/old/\n"}
    assert found(tmp_path, ignored, "src/a.py", "src/a.log", "src/old/b.py", path="src") == ["src/a.py"]


def test_what_git_keeps_for_itself_is_left_out(tmp_path):
    assert found(tmp_path, {}, ".git/config", "sub/.git/HEAD", ".github/ci.yml") == [".github/ci.yml"]


def test_an_ignore_file_that_is_a_link_or_no_text_does_no_harm(tmp_path):
    (tmp_path / "rules").write_text("*\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / ".gitignore").symlink_to("../rules")
    (tmp_path / ".gitignore").write_bytes(b"\xff*\n\xffx\n")
    assert found(tmp_path, {}, "a", "deep/b") == ["a", "deep/b", "rules"]


# Patterns of glob


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("*.py", ["a.py", ".py"], ["src/a.py", "a.pyc"]),
        ("**/*.py", ["a.py", "src/a.py", "src/deep/a.py"], ["a.pyc"]),
        ("src/**", ["src/a", "src/b/c"], ["src", "a"]),
        ("src/**/a", ["src/a", "src/b/a", "src/b/c/a"], ["src/b/ca"]),
        ("**", ["a", "b/c"], []),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c"], ["a/c"]),
        ("?[!a-c]", ["xd", "日本"], ["xa", "x/"]),
        ("*.{py,md}", ["a.py", "b.md"], ["c.{py,md}"]),
        ("{a,b{c,d}}/x", ["a/x", "bc/x", "bd/x"], ["b/x"]),
        ("{a}", ["{a}"], ["a"]),
        ("a**b", ["ab", "axb"], ["a/b"]),
        ("[[:digit:]]", ["1"], ["a"]),
        (r"\*", ["*"], ["a"]),
        ("./a", ["a"], ["./a"]),
        ("-rf", ["-rf"], ["rf"]),
    ],
)
def test_a_pattern_matches_whole_paths(pattern, matching, other):
    compiled = compile_glob(pattern)
    assert [path for path in matching + other if compiled.match(path)] == matching


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[a", "'[' is not closed by ']'"),
        ("[[:x:]]", "there is no class '[:x:]'"),
        ("a\\", "a backslash at the end has nothing to escape"),
        ("/etc/*", "it must be relative to the folder and stay inside"),
        ("../*", "it must be relative to the folder and stay inside"),
        ("src/", "it matches folders; write 'src/**' for the files in them"),
        ("{a,b}" * 7, "its braces expand to more than 100 patterns"),
        ("a" * 1_001, "it has 1001 characters, at most 1000"),
    ],
)
def test_a_malformed_pattern_is_an_error(pattern, reason):
    with pytest.raises(MalformedPatternError) as caught:
        compile_glob(pattern)
    assert str(caught.value) == reason


@pytest.mark.parametrize("pattern", ["*a" * 200 + "b", "**/a/" * 60 + "b", "**/*a*/" * 60 + "b", "?*" * 200 + "b"])
def test_no_pattern_is_catastrophic(pattern):
    compiled = compile_glob(pattern)
    started = monotonic()
    assert not compiled.match("a" * 255)
    assert not compiled.match("a/" * 2_000 + "c")
    assert monotonic() - started < 20  # backtracking would take longer than the sun will shine
