"""Decides whether a value of an option gives a tool access beyond the project's folder and the public web.

The table of options names one of these functions for each option that can do so. Each function returns what the value
gives access to, or `None`. A configuration file of a project that contains such a value needs the user's consent.
A value that cannot be judged needs consent too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.tools.secret_texts import variables_in


def outside_project(value: Path, project: Path) -> str | None:
    """Judge a folder by its resolved path, so that `..`, `~` and symbolic links count."""
    try:
        is_inside = value.resolve().is_relative_to(project.resolve())
    except (OSError, RuntimeError, ValueError):
        is_inside = False
    return None if is_inside else "files outside the project's folder"


def private_addresses(value: Any, project: Path) -> str | None:  # noqa: ARG001 - addresses have no folder
    """Judge a switch, or a list of hosts, that lets requests go to this machine or its network."""
    return "addresses of this machine or its network" if value else None


def environment_variables(value: str | Mapping[str, str], project: Path) -> str | None:  # noqa: ARG001 - nor have texts
    """Judge strings in which `${NAME}` stands for an environment variable."""
    texts = [value] if isinstance(value, str) else value.values()
    names = list(dict.fromkeys(name for text in texts for name in variables_in(text)))
    if not names:
        return None
    quoted = " and ".join(f"'{name}'" for name in names)
    return f"the environment variable{'s' if len(names) > 1 else ''} {quoted}"


def own_command(value: Any, project: Path) -> str | None:  # noqa: ARG001 - a command can do anything
    """Judge a command, which can do whatever a program can do."""
    return "everything that a program can" if value else None


def search_service(value: Any, project: Path) -> str | None:  # noqa: ARG001 - any address counts
    """Judge the address of a search service, which receives every query and the user's key, if there is one."""
    return "a search service of the project's choice, with your key" if value else None
