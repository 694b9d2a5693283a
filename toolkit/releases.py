"""The version of the program, which the build takes from the tags, and those of packages, with their order."""

try:
    # Written by the build; not in version control.
    from toolkit._version import __version__  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    __version__ = "0+unbuilt"

__all__ = ["__version__", "numbers_of", "software_versions"]


def software_versions(*packages: str) -> dict[str, str]:
    """Return the versions of this program, of Python and of installed packages, by name."""
    from importlib.metadata import version  # most runs do not need it
    from platform import python_version

    found = {"toolkit": __version__, "python": python_version()}
    return found | {package: version(package) for package in packages}


def numbers_of(text: str) -> tuple[int, ...]:
    """Return the numbers at the start of a version: `(2, 14)` for `2.14rc1`."""
    numbers = []
    for part in text.split("."):
        digits = part[: next((at for at, letter in enumerate(part) if not letter.isdigit()), len(part))]
        if not digits:
            break
        numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
