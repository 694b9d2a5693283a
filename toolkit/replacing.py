"""Writes files atomically, and without overwriting unrelated ones."""

import errno
import os
from pathlib import Path
from shutil import copymode

from toolkit.leftovers import temporary

_NO_NEW_FILE_HERE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
"""Errors when a writable file cannot be replaced: its folder is not writable, or the file is itself a mount point."""
_EVERYBODY_MAY_READ, _OWNER_MAY_READ = 0o666, 0o600


def write_file(file: Path, content: bytes, *, is_private: bool = False) -> None:
    """Write a file, atomically where possible, so that readers never see only a part of it.

    Args:
        file: The file. Links are followed; a pipe or a device is written to directly.
        content: The new content.
        is_private: Whether a new file is readable only by its owner.

    Raises:
        OSError: If the file cannot be written; it is unchanged then.
    """
    if file.exists() and not file.is_file():
        file.write_bytes(content)
        return
    try:
        _replace(Path(os.path.realpath(file)), content, _OWNER_MAY_READ if is_private else _EVERYBODY_MAY_READ)
    except OSError as error:
        if error.errno not in _NO_NEW_FILE_HERE:
            raise
        file.write_bytes(content)


def overwrite_same_kind(file: Path, content: bytes, mark: str, kind: str, *, is_private: bool = False) -> None:
    """Write a file unless another kind of file is already there.

    The settings of a project could otherwise overwrite any file of its user, by its path or through a link.

    Args:
        file: The file.
        content: The new content.
        mark: A string that every file of this kind contains.
        kind: The name of this kind in messages, such as `a baseline`.
        is_private: Whether a new file is readable only by its owner.

    Raises:
        OSError: If another kind of file is there, or the file cannot be written.
    """
    if os.path.lexists(file):
        before = file.read_bytes() if file.is_file() else None
        if before is None or (before.strip() and mark.encode() not in before):
            raise FileExistsError(errno.EEXIST, f"it already exists and is not {kind}")
    write_file(file, content, is_private=is_private)


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
