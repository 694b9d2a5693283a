"""The first code that another Python runs, so that it finds this package and its dependencies.

It does not import anything from this package, which cannot be found yet.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class Packages(MetaPathFinder):
    """Finds some packages, each in its folder, and nothing else in these folders."""

    def __init__(self, folders: Mapping[str, str]) -> None:
        """Find packages by name; the values are their folders."""
        self._folders = folders

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the location of a package, or None for any other module."""
        folder = self._folders.get(fullname) if path is None else None
        return None if folder is None else PathFinder.find_spec(fullname, [folder], target)


def main() -> None:
    """Run the work in the only argument, as written by `Interpreter.command`."""
    wanted = json.loads(sys.argv.pop())
    sys.meta_path.insert(0, Packages({"toolkit": wanted["ours"]}))
    sys.meta_path.append(Packages(wanted["folders"]))
    import_module(f"toolkit.{wanted['work']}").main()


if __name__ == "__main__":
    main()
