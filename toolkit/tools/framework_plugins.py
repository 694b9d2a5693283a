"""Framework plugins: installed packages that know frameworks which this one does not.

Such a package names, as entry points of the group `toolkit.frameworks`, the packages that users of a framework import,
each with the package that holds what is known of it:

    [project.entry-points."toolkit.frameworks"]
    acme_agents = "toolkit_acme"

Nothing is imported to find them. Only what is installed into this Python counts, and not what lies in other folders
that modules are imported from: a project's folder may hold metadata that names anything.
"""

import os
import site
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

_HEADING: Final = "[toolkit.frameworks]"


@cache
def registered_frameworks() -> Mapping[str, str]:
    """Return the package that knows each framework of a plugin, by the package that users of it import."""
    found: dict[str, str] = {}
    for text in _entry_points():
        for package, home in _registered_in(text):
            found.setdefault(package, home)
    return found


def _entry_points() -> Iterator[str]:
    """Yield the entry points of installed packages that name frameworks; this runs at many starts."""
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
    """Yield what entry points name: the package that users import, and the one that knows the framework."""
    of_group = text.partition(_HEADING)[2].partition("\n[")[0]
    for line in of_group.splitlines():
        package, equals, home = (one.strip() for one in line.partition("="))
        if equals and all(one.isidentifier() for one in (*package.split("."), *home.split("."))):
            yield package, home
