"""Faces: the public names of a package, each loaded from its module when it is first used.

    if TYPE_CHECKING:
        from toolkit.runs.run import Run as Run
    else:
        __getattr__, __dir__, __all__ = face(__name__, {"run": "Run"})

Type checkers and editors read the first half, and programs run the second.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # a face is imported by everything, and `typing` would cost more than the rest of it
    from collections.abc import Callable, Mapping
    from typing import Any


def face(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the `__getattr__`, `__dir__` and `__all__` of a package whose names are loaded lazily.

    Args:
        package: The name of the package.
        homes: For each of its modules, by the name it has within the package, the public names in it.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        module = sys.modules[package]
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        from importlib import import_module  # noqa: PLC0415 - most programs import no face beside `toolkit`

        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(module, name, value)
        return value

    def names() -> list[str]:
        return sorted([*home_of, *(name for name in vars(sys.modules[package]) if name.startswith("__"))])

    return load, names, sorted(home_of)
