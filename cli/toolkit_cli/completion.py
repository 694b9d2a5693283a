"""Shell completion for targets, arguments, rules and other names, without running users' code."""

from collections.abc import Iterator
from pathlib import Path

import typer

from toolkit_cli.source_names import arguments_of, tools_in

_SUFFIXES = (".py", ".yaml", ".yml")


def complete_target(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete a target: a built-in tool, a group, a server, a folder, or a Python or YAML file."""
    file, colon, _ = incomplete.partition(":")
    names = (f"{file}:{name}" for name in tools_in(file)) if colon else _candidates(incomplete)
    return [name for name in dict.fromkeys(names) if name.startswith(incomplete)]


def complete_argument(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of an argument of the target, with its `=`."""
    taken = {word.partition("=")[0].removesuffix(":") for word in context.params.get("words") or ()}
    return [
        f"{name}="
        for name in arguments_of(context.params.get("target") or "")
        if name.startswith(incomplete) and name not in taken
    ]


def complete_rule(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the code of a rule or of a group of rules."""
    from toolkit.lint.rule import NAMES  # noqa: PLC0415 - only completion and lint need rules

    groups = sorted({code[:3] for code in NAMES})
    return [code for code in ("ALL", *groups, *sorted(NAMES)) if code.startswith(incomplete.upper())]


def complete_group(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a configured group."""
    return [name for name in _configured_names()[0] if name.startswith(incomplete)]


def complete_server(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a configured MCP server."""
    return [name for name in _configured_names()[1] if name.startswith(incomplete)]


def complete_consent(context: typer.Context, arguments: list[str], incomplete: str) -> list[str]:  # noqa: ARG001
    """Complete the name of a project setting that needs consent."""
    from toolkit.sources.configuring import find_configuration  # noqa: PLC0415 - only completion and commands read it
    from toolkit.sources.setting_consents import names_to_consent_to  # noqa: PLC0415

    return [name for name in names_to_consent_to(find_configuration()[0]) if name.startswith(incomplete)]


def _candidates(incomplete: str) -> Iterator[str]:
    from toolkit.sources.ready import ALL_READY, FOR_AGENTS, ready_names  # noqa: PLC0415 - only completion needs names

    groups, servers = _configured_names()
    yield from (ALL_READY, *ready_names(), *groups, *servers, *FOR_AGENTS)
    folder, slash, _ = incomplete.rpartition("/")
    try:
        entries = sorted(Path(folder + slash or ".").iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.is_dir() and not entry.name.startswith((".", "__")):
            yield f"{folder}{slash}{entry.name}/"
        elif entry.suffix in _SUFFIXES:
            yield f"{folder}{slash}{entry.name}"


def _configured_names() -> tuple[list[str], list[str]]:
    """Return the names of the configured groups and servers; problems are ignored here."""
    from toolkit.sources.configuring import find_configuration  # noqa: PLC0415 - only completion and commands read it

    configuration, _ = find_configuration()
    return list(configuration.groups), list(configuration.mcp)
