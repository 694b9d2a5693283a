"""Cache folders: where `toolkit lint` keeps what it found."""

import os
from pathlib import Path
from typing import Final

_NAME: Final = ".toolkit_cache"
_VARIABLE: Final = "TOOLKIT_CACHE_DIR"


def cache_folder(directory: Path) -> Path:
    """Return the folder for a project, whose settings are in a directory; the environment may name another one."""
    return _named() or directory / _NAME


def may_be_known() -> bool:
    """Return whether something is kept for the working directory or one that it is in, or whether nobody can tell."""
    try:
        here = Path.cwd()
        folders = [named] if (named := _named()) else [folder / _NAME for folder in (here, *here.parents)]
        return any(folder.exists() for folder in folders)
    except OSError:  # it is gone, or may not be looked into
        return True


def _named() -> Path | None:
    named = os.environ.get(_VARIABLE)
    return Path(named) if named else None
