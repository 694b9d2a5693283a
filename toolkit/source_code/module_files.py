"""Find the source file of a module, and the module of a source file, without importing anything.

Not even the parent packages of a module are imported.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from toolkit.regular_files import Boundary, is_outermost

PYTHON = ".py"
PACKAGE = f"__init__{PYTHON}"
_MOST_FOLDERS = 16
_WORKSPACES = ("packages", "libs", "apps", "services")
"""What the folders of a repository are called that contain the packages of a workspace."""
_OWN_FINDERS = {"_frozen_importlib", "_frozen_importlib_external"}
"""Where the finders of Python itself are defined; the last one searches the folders of `sys.path`."""
_FOLDERS = ("site-packages", "dist-packages")


def source_of_module(name: str, folders: Iterable[str], tried: set[str] | None = None) -> str | None:
    """Return the Python file of a module, or `None` if it has none.

    Args:
        name: The dotted name of the module.
        folders: The folders to search for its top-level package.
        tried: Receives the path of every file that was looked for.
    """
    top, *below = name.split(".")
    if top in sys.builtin_module_names:
        return None
    file, inner = _find(top, folders, tried)
    if file is None and not inner:
        file, inner = _find_by_finders(top)
    for part in below:
        file, inner = _find(part, inner, tried)
    return file


def _find(part: str, folders: Iterable[str], tried: set[str] | None) -> tuple[str | None, list[str]]:
    """Return the file of one part of a name, and the folders to search for the next part."""
    namespace = []
    for folder in folders:
        package = os.path.join(folder, part)  # creating Path objects would take most of the time
        for file in (os.path.join(package, PACKAGE), f"{package}.py"):
            if tried is not None:
                tried.add(file)
            if os.path.isfile(file):
                return file, [package] if file.endswith(PACKAGE) else []
        if os.path.isdir(package):
            namespace.append(package)
    return None, namespace


def _find_by_finders(top: str) -> tuple[str | None, list[str]]:
    """Return the file and search folders of a package that other finders know, such as those of editable installs."""
    spec = None
    with suppress(ImportError, ValueError, AttributeError):
        found = (finder.find_spec(top, None) for finder in sys.meta_path if finder.__module__ not in _OWN_FINDERS)
        spec = next(filter(None, found), None)
    if spec is None or not spec.has_location or spec.origin is None or not spec.origin.endswith(".py"):
        return None, []
    return spec.origin, list(spec.submodule_search_locations or ())


def place_in_package(file: str) -> tuple[str, list[str]]:
    """Return the folder to import a file from, and the parts of its module name.

    A package does not extend beyond the root of its repository, its file system, or files of other users, because
    importing a file also runs its parent packages.
    """
    folder, base = os.path.split(file)
    names = [] if base == PACKAGE else [os.path.splitext(base)[0]]
    # Strings, because this runs at every start, and Path objects would take most of the time.
    while _is_package(folder):
        outer, package = os.path.split(folder)
        names.insert(0, package)
        if _ends_at(folder, file):
            return outer, names
        folder = outer
    return folder, names or [os.path.basename(folder)]


@cache
def project_folders(folder: str) -> tuple[str, ...]:
    """Return the other folders from which a project usually imports: its roots, and `src` in them.

    A root is a folder around this one with a `pyproject.toml`, or the root of the repository. The folders between them
    come next, since programs are started there, too. The other packages of the repository come last: the folders in its
    root, and in those of a workspace, that have a `pyproject.toml`.
    """
    around = [folder]
    while len(around) < _MOST_FOLDERS and not _is_repository(around[-1]) and around[-1] != os.path.dirname(around[-1]):
        around.append(os.path.dirname(around[-1]))
    is_whole = _is_repository(around[-1])
    roots = [one for one in around if _is_package_root(one) or _is_repository(one)]
    between = around if is_whole else around[: around.index(roots[-1])] if roots else []
    packages = _packages_in(around[-1]) if is_whole else ()
    found = [one for root in roots for one in (root, os.path.join(root, "src"))]
    found += [*between, *(one for root in packages for one in (root, os.path.join(root, "src")))]
    return tuple(one for one in dict.fromkeys(found) if one != folder and os.path.isdir(one))


def _is_repository(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, ".git"))


@cache
def _packages_in(repository: str) -> tuple[str, ...]:
    """Return the folders of the packages that a repository keeps beside each other."""
    places = [repository, *(os.path.join(repository, one) for one in _WORKSPACES)]
    inner = (os.path.join(place, one) for place in places if os.path.isdir(place) for one in sorted(os.listdir(place)))
    return tuple(one for one in inner if _is_package_root(one))


def _is_package_root(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "pyproject.toml"))


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, PACKAGE)) and os.path.basename(folder).isidentifier()


def _ends_at(folder: str, file: str) -> bool:
    """Return whether a folder is the outermost package of a file."""
    outer = os.path.dirname(folder)
    if not _is_package(outer):
        return False

    return is_outermost(Path(folder)) or not Boundary(Path(file)).believes(Path(outer, PACKAGE))


@cache
def _installed_places() -> tuple[str, ...]:
    own = os.path.dirname(os.path.dirname(__file__))
    folders = [*(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")), own]
    return tuple({os.path.join(os.path.realpath(folder), "") for folder in folders})


def is_installed(file: str) -> bool:
    """Return whether a file, given by its real path, is part of Python or an installed package, or not a file."""
    return file.startswith(("<", *_installed_places())) or any(
        f"{os.sep}{folder}{os.sep}" in file for folder in _FOLDERS
    )
