"""Versions: which versions of a framework can be used here, and the message for the others."""

from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.problems import Problem


class Versions(NamedTuple):
    """The versions of a framework whose objects are known, for the `VERSIONS` of its `objects`.

    Attributes:
        distribution: The name that pip installs it by.
        first: The first of them, such as `(2, 14)`.
    """

    distribution: str
    first: tuple[int, ...]


def unsupported_version(versions: Versions) -> Problem | None:
    """Return the problem that the installed version is older than those that are known; newer ones are tried."""
    try:
        installed = version(versions.distribution)
    except PackageNotFoundError:
        return None
    if numbers_of(installed) >= versions.first:
        return None
    first = ".".join(map(str, versions.first))
    message = f"tools of {versions.distribution} {installed} cannot be used: {first} is the first version that can"
    return Problem(NOT_A_TOOL, message, hint=f"upgrade it: pip install '{versions.distribution}>={first}'")


def numbers_of(text: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with: `(2, 14)` for `2.14rc1`."""
    numbers = []
    for part in text.split("."):
        digits = part[: next((at for at, letter in enumerate(part) if not letter.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
