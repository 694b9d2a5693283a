"""Derives the whole specification of a tool from its source, without running any code."""

import ast
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from toolkit.errors import InvalidTools
from toolkit.lint.definitions import ParameterDefinition
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.written_classes import WrittenClasses
from toolkit.source_code.written_schemas import written_schema
from toolkit.tools.spec import ToolSpec

_PLAIN_RESULTS = {"str", "int", "float", "bool", "bytes", "dict", "list", "set", "tuple"}
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
        given = {**options, "name": function.tool_name, "description": description}
        return ToolSpec(**given, parameters=schema)
    except (InvalidTools, TypeError, ValueError):
        return None  # reported when the tool is built


def _options(function: PythonFunction) -> dict[str, Any] | None:
    """Return the options of the mark; None if one of them is computed, or is not part of a specification."""
    if any(keyword.arg is None for keyword in getattr(function.mark, "keywords", ())):
        return None
    found = {name: function.option(name) for name in function.options}
    is_known = found.keys() <= _OPTIONS and all(value is not None for value in found.values())
    return found | {"examples": tuple(found.get("examples", ()))} if is_known else None


def _parameter_schema(
    function: PythonFunction, parameter: ParameterDefinition, classes: WrittenClasses
) -> dict[str, Any] | None:
    python = parameter.python
    schema = python and written_schema(python.node.annotation, python.default, function.file, classes.reference)
    if schema is None:
        return None
    return {**schema, "description": parameter.description} if parameter.description else schema


def _is_plain(function: PythonFunction) -> bool:
    """Return whether nothing could change its schema: other decorators, `*args`, or a structured result."""
    return (
        _is_plain_result(function.node.returns, function.file)
        and not function.is_decorated
        and not any(one.is_variadic for one in function.all_parameters)
    )


def _is_plain_result(returns: ast.expr | None, file: PythonSource) -> bool:
    if returns is None or isinstance(returns, ast.Constant) or written_schema(returns, None, file):
        return True
    return all(one.id in _PLAIN_RESULTS for one in ast.walk(returns) if isinstance(one, ast.Name))
