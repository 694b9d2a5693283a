"""Find the settings that apply in a folder."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.problems import Problem
from toolkit.regular_files import Boundary
from toolkit.settings.configuration import OWN_FILE, POLICY_FILE, PROJECT_FILE, Configuration

if TYPE_CHECKING:
    from toolkit.mcp.settings.server_settings import McpServer


_PREFIX = "TOOLKIT_"
_OWN_POLICY = "policy.yaml"


def find_configuration(
    directory: Path | None = None, variables: Mapping[str, str] | None = None
) -> tuple[Configuration, list[Problem]]:
    """Return the settings that apply in a folder, and all problems in them (`TK005`).

    They are read from the nearest `toolkit.toml`, or `pyproject.toml` with `[tool.toolkit]`, in the folder or above it.
    A `toolkit.toml` of another program is passed over, with a warning. Variables such as `TOOLKIT_TIMEOUT`
    override the settings. Invalid ones are left out. The search stops at the root of the repository, at the boundary of
    the file system, and at folders and files of other users.

    Args:
        directory: The folder to start from; the working directory by default.
        variables: Environment variables; those of this process by default.
    """
    start = Path.cwd() if directory is None else directory.absolute()
    given = os.environ if variables is None else variables
    configuration, problems = _configuration_above(start)
    if (own := user_file(given)).is_file():
        configuration = _with_own_settings(configuration, own, problems)
    if os.path.lexists(policy := own_policy_file(given)):
        configuration = configuration._replace(own_policy=policy)
    overrides = {name: text for name, text in given.items() if name.startswith(_PREFIX)}
    if overrides:
        from toolkit.settings.toml_settings import override

        configuration = override(configuration, overrides, start, problems)
    return configuration, problems


def user_file(variables: Mapping[str, str]) -> Path:
    """Return the path of the user's own configuration: `toolkit/config.toml` in `XDG_CONFIG_HOME` or `~/.config`."""
    named = variables.get("XDG_CONFIG_HOME", "")
    folder = Path(named) if named.startswith(os.sep) else Path(variables.get("HOME", "~")).expanduser() / ".config"
    return folder / "toolkit" / "config.toml"


def own_policy_file(variables: Mapping[str, str]) -> Path:
    """Return the path of the user's own policy file, next to their own configuration."""
    return user_file(variables).with_name(_OWN_POLICY)


def _with_own_settings(configuration: Configuration, file: Path, problems: list[Problem]) -> Configuration:
    """Return the configuration with the user's own servers, APIs, ready tools and variables.

    If the project has the same name, its settings apply; if both are identical, they count as the user's.
    """
    from toolkit.settings.toml_settings import read_own_settings  # few users have such a file

    own, found = read_own_settings(file)
    problems += found
    servers = dict(own.mcp)
    for name, server in configuration.mcp.items():
        mine = own.mcp.get(name)
        if mine is not None and mine.fingerprint == server.fingerprint:
            server = _narrow(mine, server)  # noqa: PLW2901 - the same server
        servers[name] = server
    others = {
        name: ready
        for name, ready in configuration.builtin.items()
        if name not in own.builtin or own.builtin[name] != ready._replace(owner="user")
    }
    apis = {
        name: api
        for name, api in configuration.openapi.items()
        if name not in own.openapi or own.openapi[name] != api._replace(owner="user", place=own.openapi[name].place)
    }
    return configuration._replace(
        mcp=servers,
        openapi={**own.openapi, **apis},
        builtin={**own.builtin, **others},
        env=tuple(dict.fromkeys([*own.env, *configuration.env])),
        own_env=frozenset(own.env),
        audit=configuration.audit or own.audit,
        keep_runs=own.keep_runs,
        webhook=own.webhook,
    )


def _narrow(own: "McpServer", server: "McpServer") -> "McpServer":
    """Return the user's own server with the project's settings for it, which can only restrict it further."""
    return replace(
        server,
        owner="user",
        trusted=own.trusted,
        converter=own.converter,
        prefix=own.prefix,
        tools=own.tools or server.tools,
        exclude=(*own.exclude, *server.exclude),
        resources=own.resources,
        prompts=own.prompts,
    )


def _configuration_above(start: Path) -> tuple[Configuration, list[Problem]]:
    """Return the nearest configuration, with all policy files above the folder, since each can restrict calls."""
    boundary = Boundary(start)
    found: tuple[Configuration, list[Problem]] | None = None
    notes: list[Problem] = []
    policies: list[Path] = []
    for folder in boundary.folders():
        # A broken link is kept, because a policy file that cannot be read denies all calls.
        if os.path.lexists(policy := folder / POLICY_FILE) and (not policy.exists() or boundary.believes(policy)):
            policies.append(policy)
        found = _configuration_in(folder, boundary, notes) if found is None else found
    configuration, problems = found or (Configuration(directory=start), [])
    configuration = configuration._replace(policy_files=tuple(policies)) if policies else configuration
    return configuration, [*notes, *problems]


def _configuration_in(
    folder: Path, boundary: Boundary, notes: list[Problem]
) -> tuple[Configuration, list[Problem]] | None:
    for name in (OWN_FILE, PROJECT_FILE):
        if (file := folder / name).is_file() and boundary.believes(file):
            # Parsing TOML takes time, and most projects have a pyproject.toml without our settings.
            from toolkit.settings.toml_settings import read_settings

            if (found := read_settings(file, notes)) is not None:
                return found
    return None
