"""Combine the policy files of a project and its user into a single policy."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolkit.approvals.file_policies import FilePolicy, read_policy_file
from toolkit.approvals.policies import Risk, server_of
from toolkit.approvals.policy_keys import PolicyFile
from toolkit.approvals.rules import names_of
from toolkit.builtin.catalog import ALL_READY
from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.keys import Owner
from toolkit.pins.drifts import Entry, changes_between
from toolkit.pins.lockfile import LOCK_FILE, entry_of, read_lock
from toolkit.problems import Location, Problem, did_you_mean, place_from
from toolkit.settings.configuration import Configuration
from toolkit.settings.policy_settings import group_fits
from toolkit.sources.targets import FILES, FilesTarget, NameTarget, parse_target
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.frameworks import FRAMEWORK_OF_PACKAGE
from toolkit.visibility import without_hidden

_HINTS: Final = ("read_only", "destructive", "open_world", "requires_approval")


class LockedTools:
    """The definitions in the lockfile of a folder, which is read when the first tool is compared."""

    def __init__(self, directory: Path) -> None:
        self._file = directory / LOCK_FILE
        self._known: dict[tuple[Risk, str], tuple[str, ...]] = {}

    def compared(self, risk: Risk) -> Risk:
        """Return the risk of a tool, with how its definition differs from the one in the lockfile."""
        changes = self._changes_of(risk)
        return replace(risk, changes=changes) if changes else risk

    def _changes_of(self, risk: Risk) -> tuple[str, ...]:
        if risk.definition is None or not self._file.exists():
            return ()
        if self._pinned is None:
            return (f"'{LOCK_FILE}' cannot be read",)
        pinned = self._pinned.get(risk.tool)
        if pinned is None:
            return ()
        key = (risk, risk.digest)
        if key not in self._known:
            of_server = server_of(risk.source) is not None
            compared = _read_by_models if of_server else _comparable
            changes = changes_between(compared(pinned), compared(_entry_of(risk)))
            matters = any(of_server or change.kind != "compatible" for change in changes)
            self._known[key] = tuple(change.what for change in changes) if matters else ()
        return self._known[key]

    @cached_property
    def _pinned(self) -> dict[str, Entry] | None:
        found = read_lock(self._file)
        return None if isinstance(found, Problem) else found


def _entry_of(risk: Risk) -> Entry:
    definition: dict[str, Any] = dict(risk.definition or {})
    marks = {hint: getattr(risk, hint) for hint in _HINTS}
    return entry_of(ToolSpec(risk.tool, definition.get("description", ""), definition.get("parameters", {}), **marks))


def _comparable(entry: Entry) -> Entry:
    """Return the parts of an entry that are known for every call."""
    hints = {hint: value for hint, value in entry.get("hints", {}).items() if hint in _HINTS}
    return {"description": entry.get("description"), "parameters": entry.get("parameters", {}), "hints": hints}


def _read_by_models(entry: Entry) -> Entry:
    """Return what models receive of a server's tool; its marks depend on whether the user trusts the server."""
    parts: Entry = without_hidden({"description": entry.get("description"), "parameters": entry.get("parameters", {})})
    return parts


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
        if source and not source.endswith(FILES):
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


def configured_policy(configuration: Configuration, targets: Sequence[str] = ()) -> tuple[FilePolicy, list[Problem]]:
    """Return the policy of a project, and all problems in its files.

    The user's files take precedence: the one named with an option, then their own. A project's file can only restrict
    calls further.

    Args:
        configuration: The settings of the project.
        targets: The targets that the user named, such as `tools.py:fetch`, relative to the working directory.
    """
    problems: list[Problem] = []
    here = Path.cwd()
    groups = group_fits(configuration.groups, configuration.directory)

    def read(file: Path, owner: Owner) -> PolicyFile | None:
        folder = here if owner == "user" else file.parent
        name = place_from(here, Location(str(file))).file
        return read_policy_file(file, owner, folder, problems, name=name, groups=groups)

    named = read(configuration.named_policy, "user") if configuration.named_policy is not None else None
    own = read(configuration.own_policy, "user") if configuration.own_policy is not None else None
    found = [named, own and own.for_all_projects(), configuration.policy]
    found += [read(file, "project") for file in configuration.policy_files]
    files = [file for file in found if file is not None]
    problems += _unknown_frameworks(files)
    provenance, locked = Provenance(configuration, targets), LockedTools(configuration.directory)
    return FilePolicy(files, lambda risk: locked.compared(provenance.identified(risk))), problems


def _unknown_frameworks(files: Sequence[PolicyFile]) -> list[Problem]:
    known = sorted({*FRAMEWORK_OF_PACKAGE.values()})
    return [
        Problem(
            BAD_CONFIGURATION,
            f"unknown framework '{name}'",
            rule.place,
            hint=did_you_mean(name, known, otherwise=f"known frameworks: {', '.join(known)}"),
        )
        for file in files
        for rule in file.rules
        for name in rule.choice.frameworks
        if name not in known
    ]
