"""The name of the lockfile, for code that only checks whether it exists or has changed."""

from typing import Final

LOCK_FILE: Final = "toolkit.lock"
