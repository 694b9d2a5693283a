"""Shortens paths, and finds the state folder."""

import os
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
