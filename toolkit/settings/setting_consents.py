"""Decide which settings in a project's file need the user's consent.

Options of ready tools need consent if their values widen access; names of environment variables always need it.
Settings that are also in the user's own configuration do not.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolkit.approvals.consents import Access, Consents
from toolkit.approvals.decisions import fingerprint
from toolkit.approvals.gates import Gate
from toolkit.builtin.catalog import ready_tools
from toolkit.builtin.options import FOLDER, Option
from toolkit.codes import CONSENT_MISSING
from toolkit.problems import Location, Problem, place_from
from toolkit.settings.configuration import Configuration, ReadySettings, place_in_configuration
from toolkit.settings.configuration_search import user_file

ENVIRONMENT = "env"
"""The name of the list of environment variables in flags that give consent."""

_CONSENTS = "consents.json"
_READY = "builtin"
_SERVERS = "mcp"
API_PREFIX = "openapi."
"""What the names of consents to APIs begin with."""


def consents_for(configuration: Configuration, gate: Gate | None = None) -> Consents:
    """Return the user's consents for a project, which can ask for more if there is a gate."""
    named = {*configuration.consented, *(f"{_SERVERS}.{name}" for name in configuration.start)}
    return Consents(user_file(os.environ).with_name(_CONSENTS), named, gate)


def names_to_consent_to(configuration: Configuration) -> list[str]:
    """Return all names for which a flag can give consent."""
    ready = [f"{_READY}.{name}" for name in configuration.builtin]
    servers = [f"{_SERVERS}.{name}" for name in configuration.mcp]
    apis = [f"{API_PREFIX}{name}" for name in configuration.openapi]
    return [*ready, *([ENVIRONMENT] if configuration.env else []), *servers, *apis]


def waiting_accesses(configuration: Configuration) -> list[Access]:
    """Return the accesses in the project's settings that need consent, except for MCP servers. Nothing is opened."""
    ready = [access_of_ready(name, configuration) for name in configuration.builtin]
    own = configuration.own_env.issuperset(configuration.env)
    return [*filter(None, ready), *([] if own else [access_of_environment(configuration)])]


def access_of_ready(name: str, configuration: Configuration) -> Access | None:
    """Return the access of a configured ready tool that needs consent, or `None`."""
    settings = configuration.builtin[name]
    if settings.owner == "user":
        return None
    known = ready_tools()[settings.kind].options
    reached = dict(_widen(settings, known, configuration.directory))
    if not reached:
        return None
    called = f"{_READY}.{name}"
    place = place_in_configuration(configuration, [_READY, name, next(iter(reached))])
    reaches = "; ".join(dict.fromkeys(reached.values()))
    shown = {"tool": settings.kind, **_show(settings, known)}
    return _access(
        called,
        f"Use the tool '{name}' with these settings{_where(place)}? It reaches {reaches}.",
        shown,
        configuration,
        summary=reaches,
        place=place,
        message=f"the settings of the tool '{name}' need your consent: it reaches {reaches}",
    )


def access_of_environment(configuration: Configuration) -> Access:
    """Return the access to the environment variables that the user has not listed themselves."""
    names = [name for name in configuration.env if name not in configuration.own_env]
    listed = ", ".join(names)
    place = place_in_configuration(configuration, [ENVIRONMENT])
    return _access(
        ENVIRONMENT,
        f"Let pipelines read these environment variables{_where(place)}? Pipelines can send their values elsewhere.",
        {"variables": names},
        configuration,
        summary=listed,
        place=place,
        message=f"the environment variables that pipelines can read need your consent: {listed}",
    )


def _access(
    name: str,
    question: str,
    shown: dict[str, Any],
    configuration: Configuration,
    *,
    summary: str,
    place: Location | None,
    message: str,
) -> Access:
    """Return an access that needs consent, which is separate for each project."""
    folder = str(_real(configuration.directory))
    hint = f"to allow it: --consent {name}, or TOOLKIT_CONSENT={name}"
    return Access(
        name=name,
        action=f"settings {name}",
        source="settings of this project",
        question=question,
        shown={**shown, "project": folder},
        identity=fingerprint(name, {**shown, "project": folder}),
        summary=summary,
        refusal=Problem(CONSENT_MISSING, message, place, hint=hint),
    )


def _widen(settings: ReadySettings, known: tuple[Option, ...], project: Path) -> Iterator[tuple[str, str]]:
    """Yield each option whose value widens access, and what it reaches."""
    for option in known:
        if option.widens is None or option.name not in settings.options:
            continue
        if (reached := option.widens(settings.options[option.name], project)) is not None:
            yield option.name, reached


def _show(settings: ReadySettings, known: tuple[Option, ...]) -> dict[str, Any]:
    """Return all options as plain data, including the default folder."""
    shown = {name: _plain(value) for name, value in settings.options.items()}
    for option in known:
        if option.kind is FOLDER and option.name not in shown:
            shown[option.name] = str(Path.cwd())
    return shown


def _plain(value: Any) -> Any:
    match value:
        case Path():
            return str(value)
        case tuple():
            return list(value)
    return value


def _real(folder: Path) -> Path:
    try:
        return folder.resolve()
    except (OSError, RuntimeError):
        return folder.absolute()


def _where(place: Location | None) -> str:
    return f" from {place_from(Path.cwd(), place)}" if place else ""
