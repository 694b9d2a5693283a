"""Read the tables that configure ready tools.

    [builtin.file_read]
    base = "docs"

    [builtin.read_reports]      # another tool of this kind, with a different name
    kind = "file_read"
    base = "reports"

In `pyproject.toml`, these tables are under `tool.toolkit`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.builtin.catalog import ReadyTool, ready_tools
from toolkit.builtin.options import one_of, read_options
from toolkit.documents.tables import Key, Schema, Spot, schema_of
from toolkit.problems import did_you_mean
from toolkit.sources.configuration import ReadySettings
from toolkit.tools.names import name_problem

DEFINITION = "ready_tool"
"""The name of the shared definition in the JSON Schema of a configuration."""

KIND = "kind"
"""The key with the ready tool that a table with another name configures."""


def read_ready_settings(tables: Mapping[str, Any], spot: Spot) -> dict[str, ReadySettings]:
    """Return the settings in the tables, by the names of the tools, and report all problems.

    Args:
        tables: A table for each tool.
        spot: The location of the tables.
    """
    settings = {}
    for name, table in tables.items():
        here = spot.below(name)
        if not isinstance(table, dict):
            here.wrong("a table", f"write [{here.name}]")
        elif (tool := _tool_of(table, here)) is not None:
            settings[name] = _settings(tool, table, here)
    return settings


def _tool_of(table: Mapping[str, Any], spot: Spot) -> ReadyTool | None:
    name = spot.path[-1]
    ready, kind = ready_tools(), table.get(KIND, name)
    if KIND in table and (problem := name_problem(name)):
        spot.report(problem.message, problem.hint)
    if isinstance(kind, str) and kind in ready:
        return ready[kind]
    if KIND in table:
        names = ", ".join(f"'{name}'" for name in ready)
        hint = did_you_mean(str(kind), ready, otherwise=f"ready tools: {names}")
        spot.below(KIND).wrong("the name of a ready tool", hint)
    else:
        otherwise = f"to use your own name, set the ready tool: kind = '{next(iter(ready))}'"
        spot.report(f"unknown ready tool '{spot.name}'", did_you_mean(name, ready, otherwise=otherwise))
    return None


def _settings(tool: ReadyTool, table: Mapping[str, Any], spot: Spot) -> ReadySettings:
    given = {name: written for name, written in table.items() if name != KIND}
    values = read_options(tool.options, given, spot)
    return ReadySettings(tool.name, {name: _real(value) for name, value in values.items()}, spot.setting.owner)


def _real(value: Any) -> Any:
    """Return a folder with links resolved, so that the folder that was checked is the one that is used."""
    if not isinstance(value, Path):
        return value
    try:
        return value.resolve()
    except (OSError, RuntimeError):  # circular links, which are reported when it is opened
        return value


def ready_schema() -> Schema:
    """Return the JSON Schema of the tables of ready tools; `DEFINITION` stands for `any_ready_schema`."""
    of_another_name: Schema = {"$ref": f"#/$defs/{DEFINITION}"}
    named = {name: {"anyOf": [schema_of(tool.options), of_another_name]} for name, tool in ready_tools().items()}
    return {"type": "object", "properties": named, "additionalProperties": of_another_name}


def any_ready_schema() -> Schema:
    """Return the JSON Schema of a table with the key `kind`."""
    return {"anyOf": [schema_of((_kind_of(tool), *tool.options)) for tool in ready_tools().values()]}


def _kind_of(tool: ReadyTool) -> Key:
    return Key(KIND, one_of(tool.name), "the ready tool that the table configures", required=True)
