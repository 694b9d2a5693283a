"""Settings: what holds for a command: its options over `TOOLKIT_*` over `toolkit.toml` over `pyproject.toml`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem
from toolkit.redactors.environment import learn_names
from toolkit_cli import console
from toolkit_cli.unknown_names import unknown_names

if TYPE_CHECKING:
    from toolkit.sources.configuration import Configuration

_PATH_SIGNS = ("/", "\\", "*", "?", "[")
_FILE_SUFFIXES = (".py", ".yaml", ".yml")


def load_configuration(
    tools: Sequence[str] | None = None,
    grant: Sequence[str] | None = None,
    start: Sequence[str] | None = None,
    consent: Sequence[str] | None = None,
    policy: Path | None = None,
) -> "Configuration":
    """Return the configuration of the working directory with what options add to it.

    Args:
        tools: More sources of tools (`--tools`), before its own.
        grant: More permissions for groups (`--grant`).
        start: MCP servers of the project that may be reached (`--start`).
        consent: Settings of the project that may widen what tools reach (`--consent`).
        policy: A file of rules (`--policy`).

    Raises:
        ConfigurationError: With everything that is wrong in the configuration.
    """
    from toolkit.sources.configuring import find_configuration  # noqa: PLC0415 - help and completion need none

    configuration, problems = find_configuration(_working_directory())
    if grant:
        from toolkit.sources.environment_settings import granted_permissions  # noqa: PLC0415 - few commands grant any

        more = granted_permissions(grant, problems)
        configuration = configuration._replace(granted=configuration.granted | more)
    if start:
        problems += unknown_names(start, configuration.mcp, "MCP server", option="--start")
        configuration = configuration._replace(start=configuration.start.union(start))
    if consent:
        from toolkit.sources.setting_consents import names_to_consent_to  # noqa: PLC0415 - few commands consent to any

        problems += unknown_names(consent, names_to_consent_to(configuration), "setting", option="--consent")
        configuration = configuration._replace(consented=configuration.consented.union(consent))
    if policy is not None:
        configuration = configuration._replace(named_policy=Path.cwd() / policy)
    if configuration.secrets:
        learn_names(console.redactor(), configuration.secrets)
    raise_errors(ConfigurationError, problems)
    if not tools:
        return configuration
    named = tuple(map(_from_here, tools))
    return configuration._replace(
        sources=(*named, *configuration.sources), user_sources=(*named, *configuration.user_sources)
    )


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        gone = Problem("", "the working directory has been removed", hint="change to a directory that exists")
        raise ConfigurationError(problems=[gone]) from error


def _from_here(source: str) -> str:
    """Return a source such that a path in it means the same from any folder: options are relative to the shell's."""
    path = source.rpartition(":")[0] or source
    is_path = path.endswith(_FILE_SUFFIXES) or any(sign in path for sign in _PATH_SIGNS) or Path(path).exists()
    return str(Path.cwd() / source) if is_path else source
