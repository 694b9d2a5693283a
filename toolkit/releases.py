"""Releases: which one this is, as the build found it in the tags, and which ones of others it runs with."""

try:
    # A build writes it; it is in no checkout.
    from toolkit._version import __version__  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    __version__ = "0+unbuilt"

__all__ = ["__version__", "software_versions"]


def software_versions(*packages: str) -> dict[str, str]:
    """Return the versions of this program, of Python, and of some installed packages, by their names."""
    from importlib.metadata import version  # noqa: PLC0415 - a single run needs none of it
    from platform import python_version  # noqa: PLC0415 - as above

    found = {"toolkit": __version__, "python": python_version()}
    return found | {package: version(package) for package in packages}
