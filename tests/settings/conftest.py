"""A project of its own for every test, as for the sources."""

from tests.sources.conftest import project

__all__ = ["project"]
