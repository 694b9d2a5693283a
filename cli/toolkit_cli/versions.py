"""The version report for bug reports, which `toolkit --version --verbose` prints."""

import platform
import re
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires, version
from itertools import chain
from pathlib import Path

import toolkit
from toolkit.releases import __version__

_DISTRIBUTION = "toolkit-cli"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*?(?:extra == ['\"](?P<extra>[\w-]+)['\"])?$")
_NOT_FOR_USERS = frozenset({"all", "dev", "docs"})


def version_report() -> str:
    """Return the versions of toolkit, Python, the system and all dependencies, with one line per extra."""
    lines = {
        "toolkit": f"{__version__} ({Path(toolkit.__file__).parent})",
        "Python": f"{platform.python_version()} {platform.python_implementation()} ({sys.executable})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "encoding": f"{sys.stdout.encoding}, files {sys.getfilesystemencoding()}",
    }
    return "".join(f"{name:<13}  {text}\n" for name, text in chain(lines.items(), _dependency_lines()))


def _dependency_lines() -> Iterable[tuple[str, str]]:
    for extra, names in _dependencies().items():
        yield extra or "dependencies", ", ".join(f"{name} {_installed_version(name)}" for name in sorted(names))


def _dependencies() -> dict[str, set[str]]:
    """Return the required distributions by extra; those without an extra are under ''."""
    needed: dict[str, set[str]] = {"": set()}
    for requirement in _requirements():
        match = _REQUIREMENT.fullmatch(requirement)
        if match and match["name"] != _DISTRIBUTION and match["extra"] not in _NOT_FOR_USERS:
            needed.setdefault(match["extra"] or "", set()).add(match["name"])
    return needed


def _requirements() -> list[str]:
    try:
        return requires(_DISTRIBUTION) or []
    except PackageNotFoundError:  # a checkout on the path, not installed
        return []


def _installed_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "is not installed"
