"""Releases: which one this is, as the build found it in the tags."""

try:
    # A build writes it; it is in no checkout.
    from toolkit._version import __version__  # type: ignore[import-not-found,unused-ignore]
except ModuleNotFoundError:
    __version__ = "0+unbuilt"

__all__ = ["__version__"]
