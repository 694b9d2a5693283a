"""The tool `file_read` reads what lies beneath its directory, and nothing else by any way."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from tests.peaks import PEAK, needs_peaks
from tests.processes import handles_below
from toolkit.builtin import FileRead
from toolkit.builtin.files.sandbox import missing_support  # private
from toolkit.errors import ConfigurationError

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = "Access denied: path is outside the sandbox directory"
LEADS_OUTSIDE = "Access denied: path resolves outside the sandbox directory"


@pytest.fixture
def base(tmp_path):
    """Return the directory of a tool, with a secret and a directory of nearly the same name beside it."""
    (tmp_path / "sand" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "sand-evil").mkdir()
    (tmp_path / "secret.txt").write_text("SECRET")
    (tmp_path / "sand-evil" / "secret.txt").write_text("SECRET")
    (tmp_path / "sand" / "note.txt").write_text("a note\n")
    (tmp_path / "sand" / "deep" / "er" / "well.txt").write_text("far down")
    return tmp_path / "sand"


def read(base, path):
    """Return what a model is sent."""
    return FileRead(base).run({"path": str(path)}).text


def ends_soon(work):
    """Do something in a thread that may hang, and return what it returned."""
    answers = []
    thread = Thread(target=lambda: answers.append(work()), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "it hangs"
    return answers[0]


def test_reads_a_file(base):
    assert read(base, "note.txt") == "a note\n"


@pytest.mark.parametrize(
    "path",
    [
        "deep/er/well.txt",
        " deep/er/well.txt ",
        "./deep//er/./well.txt",
        "deep/er/../er/well.txt",
        "no/../deep/er/well.txt",
    ],
)
def test_reads_by_any_spelling_that_stays_inside(base, path):
    assert read(base, path) == "far down"


def test_reads_by_an_absolute_path_inside(base):
    assert read(base, base / "note.txt") == "a note\n"
    assert read(base, f"{base}/deep/../note.txt") == "a note\n"


def test_reads_beneath_a_base_that_is_named_by_a_link(base, tmp_path):
    (tmp_path / "short").symlink_to(base)
    assert read(tmp_path / "short", "note.txt") == "a note\n"
    assert read(tmp_path / "short", tmp_path / "short" / "note.txt") == "a note\n"
    assert read(tmp_path / "short", base / "note.txt") == "a note\n"


def test_a_relative_base_is_where_the_tool_was_made(base, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tool = FileRead("sand")
    monkeypatch.chdir("/")
    assert tool.run({"path": "note.txt"}).output == "a note\n"


def test_keeps_every_character(base):
    content = "\ufeffÅ 日本 🙂\r\nno end"
    (base / "text.txt").write_bytes(content.encode())
    assert read(base, "text.txt") == content


def test_reads_a_name_of_any_script(base):
    (base / "Å 日本 🙂.txt").write_text("here")
    assert read(base, "Å 日本 🙂.txt") == "here"


@pytest.mark.parametrize("path", ["", "  ", "\n"])
def test_a_blank_path_is_refused(base, path):
    assert read(base, path) == "Error: File path must not be blank"


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret.txt",
        "deep/../../secret.txt",
        "../sand-evil/secret.txt",
        "../sand/../secret.txt",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/environ",
        "/",
        "note.txt\0.png",
        "\0",
        "\ud800",
    ],
)
def test_a_path_that_leaves_the_directory_is_refused(base, path):
    assert read(base, path) == f"Error: {OUTSIDE}"


def test_an_absolute_path_to_a_twin_is_refused(base):
    assert read(base, f"{base}-evil/secret.txt") == f"Error: {OUTSIDE}"
    assert read(base, f"{base}/../secret.txt") == f"Error: {OUTSIDE}"


@pytest.mark.parametrize(
    "path",
    [
        "\uff0e\uff0e/secret.txt",
        "\u2025/secret.txt",
        "..\u2215secret.txt",
        "..\uff0fsecret.txt",
        "%2e%2e/secret.txt",
        "..\\secret.txt",
        "~/x",
    ],
)
def test_look_alikes_are_names_like_any_other(base, path):
    assert read(base, path) == f"Error: File not found: {path}"


@pytest.mark.parametrize("path", ["nope.txt", "no/where.txt", "note.txt/more"])
def test_a_missing_file_is_named(base, path):
    result = FileRead(base).run({"path": path})
    assert (result.error, result.error_code) == (f"File not found: {path}", "not_found")


@pytest.mark.parametrize("path", [".", "deep", "deep/er/..", "deep/"])
def test_a_directory_is_no_file(base, path):
    assert read(base, path) == f"Error: Not a regular file: {path}"


# Lines


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ({"start_line": 2, "end_line": 3}, "two\r\nthree\n"),
        ({"start_line": 3}, "three\nfour"),
        ({"end_line": 1}, "one\n"),
        ({"start_line": 4, "end_line": 4}, "four"),
        ({"start_line": 3, "end_line": 400}, "three\nfour"),
        ({"start_line": None, "end_line": None}, "one\ntwo\r\nthree\nfour"),
        ({"start_line": 5}, "Error: start_line 5 is past the end: lines.txt has 4 lines"),
        (
            {"start_line": 0},
            "Error: start_line must be at least 1 and end_line at least start_line, not 0 and None",
        ),
        (
            {"start_line": 3, "end_line": 2},
            "Error: start_line must be at least 1 and end_line at least start_line, not 3 and 2",
        ),
        ({"end_line": 0}, "Error: start_line must be at least 1 and end_line at least start_line, not 1 and 0"),
    ],
)
def test_lines_are_read_as_they_are(base, lines, text):
    (base / "lines.txt").write_bytes(b"one\ntwo\r\nthree\nfour")
    assert FileRead(base).run({"path": "lines.txt", **lines}).text == text


def test_programs_are_told_which_lines_there_are(base):
    result = FileRead(base).run({"path": "note.txt", "start_line": 1, "end_line": 9})
    assert result.structured == {"start_line": 1, "end_line": 1, "lines": 1}


# Links


def test_links_that_stay_inside_are_followed(base):
    (base / "link.txt").symlink_to("note.txt")
    (base / "over").symlink_to("deep/er")
    (base / "deep" / "up.txt").symlink_to("../note.txt")
    (base / "absolute.txt").symlink_to(base / "deep" / "er" / "well.txt")
    (base / "chain").symlink_to("over/../up.txt")
    assert read(base, "link.txt") == "a note\n"
    assert read(base, "over/well.txt") == "far down"
    assert read(base, "deep/up.txt") == "a note\n"
    assert read(base, "absolute.txt") == "far down"
    assert read(base, "chain") == "a note\n"


@pytest.mark.parametrize(
    "target",
    [
        "../secret.txt",
        "/etc/passwd",
        "deep/../../secret.txt",
        "../sand/../secret.txt",
        "../nothing",
        "/proc/self/environ",
        "/dev/zero",
    ],
)
def test_a_link_that_leads_out_is_refused_whether_or_not_there_is_something(base, target):
    (base / "link").symlink_to(target)
    result = FileRead(base).run({"path": "link"})
    assert (result.error, result.error_code) == (LEADS_OUTSIDE, "access_denied")


def test_a_directory_link_that_leads_out_is_refused(base, tmp_path):
    (base / "out").symlink_to("..")
    (base / "twin").symlink_to(tmp_path / "sand-evil")
    for path in ("out/secret.txt", "out/nothing", "twin/secret.txt", "out/sand/note.txt"):
        assert read(base, path) == f"Error: {LEADS_OUTSIDE}"


def test_a_link_to_nothing_inside_is_a_missing_file(base):
    (base / "link").symlink_to("nothing")
    assert read(base, "link") == "Error: File not found: link"


def test_links_in_a_circle_end(base):
    (base / "a").symlink_to("b")
    (base / "b").symlink_to("a")
    (base / "self").symlink_to("self/self")
    assert read(base, "a") == "Error: Access denied: cannot resolve file path"
    assert read(base, "self") == "Error: Access denied: cannot resolve file path"


def test_the_links_of_the_process_file_system_are_not_followed():
    assert read("/proc/self", "root/etc/passwd") == f"Error: {LEADS_OUTSIDE}"
    assert read("/proc/self", "cwd/pyproject.toml") == f"Error: {LEADS_OUTSIDE}"


def test_very_deep_paths_end(base):
    assert read(base, "deep/" * 5_000 + "x").startswith("Error: ")
    assert read(base, "x" * 5_000) == "Error: Failed to read file: File name too long"


def test_a_hard_link_is_the_file_itself(base, tmp_path):
    os.link(tmp_path / "secret.txt", base / "hard.txt")
    assert read(base, "hard.txt") == "SECRET"  # documented: it cannot be told from a file that was always here


# What is not text


def test_a_fifo_without_a_writer_does_not_hang(base):
    os.mkfifo(base / "pipe")
    assert ends_soon(lambda: read(base, "pipe")) == "Error: Not a regular file: pipe"


def test_a_socket_is_no_file(base, monkeypatch):
    monkeypatch.chdir(base)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert read(base, "socket") == "Error: Not a regular file: socket"


@pytest.mark.parametrize("device", ["zero", "null", "random", "full"])
def test_a_device_is_not_opened(device):
    assert ends_soon(lambda: read("/dev", device)) == f"Error: Not a regular file: {device}"


def test_what_is_not_utf8_is_refused_with_the_place(base):
    (base / "binary").write_bytes(b"abc\xff\x00")
    assert read(base, "binary") == "Error: Failed to read file: binary is not UTF-8 text (byte 0xff at 3)"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read_is_named(base):
    (base / "note.txt").chmod(0)
    assert read(base, "note.txt") == "Error: Failed to read file: Permission denied"


def test_a_file_beyond_the_limit_is_refused(base):
    (base / "eleven").write_text("x" * 11)
    assert FileRead(base, max_bytes=10).run({"path": "eleven"}).text == "Error: File too large: 11 bytes, at most 10"
    assert FileRead(base, max_bytes=11).run({"path": "eleven"}).output == "x" * 11


def test_a_file_that_tells_no_size_is_read_up_to_the_limit():
    assert FileRead("/proc", max_bytes=10).run({"path": "version"}).text.startswith("Error: File too large: ")


@pytest.mark.proof
@needs_peaks
def test_a_huge_file_is_refused_without_memory(base):
    with (base / "huge").open("wb") as file:
        file.truncate(3 * 1024**3)
    program = (
        f"{PEAK}\n"
        "import sys\n"
        "from toolkit.builtin import FileRead\n"
        "tool = FileRead(sys.argv[1])\n"
        "tool.run({'path': 'none'})\n"
        "before = peak()\n"
        "print(tool.run({'path': 'huge'}).text)\n"
        "print((peak() - before) // 1024)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program, str(base)]
    finished = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    answer, grown = finished.stdout.splitlines()
    print(f"\na file of 3 GiB is refused within +{grown} MiB")  # noqa: T201
    assert answer == "Error: File too large: 3221225472 bytes, at most 10485760"
    assert int(grown) < 64


# Races


def read_often(base, path, tries):
    """Return how often a file was read, and how often what was read was secret."""
    tool = FileRead(base)
    answers = [tool.run({"path": path}).text for _ in range(tries)]
    leaks = sum("SECRET" in answer for answer in answers)
    reads = answers.count("harmless")
    print(f"\nfile_read: {leaks} leaks in {tries} tries, {reads} of them reads")  # noqa: T201
    return reads, leaks


def test_a_file_swapped_for_a_link_never_leaks(base, tmp_path, swapping_file, tries):
    (base / "deep" / "prize.txt").write_text("harmless")
    with swapping_file(base / "deep" / "prize.txt", tmp_path / "secret.txt"):
        reads, leaks = read_often(base, "deep/prize.txt", tries(10_000))
    assert leaks == 0
    assert reads > 0


def test_a_directory_swapped_for_a_link_never_leaks(base, tmp_path, swapping_directory, tries):
    (base / "room").mkdir()
    (base / "room" / "secret.txt").write_text("harmless")
    with swapping_directory(base / "room", tmp_path / "sand-evil"):
        reads, leaks = read_often(base, "room/secret.txt", tries(10_000))
    assert leaks == 0
    assert reads > 0


# Making one


def test_the_base_must_exist(tmp_path):
    with pytest.raises(ConfigurationError, match=r"^the base directory '.*/nowhere' does not exist$"):
        FileRead(tmp_path / "nowhere")


def test_the_base_must_be_a_directory(base):
    with pytest.raises(ConfigurationError, match=r"^the base directory '.*/note.txt' is not a directory$"):
        FileRead(base / "note.txt")


def test_a_system_that_could_not_keep_it_inside_is_refused():
    assert missing_support(os.supports_dir_fd) is None
    assert missing_support(os.supports_dir_fd - {os.readlink}) == (
        "this system cannot open files relative to a directory handle, so the file tools could not be confined to"
        " their directory; they need Linux, macOS or another Unix"
    )


def test_no_handle_stays_open(base):
    (base / "link").symlink_to("../secret.txt")
    for path in ("note.txt", "link", "nope", "deep", "deep/er/well.txt", "note.txt/x", "../x"):
        read(base, path)
    assert handles_below(base.parent) == []


def test_hints_and_schema(base):
    spec = FileRead(base).spec
    assert (spec.read_only, spec.destructive, spec.open_world, spec.requires_approval) == (True, False, False, False)
    assert spec.required == ("path",)
    assert spec.properties["path"]["description"] == "Relative file path within the sandbox directory"
