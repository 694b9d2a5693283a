"""What a sandbox writes over a file that somebody was shown: all of it, or nothing if the file is another one by now."""

import os
from contextlib import suppress
from threading import Thread

import pytest

from toolkit import ConfigurationError
from toolkit.builtin.files.sandbox import (  # private
    Sandbox,
    SandboxError,
    _name_new,
    _read_all,
    missing_support,
    state_of,
)
from toolkit.walking import ConflictError, MissingError, OutsideError, UnfitError, walk  # private

MISSING, OLD, OTHER = state_of(None), state_of(b"old"), state_of(b"other")
CHANGED = "a/b.txt has changed since it was shown; nothing was written"


def held(folder):
    """Return what every file beneath a folder holds."""
    return {str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.parametrize(
    ("before", "expected", "replaced", "appended"),
    [
        (None, None, b"new", b"new"),
        (b"old", None, b"new", b"oldnew"),
        (None, MISSING, b"new", b"new"),
        (b"old", OLD, b"new", b"oldnew"),
        (b"", state_of(b""), b"new", b"new"),
        (b"old", OTHER, None, None),
        (b"old", MISSING, None, None),
        (None, OLD, None, None),
        (b"too large for it", state_of(b"too large for it"), None, None),
    ],
)
@pytest.mark.parametrize("way", ["replace", "append"])
def test_a_file_is_written_if_it_is_in_the_state_that_was_shown(tmp_path, way, before, expected, replaced, appended):
    (tmp_path / "a").mkdir()
    if before is not None:
        (tmp_path / "a/b.txt").write_bytes(before)
    write = getattr(Sandbox(tmp_path), way)
    after = replaced if way == "replace" else appended
    if after is None:
        with pytest.raises(ConflictError) as caught:
            write("a/b.txt", b"new", 10, expected=expected)
        assert str(caught.value) == CHANGED
        assert held(tmp_path) == ({} if before is None else {"a/b.txt": before})
    else:
        write("a/b.txt", b"new", 10, expected=expected)
        assert held(tmp_path) == {"a/b.txt": after}


@pytest.mark.parametrize("expected", [OLD, MISSING])
@pytest.mark.parametrize("way", ["replace", "append"])
def test_a_link_that_has_taken_the_place_of_a_file_is_not_followed(tmp_path, way, expected):
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_bytes(b"old")
    (tmp_path / "inside/a.txt").symlink_to("../secret.txt")
    with pytest.raises(SandboxError):
        getattr(Sandbox(tmp_path / "inside"), way)("a.txt", b"new", expected=expected)
    assert (tmp_path / "secret.txt").read_bytes() == b"old"
    assert (tmp_path / "inside/a.txt").is_symlink()


def test_nothing_that_has_arrived_in_the_meantime_loses_its_name(tmp_path):
    (tmp_path / "new").write_bytes(b"new")
    with walk(tmp_path, "a.txt") as entry:
        (tmp_path / "a.txt").write_bytes(b"arrived")
        with pytest.raises(FileExistsError):
            _name_new("new", entry)
    assert held(tmp_path) == {"a.txt": b"arrived", "new": b"new"}


def test_what_can_have_no_second_name_is_renamed(tmp_path):
    (tmp_path / "new").mkdir()  # as on a file system that has no hard links
    with walk(tmp_path, "a.txt") as entry:
        _name_new("new", entry)
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_gets_its_name_keeps_no_other(tmp_path):
    (tmp_path / "new").write_bytes(b"new")
    with walk(tmp_path, "a.txt") as entry:
        _name_new("new", entry)
    assert held(tmp_path) == {"a.txt": b"new"}


def test_nothing_is_appended_to_a_file_that_has_another_name(tmp_path):
    (tmp_path / "inside").mkdir()
    (tmp_path / "other.txt").write_bytes(b"old")
    os.link(tmp_path / "other.txt", tmp_path / "inside/a.txt")
    with pytest.raises(OutsideError) as caught:
        Sandbox(tmp_path / "inside").append("a.txt", b"new")
    assert str(caught.value) == ("Access denied: another name of this file may be outside the sandbox directory: a.txt")
    assert (tmp_path / "other.txt").read_bytes() == b"old"


def test_a_file_grows_to_its_limit_and_no_further(tmp_path):
    sandbox = Sandbox(tmp_path)
    sandbox.append("a.txt", b"12345", 10)
    sandbox.append("a.txt", b"67890", 10)
    with pytest.raises(UnfitError) as caught:
        sandbox.append("a.txt", b"x", 10)
    assert str(caught.value) == "File too large: 11 bytes, at most 10"
    assert (sandbox.read("a.txt", 10), sandbox.holds("a.txt", 10)) == (b"1234567890", True)
    for look in (sandbox.read, sandbox.holds):
        with pytest.raises(UnfitError) as caught:
            look("a.txt", 9)
        assert str(caught.value) == "File too large: 10 bytes, at most 9"


@pytest.mark.parametrize("limit", [100_000, 99_999])
def test_what_grows_while_it_is_read_is_read_to_its_end_and_to_its_limit(limit):
    reading, writing = os.pipe()  # it has no size, and gives less at a time than was written

    def write():
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as stream:
            stream.write(b"x" * 100_000)

    writer = Thread(target=write)
    writer.start()
    try:
        if limit == 100_000:
            assert _read_all(reading, limit) == b"x" * 100_000
        else:
            with pytest.raises(UnfitError, match=r"File too large: [0-9]+ bytes, at most 99999"):
                _read_all(reading, limit)
    finally:
        os.close(reading)
        writer.join()


def test_what_is_not_there_or_is_no_file_is_named(tmp_path):
    sandbox = Sandbox(tmp_path)
    (tmp_path / "folder").mkdir()
    assert [sandbox.holds(path) for path in ("none", "none/none")] == [False, False]
    for path in ("none", "none/none"):
        with pytest.raises(MissingError) as missing:
            sandbox.read(path)
        assert str(missing.value) == f"File not found: {path}"
    for look in (
        sandbox.read,
        sandbox.holds,
        lambda path: sandbox.replace(path, b""),
        lambda path: sandbox.append(path, b""),
    ):
        with pytest.raises(UnfitError) as unfit:
            look("folder")
        assert str(unfit.value) == "Not a regular file: folder"


def test_a_file_has_one_name_however_its_path_is_written(tmp_path):
    sandbox = Sandbox(tmp_path)
    assert [sandbox.name_of(path) for path in ("a/b.txt", "./a//b.txt", str(tmp_path / "a/b.txt"))] == ["a/b.txt"] * 3


def test_an_existing_file_keeps_its_permissions_and_no_more_of_them_than_files_have(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "a.txt").chmod(0o4710)
    Sandbox(tmp_path).replace("a.txt", b"new")
    assert (tmp_path / "a.txt").stat().st_mode & 0o7777 == 0o710


@pytest.mark.parametrize(("made", "why"), [(False, "does not exist"), (True, "is not a directory")])
def test_a_sandbox_needs_a_directory(tmp_path, made, why):
    if made:
        (tmp_path / "base").write_bytes(b"")
    with pytest.raises(ConfigurationError) as caught:
        Sandbox(tmp_path / "base")
    assert str(caught.value) == f"the base directory '{tmp_path / 'base'}' {why}"


def test_a_system_that_cannot_open_files_beneath_a_directory_gets_no_sandbox():
    words = (
        "this system cannot open files relative to a directory handle, so the file tools could not be confined to their "
        "directory; they need Linux, macOS or another Unix"
    )
    assert missing_support(os.supports_dir_fd) is None
    assert [missing_support(os.supports_dir_fd - {one}) for one in (os.open, os.rename, os.unlink)] == [words] * 3
