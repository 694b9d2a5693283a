"""Checks whether the installed version of a framework is supported."""

from typing import NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.problems import Problem
from toolkit.source_code.requirements import numbers_of


class Versions(NamedTuple):
    """The supported versions of a framework, for its `VERSIONS`.

    Attributes:
        distribution: The name of its package on PyPI.
        first: The first supported version, such as `(2, 14)`.
    """

    distribution: str
    first: tuple[int, ...]


def unsupported_version(versions: Versions) -> Problem | None:
    """Return the problem if the installed version is too old; newer versions are accepted."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        installed = version(versions.distribution)
    except PackageNotFoundError:
        return None
    if numbers_of(installed) >= versions.first:
        return None
    first = ".".join(map(str, versions.first))
    message = f"tools of {versions.distribution} {installed} cannot be used: the first supported version is {first}"
    return Problem(NOT_A_TOOL, message, hint=f"upgrade it: pip install '{versions.distribution}>={first}'")
