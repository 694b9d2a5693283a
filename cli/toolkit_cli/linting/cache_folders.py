"""The folder for the cache of `toolkit lint`."""

import os
from pathlib import Path
from typing import Final

_NAME: Final = ".toolkit_cache"
_VARIABLE: Final = "TOOLKIT_CACHE_DIR"


def cache_folder(directory: Path) -> Path:
    """Return the cache folder of a project, unless the environment sets another one.

    Args:
        directory: The folder with the project's settings.
    """
    return _named() or directory / _NAME


def may_be_known() -> bool:
    """Return whether there may be a cache for the working directory or one of its parents."""
    try:
        here = Path.cwd()
        folders = [named] if (named := _named()) else [folder / _NAME for folder in (here, *here.parents)]
        return any(folder.exists() for folder in folders)
    except OSError:  # removed, or not readable
        return True


def _named() -> Path | None:
    named = os.environ.get(_VARIABLE)
    return Path(os.path.realpath(named)) if named else None  # the user may have a link to it
