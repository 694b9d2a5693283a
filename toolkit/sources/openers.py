"""Protocols of the objects that open targets, for the modules below `opening`."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from toolkit.problems import Problem
from toolkit.sources.collected import Collected
from toolkit.sources.configuration import Configuration
from toolkit.sources.import_permission import Chooser
from toolkit.sources.targets import Target

if TYPE_CHECKING:
    from toolkit.approvals.consents import Consents


class Finder(Protocol):
    """Finds tools by their names."""

    def find(self, path: str, /) -> Collected | None:
        """Return the tools with a name, or `None`."""


class GroupFinder(Finder, Protocol):
    """Finds the tools of configured groups."""

    def is_remote(self, name: str) -> bool:
        """Return whether opening a group would contact MCP servers."""


class OwnSources(Protocol):
    """The configured sources, without groups."""

    def find_own(self, name: str) -> Collected | None:
        """Return the tool or pipeline with a name, or `None`."""

    def open_own(self) -> Collected:
        """Open all sources."""


class Opener(Protocol):
    """Opens targets, and caches them, so that the same tool is never opened twice."""

    @property
    def configuration(self) -> Configuration:
        """The settings of the project."""

    @property
    def looks(self) -> bool:
        """Whether tools are only inspected, and nothing is run."""

    @property
    def configured(self) -> OwnSources:
        """The configured sources."""

    @property
    def groups(self) -> GroupFinder:
        """The configured groups."""

    @property
    def servers(self) -> Finder:
        """The configured MCP servers."""

    @property
    def consents(self) -> "Consents":
        """The user's consents to settings in the project's files."""

    def open(self, text: str, base: Path, chooser: Chooser) -> Collected:
        """Open a target, relative to the folder `base`."""

    def open_parsed(
        self, target: Target | Problem, base: Path, chooser: Chooser, *, is_configured: bool = False
    ) -> Collected:
        """Open a parsed target."""

    def open_yaml(self, path: Path) -> Collected:
        """Open a pipeline or agent file as a tool."""

    def open_class(self, text: str, base: Path) -> type | list[Problem]:
        """Return the class that `file.py:Class` or `package.module:Class` refers to, or the problems."""

    def find(self, name: str) -> Collected | None:
        """Return the configured tool, ready tool, group or server with a name, or `None`."""

    def find_ready(self, name: str) -> Collected | None:
        """Return the ready tools with a name, or `None`."""

    def may_define(self, target: Target | Problem, name: str, base: Path) -> bool:
        """Return whether the Python files of a target may define a tool with a name, judging by their source."""

    def known_names(self) -> Iterable[str]:
        """Return all names that `find` can find."""
