"""Paths: as short as possible."""

import os
from errno import EFBIG, EINVAL
from pathlib import Path


def without_detours(path: Path) -> Path:
    """Return a path without `folder/..` in it, where that leads to the same file; behind a link it may not."""
    if ".." not in path.parts:
        return path
    plain = Path(os.path.normpath(path))
    try:
        return plain if plain.samefile(path) else path
    except OSError:
        return path


def state_folder() -> Path:
    """Return where the program keeps what it remembers of this user: in `XDG_STATE_HOME`, or in `~/.local/state`."""
    named = os.environ.get("XDG_STATE_HOME", "")
    state = Path(named) if named.startswith(os.sep) else Path(os.environ.get("HOME") or os.sep) / ".local" / "state"
    return state / "toolkit"


def bounded_bytes(path: Path, *, most: int) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: If it cannot be read, holds more than `most` bytes, or is not a regular file, which may never end.
    """
    if not path.is_file() and path.exists() and not path.is_dir():
        raise OSError(EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(EFBIG, f"it is larger than {most:,} bytes", str(path))
    return data
