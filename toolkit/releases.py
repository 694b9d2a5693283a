"""Releases: which one this is, as the build found it in the tags."""

try:
    from toolkit._version import __version__
except ModuleNotFoundError:  # a checkout that was never built
    __version__ = "0+unbuilt"

__all__ = ["__version__"]
