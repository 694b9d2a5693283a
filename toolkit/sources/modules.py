"""Import users' Python files and modules from their source, and report any exception as a problem.

A file in a package is imported as part of the package. Any other file is imported as a top-level module, under its
natural name if that is free, otherwise under a unique one, so that files such as `yaml.py` or several `tools.py` do not
conflict with other modules.
"""

import importlib
import os
import sys
import time
import warnings
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING
from zlib import crc32

from toolkit.codes import NOT_FOUND
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.source_code.module_files import PACKAGE, PYTHON, place_in_package, source_of_module
from toolkit.source_imports import import_source, use_source_in
from toolkit.sources.targets import FilesTarget, NameTarget, parse_target
from toolkit.tools.base import problems_deferred

if TYPE_CHECKING:
    from toolkit.sources.import_permissions import ImportPermission


_OURS = frozenset({"toolkit", "toolkit_cli"})
"""Our own packages, which are never treated as users' modules, even in a checkout of this project."""
_imported: dict[str, ModuleType] = {}
"""The users' modules that were imported in this process, by the real paths of their files."""
_folders: set[str] = set()
"""The folders that users' modules were imported from."""
_settled: dict[str, int] = {}
"""Modification times of folders that were listed long enough after that time to be complete."""
_listed: dict[str, tuple[int, frozenset[str]]] = {}
"""The names of modules in such folders, with these times."""
_at_home: dict[str, set[str]] = {}
"""The names of loaded modules that come from a folder of a user, by folder."""
_YOUNG = 2_000_000_000
"""Nanoseconds after a change within which another change may not update the modification time of a folder."""


def import_file(path: Path) -> ModuleType | list[Problem]:
    """Import a Python file, or return why it cannot be imported (`TK002`, `TK006`).

    A file that was imported before is not run again. `KeyboardInterrupt` is not caught.
    """
    file = os.path.realpath(path)
    root, names = place_in_package(file)
    if file in _imported:
        return _imported[file]
    try:
        _unload_namesakes(root)
        with problems_deferred():
            _imported[file] = _import_from(root, names, file)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' code may raise anything, SystemExit too
        return _problems_of(error, root, path.name, Location(str(path)))
    return _imported[file]


def source_of(name: str, base: Path) -> str | None:
    """Return the file that importing a module would run, searching the folder `base` first.

    No code is run to find it. Returns `None` if there is no such file, or the module belongs to our packages.
    """
    top = name.partition(".")[0]
    if top in _OURS:
        return None
    own = [] if top in sys.stdlib_module_names else [os.path.realpath(base)]
    file = source_of_module(name, [*own, *sys.path])
    return None if file is None else os.path.realpath(file)


def import_named(name: str, base: Path, *, is_permitted: bool) -> ModuleType | list[Problem] | None:
    """Import a module by its name, or return `None` if there is no such module.

    Args:
        name: The name of the module.
        base: The folder to search first.
        is_permitted: Whether its code can be run. If not, only a module that is already imported is returned.
    """
    if name in sys.modules:
        return sys.modules[name]
    root = os.path.realpath(base)
    if not is_permitted:
        return _hidden_by_our_package(name, root)
    try:
        with _first_on_the_path(root):
            if not _exists(name):
                return _hidden_by_our_package(name, root)
            with problems_deferred():
                return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' code may raise anything, SystemExit too
        return _problems_of(error, root, name, None)


def is_ours(top: str) -> bool:
    """Return whether a top-level package is one of ours."""
    return top in _OURS


def users_modules() -> dict[str, ModuleType]:
    """Return the users' modules that are imported in this process, by name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name == "__main__" or name.partition(".")[0] in _OURS:
            continue
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not _folders.isdisjoint(_roots_of(name, os.path.realpath(file))):
            found[name] = module
    return found


def _roots_of(name: str, file: str) -> Iterator[str]:
    """Yield the folders from which a module may have been imported, in packages with an `__init__.py` or without."""
    yield _root_of(file)
    above = name.count(".") + (os.path.basename(file) == PACKAGE)
    yield str(Path(file).parents[above]) if above < len(Path(file).parents) else ""


def _folders_without_code(modules: Mapping[str, ModuleType]) -> dict[str, ModuleType]:
    """Return the packages without `__init__.py` that these modules are in; they keep their modules as attributes."""
    names = {".".join(name.split(".")[:length]) for name in modules for length in range(1, name.count(".") + 1)}
    return {name: sys.modules[name] for name in names - modules.keys() if name in sys.modules}


@contextmanager
def imported_afresh() -> Iterator[None]:
    """Within this context, import users' modules again; if it raises, restore the previous modules."""
    before, files = users_modules(), dict(_imported)
    before |= _folders_without_code(before)
    for name in before:
        del sys.modules[name]
    _imported.clear()
    _at_home.clear()
    _real_root_of.cache_clear()
    importlib.invalidate_caches()
    try:
        yield
    except BaseException:
        imported = users_modules()
        for name in imported | _folders_without_code(imported):
            del sys.modules[name]
        sys.modules.update(before)
        _at_home.clear()
        _imported.clear()
        _imported.update(files)
        raise


@contextmanager
def collected_warnings() -> Iterator[dict[str, None]]:
    """Within this context, collect Python's warnings instead of showing them; yield them, in order, as keys."""
    found: dict[str, None] = {}

    def collect(message: object, category: type, filename: str, lineno: int, *_: object, **__: object) -> None:
        found[f"{filename}:{lineno}: {category.__name__}: {message}"] = None

    before, warnings.showwarning = warnings.showwarning, collect  # the filters, which modules may change, stay
    try:
        yield found
    finally:
        if warnings.showwarning is collect:
            warnings.showwarning = before


def _import_from(root: str, names: list[str], file: str) -> ModuleType:
    """Import a file under its natural name if that is free, otherwise under a unique one."""
    top, *below = names
    is_package = bool(below) or os.path.basename(file) == PACKAGE
    start = os.path.join(root, top, PACKAGE) if is_package else file
    is_free = _is_free(top, root, start)
    name = top if is_free else f"{_identifier(top)}_{crc32(start.encode()):08x}"
    with _first_on_the_path(root):
        if not is_free and name not in sys.modules:
            import_source(name, start, [os.path.dirname(start)] if is_package else None)
        return importlib.import_module(".".join([name, *below]))


def _is_free(name: str, root: str, start: str) -> bool:
    """Whether `import` with this name would find this file, and no other loaded or installed module."""
    if not name.isidentifier():
        return False
    if name in sys.modules:
        return _is_at(sys.modules[name], start)
    if not start.endswith(PACKAGE) and os.path.isdir(os.path.join(root, name)):
        return False  # an import of that name finds the folder instead
    spec = find_spec(name)
    return spec is None or spec.origin is None or os.path.realpath(spec.origin) == start


def _is_at(module: ModuleType, file: str) -> bool:
    known = getattr(module, "__file__", None)
    return isinstance(known, str) and os.path.realpath(known) == file


def _exists(name: str) -> bool:
    try:
        return name in sys.modules or find_spec(name) is not None
    except ModuleNotFoundError as error:
        # A parent package is missing or not a package; any other error comes from the packages themselves.
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            return False
        raise
    except ValueError:  # a module without a spec, such as `__main__`
        return name in sys.modules


def _identifier(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name)


class _StandardLibraryFirst:
    """Finds standard library modules without searching users' folders, where a file could have the same name."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG004
        if path is not None or name not in sys.stdlib_module_names:
            return None
        return PathFinder.find_spec(name, [entry for entry in sys.path if entry not in _folders])


@contextmanager
def _first_on_the_path(folder: str) -> Iterator[None]:
    """Put a folder first on `sys.path` while a user's module is imported, and last afterwards."""
    _refresh_listing(folder)
    _folders.add(folder)
    use_source_in(folder)
    before, guard = list(sys.path), _StandardLibraryFirst()
    sys.path.insert(0, folder)
    sys.meta_path.insert(0, guard)
    try:
        yield
    finally:
        if guard in sys.meta_path:
            sys.meta_path.remove(guard)
        if folder in sys.path:
            sys.path.remove(folder)
        sys.path.extend(entry for entry in [*before, folder] if entry not in sys.path)


def _refresh_listing(folder: str) -> None:
    """Drop Python's cached listing of a folder, unless it is certain to be complete.

    Python lists a folder again when its modification time has changed, but two changes in quick succession may leave
    the same time.
    """
    changed = _changed_at(folder)
    if changed is not None and _settled.get(folder) == changed:
        return
    sys.path_importer_cache.pop(folder, None)
    if changed is not None and _is_complete(changed):
        _settled[folder] = changed


def _is_complete(changed: int) -> bool:
    """Return whether a listing made now has everything that a folder with this modification time contains."""
    return time.time_ns() - changed > _YOUNG


def _changed_at(folder: str) -> int | None:
    try:
        return os.stat(folder).st_mtime_ns  # Path objects are slow for thousands of files
    except OSError:
        return None


def _unload_namesakes(folder: str) -> None:
    """Remove modules from `sys.modules` that come from another folder of a user and have a name used in this one."""
    others = _folders - {folder}
    if not others:
        return
    at_home = _at_home.setdefault(folder, set())
    for name in (_neighbours(folder) & sys.modules.keys()) - at_home - _OURS:
        if not _is_from(name, others):
            if _is_from(name, {folder}):
                at_home.add(name)
            continue
        for names in _at_home.values():
            names.discard(name)
        for module in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[module]


def _is_from(name: str, folders: Container[str]) -> bool:
    """Whether a module was imported from one of the folders; entries of `sys.modules` can be any object."""
    known = getattr(sys.modules.get(name), "__dict__", {})
    file, search = known.get("__file__"), known.get("__path__")
    if isinstance(file, str):
        return _real_root_of(file) in folders
    if search is None or file is not None or type(search).__name__ != "_NamespacePath":
        return False
    return any(os.path.dirname(os.path.realpath(one)) in folders for one in search)


@lru_cache(maxsize=8192)
def _real_root_of(file: str) -> str:
    return _root_of(os.path.realpath(file))


def _neighbours(folder: str) -> frozenset[str]:
    changed = _changed_at(folder)
    known = _listed.get(folder)
    if known is not None and known[0] == changed:
        return known[1]
    try:
        entries = [os.path.splitext(entry)[0] for entry in os.listdir(folder)]
    except OSError:
        return frozenset()
    names = frozenset(entry for entry in entries if "." not in entry)
    if changed is not None and _is_complete(changed):
        _listed[folder] = changed, names
    return names


def _root_of(file: str) -> str:
    return place_in_package(file)[0]


def _hidden_by_our_package(name: str, root: str) -> list[Problem] | None:
    from toolkit.sources.import_failures import hidden_module  # only needed to report problems

    return hidden_module(name, root, None)


def _problems_of(error: BaseException, root: str, module: str, file: Location | None) -> list[Problem]:
    from toolkit.sources.import_failures import import_problems  # only needed to report problems

    return import_problems(error, root, module, file)


_CLASS_FORMS = "write file.py:Class, or package.module:Class"


def find_class(
    text: str, base: Path, refused: Mapping[str, Problem], permission: "ImportPermission"
) -> type | list[Problem]:
    """Return the class that `file.py:Class` or `package.module:Class` refers to, or the problems.

    Args:
        text: The reference.
        base: The folder that relative paths start from.
        refused: The real paths of Python files that must not be imported, with the reasons.
        permission: Decides whether a file can be imported.
    """
    target = parse_target(text, base)
    module: ModuleType | list[Problem] | None = []
    match target:
        case Problem():
            return [target]
        case FilesTarget(paths=(path,), name=str(name), is_single=True) if path.suffix == PYTHON:
            if reason := refused.get(os.path.realpath(path)):
                return [reason]
            if (objections := permission.objections_to_class(path, name)) is not None:
                return [*objections]

            module = import_file(path)
        case NameTarget(name=str(name)):
            file = source_of(target.module, base)
            if file and (objections := permission.objections_to_class(Path(file), name)) is not None:
                return [*objections]
            module = import_named(target.module, base, is_permitted=file is not None)
        case _:
            return [Problem(NOT_FOUND, f"'{text}' names no class", hint=_CLASS_FORMS)]
    if module is None:
        return [Problem(NOT_FOUND, f"there is no module '{target.spelled.rpartition(':')[0]}'", hint=_CLASS_FORMS)]
    return module if isinstance(module, list) else _class_in(module, name, text)


def _class_in(module: ModuleType, name: str, text: str) -> type | list[Problem]:
    thing: object = module
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except Exception:  # noqa: BLE001 - users' modules may raise anything
            known = [known for known, value in vars(module).items() if isinstance(value, type)]
            hint = did_you_mean(name, known, otherwise=_CLASS_FORMS)
            return [Problem(NOT_FOUND, f"nothing is named '{name}' in '{text.rpartition(':')[0]}'", hint=hint)]
    return thing if isinstance(thing, type) else [Problem(NOT_FOUND, f"'{text}' is not a class", hint=_CLASS_FORMS)]
