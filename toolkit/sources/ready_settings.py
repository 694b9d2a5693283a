"""Ready settings: the tables that say how ready tools are to be made.

    [builtin.file_read]
    base = "docs"

    [builtin.read_reports]      # one more of a kind, under a name of its own
    kind = "file_read"
    base = "reports"

In `pyproject.toml` they stand beneath `tool.toolkit`.
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
"""The name of a definition in the JSON Schema of a configuration."""

KIND = "kind"
"""The key that names the ready tool that a table of another name is about."""


def read_ready_settings(tables: Mapping[str, Any], spot: Spot) -> dict[str, ReadySettings]:
    """Return what the tables say, by the names that the tools go by; everything wrong is reported.

    Args:
        tables: A table for each tool.
        spot: Where they stand.
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
        hint = did_you_mean(str(kind), ready, otherwise=f"they are {names}")
        spot.below(KIND).wrong("the name of a ready tool", hint)
    else:
        otherwise = f"for a name of your own, say which tool it is, as in kind = '{next(iter(ready))}'"
        spot.report(f"unknown ready tool '{spot.name}'", did_you_mean(name, ready, otherwise=otherwise))
    return None


def _settings(tool: ReadyTool, table: Mapping[str, Any], spot: Spot) -> ReadySettings:
    given = {name: written for name, written in table.items() if name != KIND}
    values = read_options(tool.options, given, spot)
    return ReadySettings(tool.name, {name: _real(value) for name, value in values.items()}, spot.setting.owner)


def _real(value: Any) -> Any:
    """Return a folder as it really is, so that the one that was judged is the one that is used."""
    if not isinstance(value, Path):
        return value
    try:
        return value.resolve()
    except (OSError, RuntimeError):  # links in a circle: opening it reports them
        return value


def ready_schema() -> Schema:
    """Return the JSON Schema of the tables of ready tools; `DEFINITION` is what `any_ready_schema` gives."""
    of_another_name: Schema = {"$ref": f"#/$defs/{DEFINITION}"}
    named = {name: {"anyOf": [schema_of(tool.options), of_another_name]} for name, tool in ready_tools().items()}
    return {"type": "object", "properties": named, "additionalProperties": of_another_name}


def any_ready_schema() -> Schema:
    """Return the JSON Schema of a table that names the ready tool it is about."""
    return {"anyOf": [schema_of((_kind_of(tool), *tool.options)) for tool in ready_tools().values()]}


def _kind_of(tool: ReadyTool) -> Key:
    return Key(KIND, one_of(tool.name), "which ready tool it is", required=True)
