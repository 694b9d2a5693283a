"""Head starts: the child process that imports files starts before `toolkit lint` itself is imported.

That is worth it where files will be opened: nothing is known of them yet, and no option only reads them.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Final

from toolkit_cli.linting.cache_folders import may_be_known

_WITHOUT_CHILD: Final = frozenset(
    {"--static", "--python", "--stdin-filename", "--against", "--explain", "--help", "-h"}
)


def early_child(arguments: Sequence[str]) -> AbstractContextManager[object]:
    """Return a block in which the child process has started already, if the arguments of `lint` let one expect it."""
    if not _will_open_files(arguments):
        return nullcontext()
    from toolkit.lint.worker_processes import head_start  # noqa: PLC0415 - it imports what starts processes

    return head_start()


def _will_open_files(arguments: Sequence[str]) -> bool:
    if any(word.partition("=")[0] in _WITHOUT_CHILD for word in arguments):
        return False
    return "--no-cache" in arguments or not may_be_known()
