"""Finds installed packages that add support for other frameworks.

Such a package declares entry points in the group `toolkit.frameworks`. Each maps a package that users of the framework
import to the package that supports it:

    [project.entry-points."toolkit.frameworks"]
    acme_agents = "toolkit_acme"

Nothing is imported to find them. Only packages that are installed for this Python interpreter count, not those in other
folders of the import path: the folder of a project could contain metadata with any entry point.
"""

import os
import site
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

_HEADING: Final = "[toolkit.frameworks]"


@cache
def registered_frameworks() -> Mapping[str, str]:
    """Map the packages that users of each framework import to the plugin package that supports it."""
    found: dict[str, str] = {}
    for text in _entry_points():
        for package, home in _registered_in(text):
            found.setdefault(package, home)
    return found


def _entry_points() -> Iterator[str]:
    """Yield the `entry_points.txt` of each installed plugin; fast, since this runs at the start of many commands."""
    for folder in [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():  # noqa: PTH112, PTH208 - twice as fast
            if not name.endswith(("dist-info", "egg-info")):
                continue
            try:
                with open(f"{folder}/{name}/entry_points.txt", encoding="utf-8") as file:  # noqa: PTH123 - the same
                    text = file.read()
            except (OSError, UnicodeDecodeError):
                continue
            if _HEADING in text:
                yield text


def _registered_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of the package that users import and the package that supports the framework."""
    of_group = text.partition(_HEADING)[2].partition("\n[")[0]
    for line in of_group.splitlines():
        package, equals, home = (one.strip() for one in line.partition("="))
        if equals and all(one.isidentifier() for one in (*package.split("."), *home.split("."))):
            yield package, home
