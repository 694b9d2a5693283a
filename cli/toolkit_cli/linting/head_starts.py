"""Starts the child process that imports files before the rest of `toolkit lint` is imported.

This saves time only if files will be imported: no results are cached, and no option makes lint only read them.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from toolkit_cli.linting.cache_folders import may_be_known

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
