"""Combine the policy files of a project and its user into a single policy."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.approvals.file_policies import FilePolicy
from toolkit.approvals.fits import Fit, any_fits, fit_of
from toolkit.approvals.policy_files import read_policy_file
from toolkit.approvals.policy_keys import PolicyFile, read_policy_table
from toolkit.approvals.risks import Risk, server_of
from toolkit.approvals.rules import GroupFit, names_of
from toolkit.codes import BAD_CONFIGURATION
from toolkit.disclosure.groups import matches
from toolkit.documents.tables import Owner, Spot
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.sources.configuration import Configuration, GroupSettings
from toolkit.sources.locked_tools import LockedTools
from toolkit.sources.provenance import Provenance
from toolkit.sources.ready import ALL_READY
from toolkit.sources.shown_paths import place_from
from toolkit.tools.frameworks import FRAMEWORK_OF_PACKAGE


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


def read_settings_policy(written: Mapping[str, Any], spot: Spot, groups: Mapping[str, GroupSettings]) -> PolicyFile:
    """Return the `policy` table of a configuration, and report its problems."""
    here = Path.cwd()
    place = spot.setting.place
    setting = spot.setting._replace(place=lambda path: _seen_from(here, place(path)))
    name = (setting.place(spot.path) or Location("")).file
    return read_policy_table(written, spot._replace(setting=setting), name, group_fits(groups, setting.folder))


def _seen_from(here: Path, place: Location | None) -> Location | None:
    return None if place is None else place_from(here, place)


def group_fits(groups: Mapping[str, GroupSettings], directory: Path) -> dict[str, GroupFit]:
    """Return, for each group, a function that tests whether a tool belongs to it; paths are relative to `directory`."""
    return {name: _group_fit(settings, directory) for name, settings in groups.items()}


def _group_fit(settings: GroupSettings, directory: Path) -> GroupFit:
    def fit(risk: Risk) -> Fit:
        names = names_of(risk)
        if any(matches(name, one) for one in settings.exclude for name in names):
            return "no"
        if not any(matches(name, one) for one in settings.tools or ("*",) for name in names):
            return "no"
        return any_fits(_is_from(one, risk, directory) for one in settings.sources) if settings.sources else "yes"

    return fit


def _is_from(target: str, risk: Risk, directory: Path) -> Fit:
    """Return whether a tool belongs to a target; it is in doubt for modules, and for tools that other files pass on."""
    source = risk.source or ""
    server = server_of(source)
    if ALL_READY in {target, source} or server is not None:
        return fit_of(target in {source, server})
    path, _, name = target.partition(":")
    real, wanted = os.path.realpath(source), os.path.realpath(directory / path)
    if not os.path.exists(wanted):  # noqa: PTH110 - a string
        return "doubt"
    if (real == wanted and name in {"", risk.tool}) or _is_beneath(real, wanted):
        return "yes"
    others = {os.path.realpath(file) for file in risk.files}
    has_name = name in {"", risk.tool, *risk.names}
    return "doubt" if any((one == wanted and has_name) or _is_beneath(one, wanted) for one in others) else "no"


def _is_beneath(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - text
