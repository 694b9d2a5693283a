"""Writes files atomically, without overwriting unrelated ones, and never through a link that leads out of a project.

A cloned project can contain links under the names that the program writes, so that a file of its user would be changed.
"""

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import copymode

from toolkit.leftovers import temporary
from toolkit.regular_files import bounded_bytes
from toolkit.walking import DIRECTORY, NOFOLLOW, Entry, SandboxError, can_walk, walk

_NO_NEW_FILE_HERE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
"""Errors when a writable file cannot be replaced: its folder is not writable, or the file is itself a mount point."""
_EVERYBODY_MAY_READ, _OWNER_MAY_READ = 0o666, 0o600
_REPOSITORY = ".git"


def write_file(file: Path, content: bytes, *, is_private: bool = False) -> None:
    """Write a file that the user named, atomically where possible, so that readers never see only a part of it.

    Args:
        file: The file. Links are followed, but not out of a project; a pipe or a device is written to directly.
        content: The new content.
        is_private: Whether a new file is readable only by its owner.

    Raises:
        OSError: If the file cannot be written; it is unchanged then.
    """
    real = followed(file)
    if real.exists() and not real.is_file():
        real.write_bytes(content)
        return
    try:
        _replace(real, content, _OWNER_MAY_READ if is_private else _EVERYBODY_MAY_READ)
    except OSError as error:
        if error.errno not in _NO_NEW_FILE_HERE:
            raise
        real.write_bytes(content)


def write_beneath(folder: Path, file: Path, content: bytes, *, is_private: bool = False) -> None:
    """Write a file that the program or a project chose, atomically, following no link below a folder.

    Args:
        folder: The folder, whose own path may contain links.
        file: The file, inside the folder. Missing folders are created.
        content: The new content.
        is_private: Whether a new file is readable only by its owner.

    Raises:
        OSError: If the file is outside, is reached through a link, is not a regular file, or cannot be written.
    """
    base = folder.absolute()
    name = os.path.relpath(base / file, base)
    if not can_walk(os.supports_dir_fd):
        _refuse_links(base, base / name)
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(base / name, content, is_private=is_private)
        return
    try:
        with walk(base, name, create=True, follow=False) as entry:
            if entry.found is not None and not stat.S_ISREG(entry.found.st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", str(file))
            mode = _OWNER_MAY_READ if is_private else _EVERYBODY_MAY_READ
            replace_entry(entry, content, entry.found, lambda new: rename(new, entry), mode=mode, is_durable=False)
    except SandboxError as error:
        raise _outside(folder, file) from error


def write_cached(file: Path, content: bytes) -> None:
    """Write a file of a cache folder, which is made and left out of Git if it is new.

    Raises:
        OSError: If it cannot be written, or only through a link.
    """
    folder = file.parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    write_beneath(folder.parent, file, content)
    if not os.path.lexists(folder / ".gitignore"):
        write_beneath(folder.parent, folder / ".gitignore", b"*\n")


def remove_beneath(folder: Path, file: Path) -> None:
    """Remove a file in a folder, following no link below the folder.

    Raises:
        OSError: If the file is outside, is reached through a link, or cannot be removed.
    """
    base = folder.absolute()
    if not can_walk(os.supports_dir_fd):
        _refuse_links(base, base / file)
        (base / file).unlink()
        return
    try:
        with walk(base, os.path.relpath(base / file, base), follow=False) as entry:
            os.unlink(entry.name, dir_fd=entry.directory)
    except SandboxError as error:
        raise _outside(folder, file) from error


def overwrite_same_kind(
    file: Path, content: bytes, mark: str, kind: str, *, is_private: bool = False, beneath: Path | None = None
) -> None:
    """Write a file unless another kind of file is already there.

    A mistyped name could otherwise overwrite any file.

    Args:
        file: The file.
        content: The new content.
        mark: A string that every file of this kind contains.
        kind: The name of this kind in messages, such as `a baseline`.
        is_private: Whether a new file is readable only by its owner.
        beneath: The folder that must contain the file, if the user did not name it; no link below it is followed.

    Raises:
        OSError: If another kind of file is there, or the file cannot be written.
    """
    if os.path.lexists(file):
        before = bounded_bytes(file) if file.is_file() else None
        if before is None or (before.strip() and mark.encode() not in before):
            raise FileExistsError(errno.EEXIST, f"it already exists and is not {kind}")
    if beneath is None:
        write_file(file, content, is_private=is_private)
    else:
        write_beneath(beneath, file, content, is_private=is_private)


def text_diff(before: str, after: str, name: str) -> str:
    """Return the replacement of a file's text as a unified diff; `name` is the file name to show."""
    from difflib import unified_diff  # few commands show any

    lines = unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), name, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def followed(file: Path) -> Path:
    """Return the real path of a file that the user named, with its links resolved.

    Raises:
        OSError: If a link in a repository, or in the working directory, leads out of it: it may be the project's.
    """
    real = Path(os.path.realpath(file))
    for project in _projects_around(Path(os.path.abspath(file))):  # noqa: PTH100 - `..` is removed, and no link resolved
        if not real.is_relative_to(os.path.realpath(project)):
            reason = f"a link in '{project}' leads out of it, to '{real}'; name that file if you mean it"
            raise OSError(errno.ELOOP, reason, str(file))
    return real


def _projects_around(file: Path) -> list[Path]:
    """Return the repositories around a file, and the working directory unless the home directory is in it."""
    here, home = Path.cwd(), Path(os.environ.get("HOME") or os.sep)
    found = [folder for folder in file.parents if os.path.lexists(folder / _REPOSITORY)]
    return [*found, here] if here in file.parents and not home.is_relative_to(here) else found


def replace_entry(
    entry: Entry,
    content: bytes,
    before: os.stat_result | None,
    put_in_place: Callable[[str], None],
    *,
    mode: int = _EVERYBODY_MAY_READ,
    is_durable: bool = True,
) -> None:
    """Write a new file next to the end of a walk, and give it its name in one atomic step.

    Args:
        entry: The end of the walk.
        content: The new content.
        before: The status of the file to replace, whose permissions are kept.
        put_in_place: Gives the new file its name.
        mode: The permissions of a file that does not replace another one.
        is_durable: Whether the file must survive a power failure.
    """
    beside = f".toolkit-{os.urandom(8).hex()}.tmp"
    with temporary(_path_of(entry.directory) / beside):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NOFOLLOW
        file = os.open(beside, flags, mode if before is None else _OWNER_MAY_READ, dir_fd=entry.directory)
        try:
            with open(file, "wb") as stream:  # noqa: PTH123 - a number
                if before is not None:
                    _copy_permissions(file, before)
                stream.write(content)
                stream.flush()
                if is_durable:
                    os.fsync(file)
            put_in_place(beside)
        except BaseException:
            with suppress(OSError):
                os.unlink(beside, dir_fd=entry.directory)
            raise
        if is_durable:
            _sync_directory(entry.directory)


def rename(new: str, entry: Entry) -> None:
    """Give a file next to the end of a walk its name; a file with this name is replaced."""
    os.rename(new, entry.name, src_dir_fd=entry.directory, dst_dir_fd=entry.directory)


def _refuse_links(base: Path, file: Path) -> None:
    """Refuse links below a folder, where the system cannot open files relative to a folder."""
    inner = [one for one in (file, *file.parents) if one.is_relative_to(base) and one != base]
    if not file.is_relative_to(base) or any(map(os.path.islink, inner)):
        raise _outside(base, file)


def _outside(folder: Path, file: Path) -> OSError:
    return OSError(errno.ELOOP, f"it leads out of '{folder}', or through a link", str(file))


def _replace(file: Path, content: bytes, mode: int) -> None:
    beside = file.with_name(f".{file.name}.{os.urandom(8).hex()}")
    with temporary(beside):
        try:
            with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:  # noqa: PTH123 - a number
                stream.write(content)
            if file.exists():
                copymode(file, beside)
            beside.replace(file)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def _path_of(directory: int) -> Path:
    """Return the path of an open directory if the system provides it, otherwise a path that is not a directory."""
    try:
        return Path(f"/proc/self/fd/{directory}").readlink()
    except OSError:
        return Path(os.devnull)


def _copy_permissions(file: int, before: os.stat_result) -> None:
    with suppress(OSError):  # a user who is not the owner can write the file, but cannot restore its owner
        os.fchown(file, before.st_uid, before.st_gid)
    os.fchmod(file, stat.S_IMODE(before.st_mode) & 0o777)


def _sync_directory(directory: int) -> None:
    """Sync a directory so that a new name survives a power failure, if the file system supports this."""
    with suppress(OSError):
        handle = os.open(".", os.O_RDONLY | DIRECTORY, dir_fd=directory)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
