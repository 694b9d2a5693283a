"""Replacing: files that are written whole, in one go, and never in the place of somebody else's."""

import errno
import os
from pathlib import Path
from shutil import copymode

from toolkit.leftovers import temporary

_NO_NEW_FILE_HERE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}
"""Why a file that may be written cannot be replaced: its folder is somebody else's, or it is mounted by itself."""
_EVERYBODY_MAY_READ, _OWNER_MAY_READ = 0o666, 0o600


def put(file: Path, content: bytes, *, is_private: bool = False) -> None:
    """Put content into a file in one go where that can be, so that readers find all of it at any time.

    Args:
        file: The file; of a link the file that it leads to, and a pipe or a device is written to.
        content: All that it is to hold.
        is_private: Whether nobody but its owner may read it, where it was not there before.

    Raises:
        OSError: If it cannot be written; it is then as it was.
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


def put_over(file: Path, content: bytes, mark: str, kind: str, *, is_private: bool = False) -> None:
    """Put content where nothing is, or a file of the same kind; a project may name, or link to, any other of its user.

    Args:
        file: The file.
        content: All that it is to hold.
        mark: What every file of the kind has in it.
        kind: What such a file is called, as in `a baseline`.
        is_private: Whether nobody but its owner may read it, where it was not there before.

    Raises:
        OSError: If another file is there, or it cannot be written.
    """
    if os.path.lexists(file):
        before = file.read_bytes() if file.is_file() else None
        if before is None or (before.strip() and mark.encode() not in before):
            raise FileExistsError(errno.EEXIST, f"what is there is not {kind}")
    put(file, content, is_private=is_private)


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
