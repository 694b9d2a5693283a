"""Distinguish tools that the user chose from tools that the project's files add.

A policy rule that allows calls by tool name refers to the tool that its author knows. A project chooses the names of
its own tools, so such a rule applies to them only if it contains the file, or if the user named the file.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.approvals.risks import Risk, server_of
from toolkit.approvals.rules import names_of
from toolkit.sources.configuration import Configuration
from toolkit.sources.folders import SUFFIXES
from toolkit.sources.ready import ALL_READY
from toolkit.sources.targets import FilesTarget, NameTarget, parse_target


class Provenance:
    """Finds out which tools the user chose."""

    def __init__(self, configuration: Configuration, targets: Sequence[str] = ()) -> None:
        """Resolve the user's targets without opening them.

        Args:
            configuration: The settings of the project, with the sources from options.
            targets: Further targets that the user named, relative to the working directory.
        """
        self._configuration = configuration
        self._named = {
            *_sources_of(targets, Path.cwd()),
            *_sources_of(configuration.user_sources, configuration.directory),
        }

    def identified(self, risk: Risk) -> Risk:
        """Return the risk with the project's file that adds the tool, and the names by which a rule can allow it."""
        own = names_of(risk) if not risk.names else risk.names[: 1 if server_of(risk.source) is None else 2]
        return replace(risk, brought_by=self._file_of(risk), allowed_as=tuple(own))

    def _file_of(self, risk: Risk) -> str | None:
        source, server = risk.source or "", server_of(risk.source)
        if server is not None:
            return self._file_of_server(server)
        if source == ALL_READY or source in self._named:
            return None
        if source and not source.endswith(SUFFIXES):
            return source  # a module
        file = os.path.realpath(source) if source else ""
        return None if file in self._named else file

    def _file_of_server(self, name: str) -> str | None:
        server = self._configuration.mcp.get(name)
        if name in self._configuration.start or getattr(server, "owner", "project") == "user":
            return None
        place = getattr(server, "place", None)
        file = place.file if place is not None else self._configuration.file
        return os.path.realpath(file) if file is not None else ""


def _sources_of(targets: Sequence[str], folder: Path) -> Iterator[str]:
    """Yield the real paths of the files of targets, and the names of modules."""
    for target in (parse_target(text, folder) for text in targets):
        match target:
            case FilesTarget(paths=paths):
                yield from map(os.path.realpath, paths)
            case NameTarget(module=module):
                yield module
