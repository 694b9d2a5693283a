"""Derives the whole specification of a tool from its source, without running any code."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from toolkit.errors import InvalidTools
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.source_code.annotation_schemas import AnnotationSchemas, Shape
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.tools.definition.spec import ToolSpec

_WORKED_OUT = {"parameters", "source", "location", "output_schema", "framework", "names", "origin"}
_OPTIONS = {one.name for one in fields(ToolSpec)} - _WORKED_OUT


def written_spec(
    function: PythonFunction, description: str | None, parameters: Sequence[ParameterDefinition]
) -> ToolSpec | None:
    """Return the specification of a tool; None if a part of it is only known at run time."""
    options = _options(function)
    if options is None or description is None or not _is_plain(function):
        return None
    schema = written_parameters(function.file, parameters).if_exact
    if schema is None:
        return None
    try:
        given = {**_category(function), **options, "name": function.tool_name, "description": description}
        result = function.file.shape(function.node.returns, is_result=True).if_exact
        return ToolSpec(**given, parameters=schema, output_schema=result)
    except (InvalidTools, TypeError, ValueError):
        return None  # reported when the tool is built


def written_parameters(file: PythonSource, parameters: Sequence[ParameterDefinition]) -> Shape:
    """Return the schema of parameters that are written in a file."""
    reader = AnnotationSchemas(file.reader.constants)
    properties, is_exact = {}, True
    for one in parameters:
        shape = Shape(dict(one.schema or {}), is_exact=False)
        if one.python is not None:
            shape = reader.of(file, one.python.node.annotation, one.python.default)
        properties[one.name] = {**shape.schema, **({"description": one.description} if one.description else {})}
        is_exact &= shape.is_exact
    required = [one.name for one in parameters if one.is_required]
    schema = {"type": "object", "properties": properties} | ({"required": required} if required else {})
    return reader.complete(Shape(schema, is_exact))


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
        shown = function.file.shape(python.node.annotation, python.default).if_exact
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


def _is_plain(function: PythonFunction) -> bool:
    """Return whether nothing could change its parameters: no other decorators, and no `*args`."""
    return (
        function.has_own_mark
        and function.is_named
        and not function.is_decorated
        and not any(one.is_variadic for one in function.all_parameters)
    )
