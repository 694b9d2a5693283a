"""Shortens paths, finds the state folder, and reads files up to a size limit."""

import os
from errno import EFBIG, EINVAL
from pathlib import Path


def without_detours(path: Path) -> Path:
    """Remove every `folder/..` from a path, unless the result is another file, as it may be if `folder` is a link."""
    if ".." not in path.parts:
        return path
    plain = Path(os.path.normpath(path))
    try:
        return plain if plain.samefile(path) else path
    except OSError:
        return path


def state_folder() -> Path:
    """Return the folder for the program's data about this user, in `XDG_STATE_HOME` or `~/.local/state`."""
    named = os.environ.get("XDG_STATE_HOME", "")
    state = Path(named) if named.startswith(os.sep) else Path(os.environ.get("HOME") or os.sep) / ".local" / "state"
    return state / "toolkit"


def bounded_bytes(path: Path, *, most: int) -> bytes:
    """Return the contents of a file.

    Raises:
        OSError: If the file cannot be read or has more than `most` bytes, or if it is not a regular file, since reading
            a device or a pipe might never end.
    """
    if not path.is_file() and path.exists() and not path.is_dir():
        raise OSError(EINVAL, "it is not a regular file", str(path))
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise OSError(EFBIG, f"it is larger than {most:,} bytes", str(path))
    return data
