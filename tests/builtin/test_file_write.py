"""The tool `file_write` writes beneath its directory, whole or not at all, and what was shown is what it writes."""

import os
import re
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit import Continue, Edit, Reject, ToolContext
from toolkit.approvals import ScriptedReviewer
from toolkit.builtin import FileWrite
from toolkit.builtin.files.editing import MAX_CHARACTERS, MAX_LINES, describe_change  # private
from toolkit.errors import ConfigurationError
from toolkit.events import FileChanged

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = "Access denied: path is outside the sandbox directory"
LEADS_OUTSIDE = "Access denied: path resolves outside the sandbox directory"


@pytest.fixture
def base(tmp_path):
    """Return the directory of a tool, with a victim and a directory of nearly the same name beside it."""
    (tmp_path / "sand" / "deep").mkdir(parents=True)
    (tmp_path / "sand-evil").mkdir()
    (tmp_path / "victim.txt").write_text("untouched")
    (tmp_path / "sand" / "note.txt").write_text("one\ntwo\nthree\n")
    return tmp_path / "sand"


@pytest.fixture
def untouched(tmp_path, base):
    """Fail if anything outside the directory has changed in the end."""
    yield
    outside = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if base not in path.parents}
    assert outside == {"sand", "sand-evil", "victim.txt"}
    assert (tmp_path / "victim.txt").read_text() == "untouched"


def write(base, path, content="new", **more):
    """Return what a model is sent."""
    return FileWrite(base).run({"path": str(path), "content": content, **more}).text


def names(directory):
    """Return the names of everything in a directory, hidden ones too."""
    return sorted(path.name for path in directory.iterdir())


def test_writes_a_new_file(base):
    assert write(base, " out.txt ", "Å 日本 🙂\r\nno end") == "Successfully wrote to: out.txt"
    assert (base / "out.txt").read_bytes() == "Å 日本 🙂\r\nno end".encode()


def test_replaces_a_file_whole(base):
    assert write(base, "note.txt", "") == "Successfully wrote to: note.txt"
    assert (base / "note.txt").read_bytes() == b""
    assert names(base) == ["deep", "note.txt"]


def test_creates_the_directories_it_needs(base):
    assert write(base, "a/b/../c/out.txt") == "Successfully wrote to: a/b/../c/out.txt"
    assert (base / "a" / "c" / "out.txt").read_text() == "new"
    assert names(base / "a") == ["c"]


def test_writes_by_an_absolute_path_inside(base):
    assert write(base, base / "deep" / "out.txt") == f"Successfully wrote to: {base}/deep/out.txt"
    assert (base / "deep" / "out.txt").read_text() == "new"


def test_adds_to_the_end(base):
    assert write(base, "note.txt", "four", append=True) == "Successfully wrote to: note.txt"
    assert (base / "note.txt").read_text() == "one\ntwo\nthree\nfour"


def test_adding_to_nothing_creates_the_file(base):
    write(base, "logs/new.log", "first\n", append=True)
    assert (base / "logs" / "new.log").read_text() == "first\n"


def test_those_that_add_at_once_lose_nothing(base):
    tool = FileWrite(base)
    lines = [f"{number:04} {'x' * 500}" for number in range(400)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda line: tool.run({"path": "log", "content": f"{line}\n", "append": True}), lines))
    assert sorted((base / "log").read_text().splitlines()) == lines


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_permissions(base, mode):
    (base / "note.txt").chmod(mode)
    write(base, "note.txt")
    assert stat.S_IMODE((base / "note.txt").stat().st_mode) == mode


def test_a_new_file_has_the_usual_permissions(base):
    write(base, "new.txt")
    (base / "usual.txt").write_text("")
    assert (base / "new.txt").stat().st_mode == (base / "usual.txt").stat().st_mode


# Refusals


@pytest.mark.parametrize("path", ["", " ", "\n"])
def test_a_blank_path_is_refused(base, path):
    assert write(base, path) == "Error: Path must not be blank"


@pytest.mark.parametrize("path", ["new/", "new/.", "new//"])
def test_a_path_that_names_a_directory_is_refused_before_anybody_is_asked(base, path):
    assert write(base, path) == f"Error: Path must be a file, but '{path}' is a directory"
    assert not (base / "new").exists()


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../victim.txt",
        "deep/../../victim.txt",
        "../sand-evil/x",
        "/etc/toolkit-x",
        "/",
        "x\0.txt",
        "\ud800",
        "new/../../x",
    ],
)
@pytest.mark.parametrize("append", [False, True])
@pytest.mark.usefixtures("untouched")
def test_a_path_that_leaves_the_directory_is_refused(base, path, append):
    assert write(base, path, append=append) == f"Error: {OUTSIDE}"
    assert names(base) == ["deep", "note.txt"]


@pytest.mark.parametrize(
    "target", ["../victim.txt", "../new.txt", "/etc/toolkit-x", "deep/../../new.txt", "..", "../sand-evil"]
)
@pytest.mark.parametrize("append", [False, True])
@pytest.mark.usefixtures("untouched")
def test_a_link_that_leads_out_is_refused(base, target, append):
    (base / "link").symlink_to(target)
    for path in ("link", "link/new.txt", "link/new/new.txt"):
        assert write(base, path, append=append) == f"Error: {LEADS_OUTSIDE}"
    assert (base / "link").is_symlink()


@pytest.mark.usefixtures("untouched")
def test_links_that_stay_inside_are_followed(base):
    (base / "link.txt").symlink_to("deep/../note.txt")
    (base / "hall").symlink_to("deep")
    (base / "dangling").symlink_to("deep/new/born.txt")
    assert write(base, "link.txt", "through") == "Successfully wrote to: link.txt"
    write(base, "hall/inner.txt", "inner")
    write(base, "dangling", "born")
    assert (base / "note.txt").read_text() == "through"
    assert (base / "link.txt").is_symlink()
    assert (base / "deep" / "inner.txt").read_text() == "inner"
    assert (base / "deep" / "new" / "born.txt").read_text() == "born"


@pytest.mark.usefixtures("untouched")
def test_a_hard_link_to_the_outside_changes_nothing_there(base, tmp_path):
    os.link(tmp_path / "victim.txt", base / "hard.txt")
    assert write(base, "hard.txt", "more", append=True) == (
        "Error: Access denied: another name of this file may be outside the sandbox directory: hard.txt"
    )
    assert write(base, "hard.txt", "replaced") == "Successfully wrote to: hard.txt"
    assert (base / "hard.txt").read_text() == "replaced"


@pytest.mark.parametrize("append", [False, True])
def test_what_is_no_file_is_not_replaced(base, append):
    os.mkfifo(base / "pipe")
    done = []
    thread = Thread(target=lambda: done.append(write(base, "pipe", append=append)), daemon=True)
    thread.start()
    thread.join(20)
    assert done == ["Error: Not a regular file: pipe"]
    assert write(base, "deep", append=append) == "Error: Not a regular file: deep"
    assert write(base, ".", append=append) == "Error: Not a regular file: ."
    assert write(base, "note.txt/x", append=append) == "Error: Not a directory: 'note.txt'"
    assert stat.S_ISFIFO((base / "pipe").stat().st_mode)


def test_text_that_utf8_cannot_hold_is_refused(base):
    result = FileWrite(base).run({"path": "out.txt", "content": "ab\ud800"})
    assert result.error == "content cannot be encoded as UTF-8 (lone surrogate at 2)"
    assert names(base) == ["deep", "note.txt"]


def test_the_limit_holds_for_what_is_written_and_what_is_there(base):
    tool = FileWrite(base, max_bytes=15)
    assert tool.run({"path": "out.txt", "content": "é" * 8}).error == "Content too large: 16 bytes, at most 15"
    assert (
        tool.run({"path": "note.txt", "content": "12", "append": True}).error == "File too large: 16 bytes, at most 15"
    )
    (base / "large").write_text("x" * 16)
    assert tool.run({"path": "large", "content": "x"}).error == "File too large: 16 bytes, at most 15"
    assert names(base) == ["deep", "large", "note.txt"]


def test_missing_arguments_are_all_named(base):
    assert FileWrite(base).run({}).error == "Missing required parameter(s): path, content"


# Whole or not at all


@pytest.mark.proof
def test_who_reads_meanwhile_sees_the_old_or_the_new(base):
    tool, done, seen = FileWrite(base), Event(), set()
    contents = ["a" * 100_000, "b" * 100_000]
    tool.run({"path": "big", "content": contents[0]})

    def watch():
        while not done.is_set():
            seen.add((base / "big").read_text())

    thread = Thread(target=watch)
    thread.start()
    for number in range(100):
        tool.run({"path": "big", "content": contents[number % 2]})
    done.set()
    thread.join()
    assert seen <= set(contents)
    assert names(base) == ["big", "deep", "note.txt"]


@pytest.mark.proof
def test_a_full_disk_leaves_the_old_file(base):
    program = (
        "import resource, signal, sys\n"
        "from toolkit.builtin import FileWrite\n"
        "tool = FileWrite(sys.argv[1])\n"
        "tool.spec\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "print(tool.run({'path': 'note.txt', 'content': 'x' * 5000}).text)\n"
    )
    command = [sys.executable, "-c", program, str(base)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    finished = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    assert finished.stdout == "Error: Failed to write file: File too large\n"
    assert (base / "note.txt").read_text() == "one\ntwo\nthree\n"
    assert names(base) == ["deep", "note.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everything")
def test_what_may_not_be_written_is_left_alone(base):
    (base / "note.txt").chmod(0o400)
    assert write(base, "note.txt") == "Error: Failed to write file: Permission denied"
    (base / "deep").chmod(0o500)
    assert write(base, "deep/x") == "Error: Failed to write file: Permission denied"


# Races


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("append", [False, True])
def test_a_file_swapped_for_a_link_is_never_written_through(base, tmp_path, swapping_file, tries, append):
    (base / "deep" / "prize.txt").write_text("harmless")
    tool = FileWrite(base)
    with swapping_file(base / "deep" / "prize.txt", tmp_path / "victim.txt"):
        arguments = {"path": "deep/prize.txt", "content": "evil", "append": append}
        written = sum(tool.run(arguments).succeeded for _ in range(tries(3_000)))
    changes = (tmp_path / "victim.txt").read_text() != "untouched"
    print(f"\nfile_write: {int(changes)} changes outside in {tries(3_000)} tries, {written} of them writes")  # noqa: T201
    assert written > 0


@pytest.mark.parametrize("append", [False, True])
def test_a_directory_swapped_for_a_link_is_never_written_into(base, tmp_path, swapping_directory, tries, append):
    (base / "room").mkdir()
    tool = FileWrite(base)
    with swapping_directory(base / "room", tmp_path / "sand-evil"):
        arguments = {"path": "room/new/file.txt", "content": "evil", "append": append}
        written = sum(tool.run(arguments).succeeded for _ in range(tries(3_000)))
    changes = len(names(tmp_path / "sand-evil"))
    print(f"\nfile_write: {changes} changes outside in {tries(3_000)} tries, {written} of them writes")  # noqa: T201
    assert changes == 0
    assert written > 0


# Approval


def reviewed(base, decision, **arguments):
    """Write under a reviewer; return the result and the questions."""
    reviewer = ScriptedReviewer([decision])
    result = FileWrite(base).run(arguments, ToolContext(reviewer=reviewer))
    return result, reviewer.requests


def test_the_question_shows_a_diff(base):
    result, [request] = reviewed(base, Continue(), path="note.txt", content="one\n2\nthree\n")
    assert request.preview == "--- note.txt\n+++ note.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three"
    assert request.arguments == {"path": "note.txt", "content": "one\n2\nthree\n", "append": False}
    assert result.output == "Successfully wrote to: note.txt"


def test_the_question_about_a_new_file_shows_all_of_it(base):
    _, [request] = reviewed(base, Continue(), path="new/a.txt", content="one\ntwo")
    assert request.preview == (
        "--- /dev/null\n+++ new/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file"
    )


def test_the_question_about_an_addition_shows_where_it_goes(base):
    _, [request] = reviewed(base, Continue(), path="note.txt", content="four\n", append=True)
    assert request.preview == "--- note.txt\n+++ note.txt\n@@ -1,3 +1,4 @@\n one\n two\n three\n+four"


def test_the_question_says_when_nothing_would_change_or_nothing_can_be_shown(base):
    (base / "binary").write_bytes(b"\xff\x00")
    assert (
        reviewed(base, Continue(), path="note.txt", content="one\ntwo\nthree\n")[1][0].preview
        == "note.txt stays as it is"
    )
    _, [request] = reviewed(base, Reject(), path="binary", content="x")
    assert request.preview == "Replaces binary, which contains 2 bytes that are not UTF-8 text"
    _, [request] = reviewed(base, Reject(), path="binary", content="x", append=True)
    assert request.preview == "Adds to binary, which contains 2 bytes that are not UTF-8 text"


def test_an_edit_is_what_is_written(base):
    edited = {"path": "other.txt", "content": "the reviewer's"}
    result, _ = reviewed(base, Edit(edited), path="note.txt", content="the model's")
    assert result.output == "Successfully wrote to: other.txt"
    assert (base / "other.txt").read_text() == "the reviewer's"
    assert (base / "note.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.usefixtures("untouched")
def test_an_edit_cannot_lead_out(base):
    result, _ = reviewed(base, Edit({"path": "../victim.txt", "content": "x"}), path="note.txt", content="x")
    assert result.error == f"The reviewer's edit is invalid: {OUTSIDE}"


def test_a_rejection_writes_nothing(base):
    result, _ = reviewed(base, Reject("not now"), path="note.txt", content="x")
    assert result.error == "Rejected by reviewer: not now"
    assert (base / "note.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("path", "message"), [(" ", "Path must not be blank"), ("../x", OUTSIDE), ("deep", "Not a regular file: deep")]
)
def test_nobody_is_asked_about_what_cannot_be(base, path, message):
    result, questions = reviewed(base, Continue(), path=path, content="x")
    assert (result.error, questions) == (message, [])


def test_asking_creates_nothing(base):
    reviewed(base, Reject(), path="new/dir/file.txt", content="x")
    assert names(base) == ["deep", "note.txt"]


def test_with_the_option_a_reviewer_is_needed(base):
    tool = FileWrite(base, requires_approval=True)
    with pytest.raises(ConfigurationError, match="tool 'file_write' requires approval, but there is no reviewer"):
        tool.run({"path": "note.txt", "content": "x"})
    assert (base / "note.txt").read_text() == "one\ntwo\nthree\n"


def test_hints_make_it_ask(base):
    spec = FileWrite(base).spec
    assert (spec.read_only, spec.destructive, spec.open_world, spec.requires_approval) == (False, True, False, False)
    assert spec.required == ("path", "content")


# Announcements


def announced(base, **arguments):
    """Write, and return the file changes that a listener was told."""
    events: list[object] = []
    FileWrite(base).run(arguments, ToolContext(listener=events.append))
    return [event for event in events if isinstance(event, FileChanged)]


def test_changes_are_announced(base):
    name = "file_write"
    assert announced(base, path="new.txt", content="a\nb") == [FileChanged(name, "new.txt", "created", 2, 0)]
    assert announced(base, path="note.txt", content="one\n2\n") == [FileChanged(name, "note.txt", "modified", 1, 2)]
    assert announced(base, path="new.txt", content="\nc\n", append=True) == [
        FileChanged(name, "new.txt", "modified", 2, 1)
    ]
    assert announced(base, path="empty", content="") == [FileChanged(name, "empty", "created", 0, 0)]


def test_what_failed_is_not_announced(base):
    assert announced(base, path="../x", content="x") == []


# Diffs


def applied(diff, old):
    """Return what a unified diff makes of a text."""
    before, after, at = re.findall(r"[^\n]*\n|[^\n]+", old), [], 0
    for line, open_end in re.findall(r"([^\n]*\n)(\\ No newline at end of file\n)?", f"{diff}\n")[2:]:
        if hunk := re.match(r"@@ -(\d+),?(\d*) ", line):
            start = int(hunk[1]) - (hunk[2] != "0")
            after += before[at:start]
            at = start
            continue
        text = line[1:-1] if open_end else line[1:]
        if line[0] in " -":
            assert before[at] == text
            at += 1
        if line[0] in " +":
            after.append(text)
    return "".join(after + before[at:])


texts = st.lists(st.sampled_from(["a", "b", "", "c\r", "d\u2028e"]), max_size=12).map("\n".join)


@settings(max_examples=examples(1_000), deadline=None)
@given(texts, texts)
def test_a_diff_tells_the_whole_change(old, new):
    diff = describe_change("file", old, new)
    if old == new:
        assert diff == "file stays as it is"
    else:
        assert applied(diff, old) == new


def test_a_change_between_many_lines_is_one_hunk():
    old = [f"line {number}\n" for number in range(5_000)]
    new = [*old[:4_000], "changed\n", *old[4_001:]]
    assert describe_change("file", "".join(old), "".join(new)) == (
        "--- file\n+++ file\n@@ -3998,7 +3998,7 @@\n"
        " line 3997\n line 3998\n line 3999\n-line 4000\n+changed\n line 4001\n line 4002\n line 4003"
    )


def test_a_long_diff_says_what_it_leaves_out():
    diff = describe_change("file", None, "x\n" * 3_000)
    assert diff.count("\n") == MAX_LINES
    assert diff.endswith("\n+x\n... 2003 more lines, 6009 more characters of this diff are not shown")
    diff = describe_change("file", None, "x" * 1_000_000)
    assert len(diff) < MAX_CHARACTERS + 200
    assert diff.splitlines()[-1].startswith("... 1 more lines, 900")
