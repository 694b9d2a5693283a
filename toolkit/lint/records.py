"""Records: the settings of a project as plain JSON, to cross from one process to another."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.problems import problem_record, read_problem
from toolkit.sources.configuration import Configuration, GroupSettings, ReadySettings


def _read_group(record: Mapping[str, Any]) -> GroupSettings:
    changes: dict[str, Any] = {key: value if isinstance(value, str) else tuple(value) for key, value in record.items()}
    return GroupSettings(**changes)


def _server_record(server: Any) -> dict[str, Any]:
    """Return what was heard of an MCP server, a `ListedServer`, as plain data."""
    from toolkit.tools.spec_json import record_of  # noqa: PLC0415 - few projects have servers

    return {
        "prefix": server.prefix,
        "tools": [[name, record_of(spec)] for name, spec in server.tools],
        "problems": [problem_record(problem) for problem in server.problems],
    }


def _read_server(name: str, record: Mapping[str, Any]) -> Any:
    from toolkit.sources.servers import ListedServer  # noqa: PLC0415 - few projects have servers
    from toolkit.tools.spec import ToolSpec  # noqa: PLC0415 - as above

    tools = tuple((wire_name, ToolSpec.from_json(spec)) for wire_name, spec in record["tools"])
    return ListedServer(name, record["prefix"], tools, tuple(map(read_problem, record["problems"])))


def configuration_record(configuration: Configuration) -> dict[str, Any]:
    """Return what opening sources needs of a configuration; values for tools' contexts stay where they are."""
    return {
        "directory": str(configuration.directory.absolute()),
        "file": configuration.file and str(configuration.file),
        "sources": configuration.sources,
        "user_sources": configuration.user_sources,
        "env": configuration.env,
        "groups": {name: one._asdict() for name, one in configuration.groups.items()},
        "mcp": {name: _server_record(one) for name, one in configuration.mcp.items() if isinstance(one, tuple)},
        "builtin": {name: [one.kind, _options_record(one.options)] for name, one in configuration.builtin.items()},
    }


def _options_record(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a ready tool as they could be written in a configuration."""
    return {name: str(value.absolute()) if isinstance(value, Path) else value for name, value in options.items()}


def read_configuration(record: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a record stands for."""
    from toolkit.disclosure.groups import PERMISSIONS  # noqa: PLC0415 - it needs all of tools, and the child alone reads

    file = record["file"]
    return Configuration(
        directory=Path(record["directory"]),
        file=Path(file) if file else None,
        sources=tuple(record["sources"]),
        user_sources=tuple(record["user_sources"]),
        env=tuple(record["env"]),
        groups={name: _read_group(one) for name, one in record["groups"].items()},
        granted=frozenset(PERMISSIONS),  # what is looked at here is called by nobody
        mcp={name: _read_server(name, one) for name, one in record["mcp"].items()},
        builtin={name: ReadySettings(*one) for name, one in record["builtin"].items()},
    )
