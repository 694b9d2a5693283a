"""Openers: what opens targets, as the scopes, groups and configured sources know it that it opens them with."""

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
        """Return what a name means, or None if it means nothing here."""


class GroupFinder(Finder, Protocol):
    """Finds the tools of the groups of the configuration."""

    def is_remote(self, name: str) -> bool:
        """Return whether opening a group would contact MCP servers."""


class OwnSources(Protocol):
    """The sources of the configuration, without its groups."""

    def find_own(self, name: str) -> Collected | None:
        """Return the tool or pipeline of a name, or None."""

    def open_own(self) -> Collected:
        """Open every source."""


class Opener(Protocol):
    """Opens targets; what it has opened it keeps, so that a tool reached in two ways is one tool."""

    @property
    def configuration(self) -> Configuration:
        """The settings of the project."""

    @property
    def looks(self) -> bool:
        """Whether the tools are only looked at, and nothing is run or called."""

    @property
    def configured(self) -> OwnSources:
        """The sources that the configuration names."""

    @property
    def groups(self) -> GroupFinder:
        """The groups that the configuration names."""

    @property
    def servers(self) -> Finder:
        """The MCP servers that the configuration names."""

    @property
    def consents(self) -> "Consents":
        """What the user has agreed to that the project's files set."""

    def open(self, text: str, base: Path, chooser: Chooser) -> Collected:
        """Open one target, relative to the folder `base`."""

    def open_parsed(
        self, target: Target | Problem, base: Path, chooser: Chooser, *, is_configured: bool = False
    ) -> Collected:
        """Open a target that is parsed already."""

    def open_yaml(self, path: Path) -> Collected:
        """Open a YAML file as a tool: a pipeline, or an agent."""

    def open_class(self, text: str, base: Path) -> type | list[Problem]:
        """Return the class that `file.py:Class` or `package.module:Class` means, or why there is none."""

    def find(self, name: str) -> Collected | None:
        """Return the tool that a configured source or the library has under a name, or a group or server, or None."""

    def find_ready(self, name: str) -> Collected | None:
        """Return the ready tools of a name, or None."""

    def may_define(self, target: Target | Problem, name: str, base: Path) -> bool:
        """Return whether the Python files of a target may define a tool of a name, as far as their sources show it."""

    def known_names(self) -> Iterable[str]:
        """Return the names that `find` knows."""
