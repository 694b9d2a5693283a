"""Tell the packages of a project from the frameworks whose names they have.

Projects often have a folder such as `agents`, which is also the name of a framework's package. The checkout of a
framework has its package, too; that one is the framework. So may be a copy in a package of a project.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.module_files import PYTHON, place_in_package
from toolkit.tools.foreign.frameworks import FRAMEWORKS, framework_of, support_for

_NAME = rb"""(?m)^\s*name\s*[=:]\s*["']([\w.-]+)["']"""
_METADATA = ("pyproject.toml", "setup.py")
_MOST_FOLDERS = 6
_OURS = "toolkit-cli"
_PARTS = ("", "-core", "-slim", "-ai")
"""What a distribution may add to the name of a framework's package."""


def shadowing(name: str, folders: Iterable[str]) -> str | None:
    """Return the first of these folders that has the top-level package of a known dotted name.

    It is `None` if that is the framework itself.
    """
    package = name.partition(".")[0]
    found = next((one for one in folders if _has_module(one, package)), None)
    is_framework = found is not None and _distribution_around(found) in _distributions_of(name)
    return None if is_framework else found


def names_in_frameworks(file: str, name: str) -> Iterator[str]:
    """Yield the dotted names that something in a file has if a folder around the file is the package of a framework."""
    folder, names = place_in_package(file)
    parts = [os.path.basename(folder), *names, name]  # noqa: PTH119 - `google` of `google.adk` is only a folder
    for at in range(len(names)):
        dotted = ".".join(parts[at:])
        if framework_of(dotted) is not None:
            yield dotted


def _has_module(folder: str, package: str) -> bool:
    path = os.path.join(folder, package)  # noqa: PTH118 - as in module_files
    return os.path.isdir(path) or os.path.isfile(f"{path}{PYTHON}")  # noqa: PTH112, PTH113


def _distributions_of(name: str) -> set[str | None]:
    """Return what the distributions of the framework that a dotted name belongs to may be called."""
    framework = framework_of(name)
    if framework is None or framework not in FRAMEWORKS:
        return {_OURS}
    versions = getattr(support_for(framework), "VERSIONS", None)
    of_packages: set[str] = {re.sub(r"[._]", "-", one) for one in FRAMEWORKS[framework].packages}
    if versions is not None:  # `agents` is the package of `openai-agents`, and any project may have such a name
        of_packages = {one for one in of_packages if not versions.distribution.endswith(f"-{one}")}
        of_packages.add(versions.distribution)
    return {f"{one}{part}" for one in of_packages for part in _PARTS}


def _distribution_around(folder: str) -> str | None:
    """Return the name in the nearest metadata of a project at a folder or above it, or `None`."""
    for _ in range(_MOST_FOLDERS):
        for name in _METADATA:
            with suppress(OSError):
                found = re.search(_NAME, bounded_bytes(os.path.join(folder, name)))  # noqa: PTH118
                if found is not None:
                    return re.sub(r"[._]", "-", found[1].decode(errors="replace")).lower()
        folder = os.path.dirname(folder)  # noqa: PTH120
    return None
