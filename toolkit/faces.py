"""Lets a package load each of its public names from its module on first use.

    if TYPE_CHECKING:
        from toolkit.runs.run import Run as Run
    else:
        __getattr__, __dir__, __all__ = face(__name__, {"run": "Run"})

Type checkers and editors read the first half; programs run the second.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # everything imports this module, and importing `typing` takes longer than the rest of it
    from collections.abc import Callable, Mapping
    from typing import Any


def face(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package whose names are loaded lazily.

    Args:
        package: The name of the package.
        homes: Maps each module, by its name within the package, to its public names, separated by spaces.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        module = sys.modules[package]
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        from importlib import import_module  # most programs import only the face `toolkit`

        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted([*home_of, *(name for name in vars(sys.modules[package]) if name.startswith("__"))])

    return load, names, sorted(home_of)
