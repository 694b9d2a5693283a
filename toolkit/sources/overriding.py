"""Overriding: what variables of the environment say instead of the configuration's files."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolkit.problems import Problem
from toolkit.sources.configuration import BAD_CONFIGURATION, Configuration
from toolkit.sources.settings import seconds_of, unknown_dialect


def override(
    configuration: Configuration, variables: Mapping[str, str], directory: Path, problems: list[Problem]
) -> Configuration:
    """Return the configuration with what variables say instead.

    Args:
        configuration: What holds without them.
        variables: `TOOLKIT_SOURCES` (targets, separated as in `PATH`, relative to the working directory),
            `TOOLKIT_TIMEOUT`, `TOOLKIT_APPROVAL_TIMEOUT`, `TOOLKIT_MODEL_TIMEOUT` (durations), `TOOLKIT_DIALECT`,
            `TOOLKIT_MODEL` (names), `TOOLKIT_MODEL_URL`, `TOOLKIT_ENV` (names, separated by commas) and
            `TOOLKIT_GRANT` (permissions, separated by commas), `TOOLKIT_MCP_START` (names of servers, likewise); others
            are none of ours.
        directory: The working directory.
        problems: Receives what is wrong.
    """
    changes: dict[str, Any] = {}
    if targets := variables.get("TOOLKIT_SOURCES"):
        named = _split_targets(targets)
        changes |= {"sources": named, "user_sources": named, "directory": directory}
    if names := variables.get("TOOLKIT_ENV"):
        changes["env"] = tuple(name.strip() for name in names.split(",") if name.strip())
    if permissions := variables.get("TOOLKIT_GRANT"):
        changes["granted"] = granted_permissions(permissions.split(","), problems)
    if servers := variables.get("TOOLKIT_MCP_START"):
        changes["start"] = frozenset(name.strip() for name in servers.split(",") if name.strip())
    if dialect := variables.get("TOOLKIT_DIALECT"):
        if hint := unknown_dialect(dialect):
            message = f"the variable 'TOOLKIT_DIALECT' must name a dialect, not {dialect!r}"
            problems.append(Problem(BAD_CONFIGURATION, message, hint=hint))
        else:
            changes["dialect"] = dialect
    changes |= {key: text for key in ("model", "model_url") if (text := variables.get(f"TOOLKIT_{key.upper()}"))}
    for key in ("timeout", "approval_timeout", "model_timeout"):
        if text := variables.get(name := f"TOOLKIT_{key.upper()}"):
            seconds = seconds_of(text)
            if isinstance(seconds, float):
                changes[key] = seconds
            else:
                problems.append(Problem(BAD_CONFIGURATION, f"the variable '{name}' must be {seconds}"))
    return configuration._replace(**changes)


def granted_permissions(names: Sequence[str], problems: list[Problem]) -> frozenset[str]:
    """Return the permissions that are granted; `problems` receives those that there are not."""
    from toolkit.disclosure.groups import PERMISSIONS, unknown_permission  # noqa: PLC0415 - few grant any

    wanted = [name.strip() for name in names if name.strip()]
    problems += [unknown_permission(name) for name in wanted if name not in PERMISSIONS]
    return frozenset(wanted).intersection(PERMISSIONS)


def _split_targets(text: str) -> tuple[str, ...]:
    """Split targets as paths are split; where a colon does that, a bare name after a Python file belongs to it."""
    targets: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(os.pathsep))):
        if os.pathsep == ":" and targets and targets[-1].endswith(".py") and part.isidentifier():
            targets[-1] += f":{part}"
        else:
            targets.append(part)
    return tuple(targets)
