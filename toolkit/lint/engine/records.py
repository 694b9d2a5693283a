"""Converts the settings of a project to JSON data for another process, and back."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.problems import Location, problem_record, read_problem
from toolkit.settings.configuration import Configuration, GroupSettings, ReadySettings
from toolkit.tools.definition.spec import read_record, record_of


def _read_group(record: Mapping[str, Any]) -> GroupSettings:
    changes: dict[str, Any] = {key: value if isinstance(value, str) else tuple(value) for key, value in record.items()}
    return GroupSettings(**changes)


def _server_record(server: Any) -> dict[str, Any]:
    """Return the known tools of an MCP server (a `ListedServer`) as plain data."""
    return {
        "prefix": server.prefix,
        "tools": [[name, record_of(spec)] for name, spec in server.tools],
        "problems": [problem_record(problem) for problem in server.problems],
    }


def _read_server(name: str, record: Mapping[str, Any]) -> Any:
    from toolkit.sources.servers import ListedServer  # few projects have servers

    tools = tuple((wire_name, read_record(spec)) for wire_name, spec in record["tools"])
    return ListedServer(name, record["prefix"], tools, tuple(map(read_problem, record["problems"])))


def api_record(settings: Any) -> dict[str, Any]:
    """Return the settings of an API as plain data; of what requests are signed with, only the names."""
    hidden = dict.fromkeys(settings.auth, "")
    record: dict[str, Any] = settings._replace(auth=hidden, headers={}, names=dict(settings.names))._asdict()
    return record


def read_api_record(record: Mapping[str, Any]) -> Any:
    """Return the settings of an API from their record."""
    from toolkit.openapi.api_settings import ApiSettings  # few projects have APIs

    lists = {key: tuple(record[key]) for key in ("include", "exclude")}
    return ApiSettings(**{**record, **lists, "place": Location(*record["place"])})


def choice_in(text: str) -> tuple[Any, str | None]:
    """Return the settings of an API, or the only operation to read, in a request for an OpenAPI document."""
    record = json.loads(text or "{}")
    return (read_api_record(record), None) if "document" in record else (None, record.get("only"))


def configuration_record(configuration: Configuration) -> dict[str, Any]:
    """Return the part of a configuration that opening sources requires; values for contexts are left out."""
    return {
        "directory": str(configuration.directory.absolute()),
        "file": configuration.file and str(configuration.file),
        "sources": configuration.sources,
        "user_sources": configuration.user_sources,
        "env": configuration.env,
        "groups": {name: one._asdict() for name, one in configuration.groups.items()},
        "mcp": {name: _server_record(one) for name, one in configuration.mcp.items() if isinstance(one, tuple)},
        "openapi": {name: api_record(one) for name, one in configuration.openapi.items()},
        "builtin": {name: [one.kind, _options_record(one.options)] for name, one in configuration.builtin.items()},
    }


def _options_record(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a built-in tool in the form of the configuration file."""
    return {name: str(value.absolute()) if isinstance(value, Path) else value for name, value in options.items()}


def read_configuration(record: Mapping[str, Any]) -> Configuration:
    """Return the configuration from its record."""
    from toolkit.disclosure.groups import PERMISSIONS  # it imports all of `tools`, and only the child needs it

    file = record["file"]
    return Configuration(
        directory=Path(record["directory"]),
        file=Path(file) if file else None,
        sources=tuple(record["sources"]),
        user_sources=tuple(record["user_sources"]),
        env=tuple(record["env"]),
        groups={name: _read_group(one) for name, one in record["groups"].items()},
        granted=frozenset(PERMISSIONS),  # nothing that is opened here is called
        mcp={name: _read_server(name, one) for name, one in record["mcp"].items()},
        openapi={name: read_api_record(one) for name, one in record["openapi"].items()},
        builtin={name: ReadySettings(*one) for name, one in record["builtin"].items()},
    )
