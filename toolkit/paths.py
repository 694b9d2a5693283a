"""Paths: as short as they can be said."""

import os
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
