"""Releases: which one this is, as the build found it in the tags."""

from importlib import import_module

try:
    __version__: str = import_module("toolkit._version").__version__  # a build writes it; it is in no checkout
except ModuleNotFoundError:
    __version__ = "0+unbuilt"

__all__ = ["__version__"]
