"""Loads the settings of a command: options override `TOOLKIT_*`, then `toolkit.toml`, then `pyproject.toml`."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem, did_you_mean, errors_among, seen_from
from toolkit.redactors.redactor import learn_names
from toolkit.settings.configuration_search import find_configuration
from toolkit_cli import console

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration


def unknown_names(
    names: Iterable[str], known: Collection[str], what: str, *, option: str | None = None, code: str = ""
) -> list[Problem]:
    """Return a problem for each unknown name.

    Args:
        names: The names as typed.
        known: The existing names.
        what: The kind of thing that is named, such as `group` or `MCP server`.
        option: The option with the names, if any.
        code: The code of the problem.
    """
    several = f"{what.rpartition(' ')[2]}s"
    otherwise = f"the {several} are {', '.join(known)}" if known else "none is configured"
    before = "" if option is None else f"{option}: "
    return [
        Problem(code, f"{before}there is no {what} '{name}'", hint=did_you_mean(name, known, otherwise=otherwise))
        for name in names
        if name not in known
    ]


_PATH_SIGNS = ("/", "\\", "*", "?", "[")
_FILE_SUFFIXES = (".py", ".yaml", ".yml")


def load_configuration(
    tools: Sequence[str] | None = None,
    grant: Sequence[str] | None = None,
    start: Sequence[str] | None = None,
    consent: Sequence[str] | None = None,
    policy: Path | None = None,
) -> "Configuration":
    """Return the configuration of the working directory with the options applied.

    Args:
        tools: More sources of tools (`--tools`), before the configured ones.
        grant: Additional permissions for groups (`--grant`).
        start: MCP servers of the project that may be started or contacted (`--start`).
        consent: Project settings that may give tools more access (`--consent`).
        policy: A file of approval rules (`--policy`).

    Raises:
        ConfigurationError: If the configuration is invalid; lists all problems.
    """
    configuration, problems = find_configuration(_working_directory())
    if grant:
        from toolkit.settings.toml_settings import granted_permissions  # few commands grant any

        more = granted_permissions(grant, problems)
        configuration = configuration._replace(granted=configuration.granted | more)
    if start:
        problems += unknown_names(start, configuration.mcp, "MCP server", option="--start")
        configuration = configuration._replace(start=configuration.start.union(start))
    if consent:
        from toolkit.settings.setting_consents import API_PREFIX, names_to_consent_to  # few commands consent to any

        checked = [name for name in consent if not name.startswith(API_PREFIX)]  # a pipeline can name any document
        problems += unknown_names(checked, names_to_consent_to(configuration), "setting", option="--consent")
        configuration = configuration._replace(consented=configuration.consented.union(consent))
    if policy is not None:
        configuration = configuration._replace(named_policy=Path.cwd() / policy)
    if configuration.secrets:
        learn_names(console.redactor(), configuration.secrets)
    if errors_among(problems):
        from toolkit.lint.configuration.settings import read_lint_settings  # only reports of several mistakes need it

        problems += read_lint_settings(configuration)[1]
    raise_errors(ConfigurationError, problems)
    for warning in problems:
        _say_once(warning)
    if not tools:
        return configuration
    named = tuple(map(from_here, tools))
    return configuration._replace(
        sources=(*named, *configuration.sources), user_sources=(*named, *configuration.user_sources)
    )


@cache
def _say_once(warning: Problem) -> None:
    """Write a warning about the configuration, which a command may load several times, to stderr."""
    console.say(str(seen_from(Path.cwd(), warning)))


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        gone = Problem("", "the working directory has been removed", hint="change to a directory that exists")
        raise ConfigurationError(problems=[gone]) from error


def from_here(source: str) -> str:
    """Return a source with its path made absolute, since options and targets are relative to the working directory."""
    path = source.rpartition(":")[0] or source
    is_path = path.endswith(_FILE_SUFFIXES) or any(sign in path for sign in _PATH_SIGNS) or Path(path).exists()
    return str(Path.cwd() / source) if is_path else source
