"""Settings: what holds for a command: its options over `TOOLKIT_*` over `toolkit.toml` over `pyproject.toml`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem, did_you_mean
from toolkit.redactors.environment import learn_names
from toolkit_cli import console

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
        problems += [_no_server(name, configuration) for name in start if name not in configuration.mcp]
        configuration = configuration._replace(start=configuration.start.union(start))
    if consent:
        problems += _not_to_consent_to(consent, configuration)
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


def _no_server(name: str, configuration: "Configuration") -> Problem:
    otherwise = f"the servers are {', '.join(configuration.mcp)}" if configuration.mcp else "none is configured"
    hint = did_you_mean(name, configuration.mcp, otherwise=otherwise)
    return Problem("", f"--start: there is no MCP server '{name}'", hint=hint)


def _not_to_consent_to(names: Sequence[str], configuration: "Configuration") -> list[Problem]:
    """Return a problem for each name that no setting has."""
    from toolkit.sources.setting_consents import names_to_consent_to  # noqa: PLC0415 - few commands consent to any

    known = names_to_consent_to(configuration)
    otherwise = f"the settings are {', '.join(known)}" if known else "none is configured"
    return [
        Problem("", f"--consent: there is no setting '{name}'", hint=did_you_mean(name, known, otherwise=otherwise))
        for name in names
        if name not in known
    ]


def _from_here(source: str) -> str:
    """Return a source such that a path in it means the same from any folder: options are relative to the shell's."""
    path = source.rpartition(":")[0] or source
    is_path = path.endswith(_FILE_SUFFIXES) or any(sign in path for sign in _PATH_SIGNS) or Path(path).exists()
    return str(Path.cwd() / source) if is_path else source
