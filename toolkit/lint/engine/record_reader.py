"""Converts definitions and steps to plain records, and back.

Only the parent process needs this; the records that are exchanged with the child are in `records`.
"""

from collections.abc import Mapping
from typing import Any

from toolkit.lint.definitions.pipeline_files import PipelineStep, StepCall, Taint
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.problems import Location
from toolkit.tools.definition.spec import ToolSpec, record_of


def read_step(record: Mapping[str, Any]) -> PipelineStep:
    """Return the step of a pipeline from its record."""
    changes = {
        "location": Location(*record["location"]),
        "tool": record["tool"] and ToolSpec.from_json(record["tool"]),
        "taints": tuple(
            Taint(parameter, Location(*place), tuple(origins), is_seen)
            for parameter, place, origins, is_seen in record["taints"]
        ),
        "call": record["call"] and StepCall(*record["call"]),
    }
    return PipelineStep(**{**record, **changes})


def step_record(step: PipelineStep) -> dict[str, Any]:
    """Return the step of a pipeline as plain data."""
    return {**step._asdict(), "tool": step.tool and record_of(step.tool)}


def definition_record(tool: ToolDefinition) -> dict[str, Any]:
    """Return a tool as plain data, without its source."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": [[one.name, one.description, one.location, one.is_required] for one in tool.parameters],
        "origin": tool.origin,
        "location": tool.location,
        "schema": None if tool.spec else tool.schema,
        "spec": tool.spec and record_of(tool.spec),
        "source": tool.source,
        "identity": sorted(tool.identity, key=repr),
        "is_written": tool.is_written,
        "framework": tool.framework,
        "is_named": tool.is_named,
        "outline": tool.outline and record_of(tool.outline),
    }


def read_definition(record: Mapping[str, Any]) -> ToolDefinition:
    """Return a tool from its record."""
    spec = record["spec"] and ToolSpec.from_json(record["spec"])
    schema = spec.parameters if spec else record["schema"]
    properties = (schema or {}).get("properties", {})
    parameters = tuple(
        ParameterDefinition(name, text, place and Location(*place), schema and properties.get(name), is_required)
        for name, text, place, is_required in record["parameters"]
    )
    place = record["location"]
    changes = {
        "parameters": parameters,
        "location": place and Location(*place),
        "schema": schema,
        "spec": spec,
        "outline": record["outline"] and ToolSpec.from_json(record["outline"]),
        "identity": frozenset(map(tuple, record["identity"])),
    }
    return ToolDefinition(**{**record, **changes})
