"""The version of the program, which the build takes from the tags, and the versions of installed packages."""

try:
    # Written by the build; not in version control.
    from toolkit._version import __version__  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    __version__ = "0+unbuilt"

__all__ = ["__version__", "software_versions"]


def software_versions(*packages: str) -> dict[str, str]:
    """Return the versions of this program, of Python and of installed packages, by name."""
    from importlib.metadata import version  # most runs do not need it
    from platform import python_version

    found = {"toolkit": __version__, "python": python_version()}
    return found | {package: version(package) for package in packages}
