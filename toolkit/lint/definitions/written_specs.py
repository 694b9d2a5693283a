"""Derives the whole specification of a tool from its source, without running any code."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from toolkit.errors import InvalidTools
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.source_code.annotation_schemas import WrittenClasses, schema_of_annotation, written_schema
from toolkit.source_code.python_functions import PythonFunction
from toolkit.tools.definition.spec import ToolSpec

_WORKED_OUT = {"parameters", "source", "location", "output_schema", "framework", "names", "origin"}
_OPTIONS = {one.name for one in fields(ToolSpec)} - _WORKED_OUT


def written_spec(
    function: PythonFunction, description: str | None, parameters: Sequence[ParameterDefinition]
) -> ToolSpec | None:
    """Return the specification of a tool; None if a part of it is only known at run time."""
    options = _options(function)
    classes = WrittenClasses(function.file)
    schemas = {one.name: _parameter_schema(function, one, classes) for one in parameters}
    known = {name: schema for name, schema in schemas.items() if schema is not None}
    if options is None or description is None or len(known) < len(schemas) or not _is_plain(function):
        return None
    required = [one.name for one in parameters if one.is_required]
    schema = classes.complete({"type": "object", "properties": known} | ({"required": required} if required else {}))
    if schema is None:
        return None
    try:
        given = {**_category(function), **options, "name": function.tool_name, "description": description}
        return ToolSpec(**given, parameters=schema, output_schema=_result(function))
    except (InvalidTools, TypeError, ValueError):
        return None  # reported when the tool is built


def outline_of(tool: ToolDefinition) -> ToolSpec | None:
    """Return the specification of a tool as far as its source shows it; None if it has no valid one.

    A parameter whose type is unknown accepts any value, and nothing is known about the result.
    """
    if tool.spec is not None:
        return tool.spec
    properties = {one.name: _outline_of_parameter(tool.function, one) for one in tool.parameters}
    required = [one.name for one in tool.parameters if one.is_required]
    schema = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    try:
        return ToolSpec(tool.name, tool.description or "", tool.schema or schema, framework=tool.framework)
    except (InvalidTools, TypeError, ValueError):
        return None


def _outline_of_parameter(function: PythonFunction | None, parameter: ParameterDefinition) -> Mapping[str, Any]:
    python = parameter.python
    shown = parameter.schema
    if shown is None and function is not None and python is not None:
        shown = written_schema(python.node.annotation, python.default, function.file)
    return {**(shown or {}), **({"description": parameter.description} if parameter.description else {})}


def _options(function: PythonFunction) -> dict[str, Any] | None:
    """Return the options of the mark; None if one of them is computed, or is not part of a specification."""
    if any(keyword.arg is None for keyword in getattr(function.mark, "keywords", ())):
        return None
    found = {name: function.option(name) for name in function.options}
    is_known = found.keys() <= _OPTIONS and all(value is not None for value in found.values())
    return found | {"examples": tuple(found.get("examples", ()))} if is_known else None


def _category(function: PythonFunction) -> dict[str, Any]:
    """Return the category of a method of a toolbox: the name of the set."""
    for mark in function.owner.decorator_list if function.owner else ():
        if isinstance(mark, ast.Call) and function.file.short_name(mark.func) == "toolbox":
            named = next((one.value for one in mark.keywords if one.arg == "name"), None)
            name = None if named is None else function.file.text_of(named)
            return {"category": name or function.owner.name} if function.owner else {}
    return {}


def _parameter_schema(
    function: PythonFunction, parameter: ParameterDefinition, classes: WrittenClasses
) -> dict[str, Any] | None:
    python = parameter.python
    schema = python and written_schema(python.node.annotation, python.default, function.file, classes.reference)
    if schema is None:
        return None
    return {**schema, "description": parameter.description} if parameter.description else schema


def _is_plain(function: PythonFunction) -> bool:
    """Return whether nothing could change its parameters: no other decorators, and no `*args`."""
    return (
        function.has_own_mark
        and function.is_named
        and not function.is_decorated
        and not any(one.is_variadic for one in function.all_parameters)
    )


def _result(function: PythonFunction) -> dict[str, Any] | None:
    """Return the schema of a result; None if there is none, or if the source does not show it."""
    classes = WrittenClasses(function.file)
    schema = schema_of_annotation(function.node.returns, function.file, classes.reference)
    return classes.complete(schema) if schema else None
