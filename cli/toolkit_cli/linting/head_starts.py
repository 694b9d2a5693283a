"""The cache folder of lint, the child process that starts early without a cache, and rarer garbage collection."""

import atexit
import gc
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Final

_NAME: Final = ".toolkit_cache"
_VARIABLE: Final = "TOOLKIT_CACHE_DIR"
_OBJECTS: Final = 100_000


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


_WITHOUT_CHILD: Final = frozenset(
    {"--static", "--python", "--stdin-filename", "--against", "--explain", "--help", "-h"}
)


def early_child(arguments: Sequence[str]) -> AbstractContextManager[object]:
    """Return a context in which the child process is already started, if these arguments will probably need it."""
    if not _will_open_files(arguments):
        return nullcontext()
    from toolkit.lint.engine.worker_processes import head_start  # it imports what starts processes

    return head_start()


def _will_open_files(arguments: Sequence[str]) -> bool:
    if any(word.partition("=")[0] in _WITHOUT_CHILD for word in arguments):
        return False
    return "--no-cache" in arguments or not may_be_known()


@cache
def collect_less() -> None:
    """Collect garbage less often, since most objects live until the process ends."""
    gc.set_threshold(_OBJECTS, 10, 10)
    atexit.register(gc.freeze)  # so that they are not traversed again at exit
