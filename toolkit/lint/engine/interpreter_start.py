"""The first code that another Python runs, so that it finds our packages and their dependencies.

It does not import anything from them, since they cannot be found yet.
"""

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import Distribution, DistributionFinder


class Packages(MetaPathFinder):
    """Finds some packages, each in its folder, and nothing else in these folders."""

    def __init__(self, folders: Mapping[str, str], distributions: Collection[str] = ()) -> None:
        """Find packages by name; the values are their folders. Find metadata of distributions in the same folders."""
        self._folders = folders
        self._distributions = distributions

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the location of a package, or None for any other module."""
        folder = self._folders.get(fullname) if path is None else None
        return None if folder is None else PathFinder.find_spec(fullname, [folder], target)

    def find_distributions(self, context: "DistributionFinder.Context") -> "Iterable[Distribution]":
        """Return the metadata of a distribution; without a name, those of all others are listed."""
        if context.name is None or context.name.lower() not in self._distributions:
            return ()
        from importlib.metadata import DistributionFinder, MetadataPathFinder  # few packages read their metadata

        places = [*dict.fromkeys(self._folders.values())]
        return MetadataPathFinder.find_distributions(DistributionFinder.Context(name=context.name, path=places))


def main() -> None:
    """Run the work in the first argument, as written by `Interpreter.command`; the rest are arguments of the work."""
    wanted = json.loads(sys.argv.pop(1))
    sys.meta_path.insert(0, Packages(wanted["ours"]))
    sys.meta_path.append(Packages(wanted["folders"], wanted["distributions"]))
    sys.exit(import_module(wanted["work"]).main())


if __name__ == "__main__":
    main()
