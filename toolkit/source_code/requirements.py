"""Finds out which versions of a package the project of a Python file, or the file itself, allows and uses."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolkit.problems import Location
from toolkit.regular_files import bounded_bytes
from toolkit.releases import numbers_of
from toolkit.source_code.python_sources import PythonSource

_PROJECT = "pyproject.toml"
_FILES = (_PROJECT, "requirements.txt")
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock")
_ENVIRONMENTS = (".venv", "venv")
_SCRIPT = re.compile(r"^# /// script$(.*?)^# ///$", re.MULTILINE | re.DOTALL)
_CONSTRAINTS = "constraints.txt"
_DEPENDENCIES = {
    "dependencies", "optional-dependencies", "dev-dependencies", "dependency-groups", "constraint-dependencies",
    "override-dependencies",
}  # fmt: skip
_MOST_FOLDERS = 12
_LARGEST = 1024 * 1024
_LARGEST_LOCK = 16 * 1024 * 1024


_Stamp = tuple[tuple[str, int, int], ...]


class Requirement(NamedTuple):
    """A requirement.

    Attributes:
        text: The requirement.
        file: The name of the file that contains it.
        place: Where it is.
        others: The packages that the file requires, each with its version if that is the only one allowed, with a bound
            such as `<3`, or empty.
    """

    text: str
    file: str
    place: Location
    others: Mapping[str, str] = {}


class Used(NamedTuple):
    """The version of a package that a project uses, as numbers and as text, and what shows it."""

    numbers: tuple[int, ...]
    text: str
    source: str


def version_used(module: PythonSource, package: str) -> Used | None:
    """Return the version of a package that the project of a file uses; None if nothing shows it.

    The lock file of a script and its dependencies come first; then the nearest lock file, the metadata of an
    environment in the project, the oldest version that the requirements allow, and the metadata of the current
    environment.
    """
    script = _SCRIPT.search(module.text)
    if script:
        path = Path(module.file)
        if found := _locked_in(_lock_of(path), package) or _oldest(script[0], path.name, package):
            return found
    return _version_above(Path(module.file).absolute().parent, package, _stamp_of(module.file))


def version_files(file: str) -> list[str]:
    """Return the files that `version_used` may read for a file in this project, including files that do not exist."""
    found = [str(_lock_of(Path(file).absolute()))]
    folder = Path(file).absolute().parent
    for parent in [folder, *folder.parents][:_MOST_FOLDERS]:
        found += [str(parent / name) for name in (*_LOCKS, *_FILES, _CONSTRAINTS)]
        if (parent / ".git").exists() or any((parent / name).exists() for name in (*_LOCKS, *_FILES)):
            break
    return found


def _stamp_of(file: str) -> _Stamp:
    """Return which of the files that show versions exist, and when they were changed."""
    found = []
    for one in version_files(file):
        with suppress(OSError):
            status = os.stat(one)  # noqa: PTH116 - asked for each tool, and creating Paths is slow
            found.append((one, status.st_mtime_ns, status.st_size))
    return tuple(found)


@cache
def _version_above(folder: Path, package: str, stamp: _Stamp) -> Used | None:
    for parent in [folder, *folder.parents][:_MOST_FOLDERS]:
        if found := _locked(parent, package) or _installed_in(parent, package):
            return found
        if (parent / ".git").exists():
            break
    for text, name in _requirement_files_above(folder, stamp):
        if found := _oldest(text, name, package):
            return found
    return _installed_here(package)


def _locked(folder: Path, package: str) -> Used | None:
    return next(filter(None, (_locked_in(folder / file, package) for file in _LOCKS)), None)


def _locked_in(file: Path, package: str) -> Used | None:
    try:
        text = bounded_bytes(file, most=_LARGEST_LOCK).decode("utf-8", "replace")
    except OSError:
        return None
    name = re.escape(package)
    pattern = (
        rf'"{name}":\s*\{{[^{{}}]*"version":\s*"==([^"]+)"'
        if file.name == "Pipfile.lock"
        else rf'^name = "{name}"\s*^version = "([^"]+)"'
    )
    matched = re.search(pattern, text, re.MULTILINE)
    return Used(numbers_of(matched[1]), matched[1], file.name) if matched else None


def _lock_of(script: Path) -> Path:
    """Return the lock file that uv keeps beside a script: `find.py.lock`."""
    return script.with_name(f"{script.name}.lock")


def _installed_in(folder: Path, package: str) -> Used | None:
    """Return the version in an environment inside a folder, by the names of its metadata folders."""
    for environment in _ENVIRONMENTS:
        for pattern in ("lib/python*/site-packages", "Lib/site-packages"):
            for found in (folder / environment).glob(f"{pattern}/{package.replace('-', '_')}-*.dist-info"):
                version = found.name.removesuffix(".dist-info").rpartition("-")[2]
                return Used(numbers_of(version), version, environment)
    return None


def _installed_here(package: str) -> Used | None:
    from importlib.metadata import PackageNotFoundError, version  # importing it takes long

    try:
        found = version(package)
    except PackageNotFoundError:
        return None
    return Used(numbers_of(found), found, "installed")


def _oldest(text: str, file: str, package: str) -> Used | None:
    """Return the oldest version that the requirements in a file allow."""
    bounds = [
        bound
        for requirement in _requirements(text, package)
        for bound in re.findall(r"(?:>=|==|~=)\s*(\d[\w.]*)", requirement)
    ]
    poetry = re.search(rf"""^{re.escape(package)}\s*=\s*[^\n]*["'][\^~>=]*\s*(\d[\w.]*)""", text, re.MULTILINE)
    bounds += [poetry[1]] if poetry else []
    oldest = min(bounds, key=numbers_of, default=None)
    return Used(numbers_of(oldest), oldest, file) if oldest else None


def is_locked_below(module: PythonSource, package: str, version: str) -> bool:
    """Return whether a lock file of the project has a version of a package that is older than the given one."""
    used = version_used(module, package)
    is_locked = used is not None and used.source in (*_LOCKS, _lock_of(Path(module.file)).name)
    return used is not None and is_locked and used.numbers < numbers_of(version)


def is_required_by(module: PythonSource, package: str) -> bool:
    """Return whether the nearest files with requirements above a file require a package, in any version."""
    found = _requirement_files_above(Path(module.file).parent, _stamp_of(module.file))
    poetry = re.compile(rf"^{re.escape(package)}\s*=", re.MULTILINE)
    return any(any(_requirements(text, package)) or poetry.search(text) for text, _ in found)


def unbounded_requirement(module: PythonSource, package: str) -> Requirement | None:
    """Return the requirement of a package without an upper bound; None if it has one, or if none is found.

    It is read from the script itself, or from the nearest `pyproject.toml` or `requirements.txt` above the file; a
    `constraints.txt` beside them may bound it, too.
    """
    script = _SCRIPT.search(module.text)
    texts = [(module.text[script.start() : script.end()], Path(module.file))] if script else []
    for text, path in [*texts, *_requirement_paths_above(Path(module.file).parent, _stamp_of(module.file))]:
        found = list(_requirements(text, package))
        if found:
            found += _requirements(_text_of(path.with_name(_CONSTRAINTS)), package)
            unbounded = [one for one in found if not re.search(r"<|==|~=|@", one)]
            is_open = bool(unbounded) and len(unbounded) == len(found)
            if not is_open:
                return None
            whole = module.text[: script.end()] if script and path == Path(module.file) else _text_of(path)
            place = _place_of(unbounded[0], package, path, whole)
            return Requirement(unbounded[0], path.name, place, _versions_in(text))
    return None


def _place_of(requirement: str, package: str, path: Path, text: str) -> Location:
    """Return where the text of a file has a requirement: as an entry of a list, a line, or a name in Poetry.

    The last place counts, since the keywords of a project come before its dependencies.
    """
    pattern = rf"""(?:^[ \t]*|["']){re.escape(requirement)}(?![\w.-]*\w)"""
    poetry = rf"""^[ \t]*["']?{re.escape(package)}["']?[ \t]*="""
    found = [*re.finditer(pattern, text, re.MULTILINE)] or [*re.finditer(poetry, text, re.MULTILINE)]
    line = text.count("\n", 0, found[-1].end()) + 1 if found else None
    return Location(str(path), line, 1 if line else None)


def _text_of(path: Path) -> str:
    try:
        return bounded_bytes(path, most=_LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""


def _versions_in(text: str) -> dict[str, str]:
    """Map the normalised names of the packages in lines such as `mcp-use>=1` to their pins, or to empty texts.

    A package with extras also counts as `package[extra]`. A bound such as `<3` stands for a pin.
    """
    named = r"""^[\s"'#]*([A-Za-z0-9][\w.-]*)\s*(?:\[([^\]\n]*)\]\s*)?"""
    pattern = named + r"""(?:={2,3}\s*([\w.+-]+)|([\[<>=!~@;,"'][^\n"'#;]*)|$)"""
    found: dict[str, str] = {}
    for name, extras, pin, others in re.findall(pattern, text, re.MULTILINE):
        version = pin or _bound_in(others)
        plain = re.sub(r"[-_.]+", "-", name).lower()
        found |= {plain: version, **{f"{plain}[{one.strip().lower()}]": version for one in extras.split(",") if one}}
    return found


def _bound_in(specifier: str) -> str:
    """Return the bound of a specifier: `<3` for `>=1,<3`, `<2.9` for `~=2.8.2`, `3` for `<=3`; empty without one."""
    if bound := re.search(r"<(=?)\s*([\w.+-]+)", specifier):
        return bound[2] if bound[1] else f"<{bound[2]}"
    compatible = re.match(r"~=\s*(?:(\d+(?:\.\d+)*)\.)?(\d+)\.\d+", specifier)
    if compatible is None:
        return ""
    return f"<{'.'.join([*filter(None, compatible.groups()[:1]), str(int(compatible[2]) + 1)])}"


def _requirements(text: str, package: str) -> Iterator[str]:
    pattern = rf"""(?:^[ \t]*|["'])({re.escape(package)}(?![\w.-])(?:\[[^\]\n]*\])?[^"'\n;#]*)"""
    for match in re.finditer(pattern, text, re.MULTILINE | re.IGNORECASE):
        rest = match[1][len(package) :].strip()
        if rest != "=" and (not rest or rest[0] in "[<>=!~@"):
            yield match[1].strip()


def _requirement_files_above(folder: Path, stamp: _Stamp) -> list[tuple[str, str]]:
    """Return the contents and names of the nearest files with requirements, the nearest first."""
    return [(text, path.name) for text, path in _requirement_paths_above(folder, stamp)]


@cache
def _requirement_paths_above(folder: Path, _stamp: _Stamp) -> tuple[tuple[str, Path], ...]:
    found = []
    for parent in [folder.absolute(), *folder.absolute().parents][:_MOST_FOLDERS]:
        for name in _FILES:
            try:
                text = bounded_bytes(parent / name, most=_LARGEST).decode("utf-8")
                found.append((_dependencies_in(text) if name == _PROJECT else text, parent / name))
            except (OSError, UnicodeDecodeError):
                continue
        if found or (parent / ".git").exists():
            break
    return tuple(found)


def oldest_python(file: str) -> tuple[int, ...] | None:
    """Return the oldest version of Python that the project of a file supports, such as `(3, 14)`, or `None`."""
    import tomllib  # few files cannot be read

    for parent in [*Path(file).absolute().parents][:_MOST_FOLDERS]:
        if (parent / _PROJECT).is_file():
            try:
                project = tomllib.loads(_text_of(parent / _PROJECT)).get("project")
            except tomllib.TOMLDecodeError:
                return None
            bound = project.get("requires-python") if isinstance(project, dict) else None
            found = re.search(r">=?\s*(\d+(?:\.\d+)*)", bound) if isinstance(bound, str) else None
            return tuple(map(int, found[1].split("."))) if found else None
    return None


def _dependencies_in(text: str) -> str:
    """Return the requirements of a `pyproject.toml`, one per line, without its other lists, such as `keywords`."""
    import tomllib  # few checks need the versions of packages

    try:
        return "\n".join(_required_by(tomllib.loads(text)))
    except tomllib.TOMLDecodeError:
        return text


def _required_by(table: Mapping[str, object], *, is_within: bool = False) -> Iterator[str]:
    for key, value in table.items():
        match value:
            case {"version": str() as version} if is_within:
                yield _of_poetry(key, version)
            case dict():
                yield from _required_by(value, is_within=is_within or key in _DEPENDENCIES)
            case list() if is_within or key in _DEPENDENCIES:
                yield from (f'"{one.partition(";")[0]}"' for one in value if isinstance(one, str))
            case str() if is_within:
                yield _of_poetry(key, value)


def _of_poetry(package: str, version: str) -> str:
    """Return an entry of Poetry as a requirement, if other tools write it alike."""
    if version == "*":
        return f'"{package}"'
    return f'"{package}{version}"' if version[:1] in {"<", ">", "=", "!"} else f'{package} = "{version}"'
