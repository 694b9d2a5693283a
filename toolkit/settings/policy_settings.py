"""The `policy` table of a configuration, and whether a tool belongs to a configured group that a rule names."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.approvals.policies import Fit, Risk, any_fits, fit_of, server_of
from toolkit.approvals.policy_keys import PolicyFile, read_policy_table
from toolkit.approvals.rules import GroupFit, names_of
from toolkit.builtin.catalog import ALL_READY
from toolkit.disclosure.groups import matches
from toolkit.documents.keys import Spot
from toolkit.problems import Location, place_from
from toolkit.settings.configuration import GroupSettings


def read_settings_policy(written: Mapping[str, Any], spot: Spot, groups: Mapping[str, GroupSettings]) -> PolicyFile:
    """Return the `policy` table of a configuration, and report its problems."""
    here = Path.cwd()
    place = spot.origin.place
    origin = spot.origin._replace(place=lambda path: _seen_from(here, place(path)))
    name = (origin.place(spot.path) or Location("")).file
    return read_policy_table(written, spot._replace(origin=origin), name, group_fits(groups, origin.folder))


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
    if not os.path.exists(wanted):  # a string
        return "doubt"
    if (real == wanted and name in {"", risk.tool}) or _is_beneath(real, wanted):
        return "yes"
    others = {os.path.realpath(file) for file in risk.files}
    has_name = name in {"", risk.tool, *risk.names}
    return "doubt" if any((one == wanted and has_name) or _is_beneath(one, wanted) for one in others) else "no"


def _is_beneath(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))
