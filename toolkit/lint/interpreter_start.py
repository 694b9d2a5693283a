"""Interpreter start: what another Python runs first, so that it finds this package, and what this package needs.

It stands alone: nothing of ours can be imported before.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class Packages(MetaPathFinder):
    """Finds some packages, each in a folder, and nothing else that lies there."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """Find packages by their names; the values are the folders."""
        self._folders = folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a package is; None for any other module."""
        folder = self._folders.get(fullname) if path is None else None
        return None if folder is None else PathFinder.find_spec(fullname, [folder], target)


def main() -> None:
    """Do the work in the only argument, as `Interpreter.command` has written it."""
    wanted = json.loads(sys.argv.pop())
    sys.meta_path.insert(0, Packages({"toolkit": wanted["ours"]}))
    sys.meta_path.append(Packages(wanted["folders"]))
    import_module(f"toolkit.lint.{wanted['work']}").main()


if __name__ == "__main__":
    main()
