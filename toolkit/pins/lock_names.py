"""Lock names: how the lockfile is called, for those that only look whether it is there or has changed."""

from typing import Final

LOCK_FILE: Final = "toolkit.lock"
