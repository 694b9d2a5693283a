"""Defines tools from their source: those with our mark, and those registered otherwise. No code runs."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from toolkit.errors import InvalidTools
from toolkit.lint.definitions.framework_parts import (
    parameters_of,
    reads_docstrings,
    schema_of,
    version_of,
    written_description,
    written_whole,
)
from toolkit.lint.definitions.source_texts import SourceTexts, texts_of
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition, Written
from toolkit.lint.definitions.written_places import Somewhere, WrittenInPython
from toolkit.source_code.annotation_schemas import AnnotationSchemas, Shape, is_required
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.syntax_nodes import is_none
from toolkit.source_code.written_calls import hides_arguments
from toolkit.source_code.written_tools import IN_LIST, OURS, WrittenTool, part_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import is_among

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


UNKNOWN_NAME = "(known at runtime)"


def written_definition(
    file: PythonFile, tool: PythonFunction | WrittenTool, *, is_alone: bool = False
) -> ToolDefinition:
    """Return the definition of a tool from its source; no code is run.

    Args:
        file: The file that makes it a tool.
        tool: A function with our mark, or another registration: one of another framework, or ours of a function of
            another file.
        is_alone: Whether nothing is imported, so that the source is all there is.
    """
    if isinstance(tool, PythonFunction):
        found, description_at = _marked(tool, is_alone=is_alone), None
    else:
        found, description_at = _registered(file, tool)
    source = None if found.function is None else SourceTexts(found.function)
    return replace(found, texts=tuple(texts_of(found, source, description_at)))


def _marked(function: PythonFunction, *, is_alone: bool) -> ToolDefinition:
    """Return the definition of a function with our mark, without its texts."""
    source = SourceTexts(function)
    parameters = tuple(
        ParameterDefinition(
            one.name,
            source.text_of_parameter(one),
            function.file.location(one.node),
            is_required=is_required(function.file.resolved(one.default)),
            python=one,
        )
        for one in function.parameters
    )
    description = source.description()
    spec = written_spec(function, description, parameters) if is_alone else None
    if spec is not None:
        parameters = tuple(_as_sent(one, spec.properties[one.name]) for one in parameters)
    return ToolDefinition(
        name=function.tool_name,
        description=description,
        parameters=parameters,
        origin="python",
        location=function.location,
        schema=None if spec is None else spec.parameters,
        spec=spec,
        function=function,
        source=function.file.file,
        identity=frozenset([_key_of(function, function.tool_name), *_alternatives(function)]),
        is_written=True,
        is_named=function.is_named,
    )


def _alternatives(function: PythonFunction) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that a tool shares with others of its name that a module does not have beside it.

    These are tools in other branches, only one of which is run, and those of one function that no name is bound to.
    """
    file, tool = function.file, function.registered
    if (branching := file.branching(function.node)) is not None:
        yield ("branches", file.file, branching.lineno, function.tool_name)
    if tool is not None and tool.kind != "decorator" and isinstance(file, PythonFile) and not file.is_held(tool):
        yield ("passed", *_key_of(function, function.tool_name)[1:])


def _as_sent(parameter: ParameterDefinition, schema: Any) -> ParameterDefinition:
    """Return a parameter with its schema; a class may have set the description."""
    return replace(parameter, schema=schema, description=parameter.description or str(schema.get("description") or ""))


def _key_of(function: PythonFunction, name: str) -> tuple[Any, ...]:
    """Return the key of a tool that calls a function: importing its file, or another file, makes the same one."""
    return ("code", function.file.file, function.first_line, function.name, name)


def _registered(file: PythonFile, tool: WrittenTool) -> tuple[ToolDefinition, Written | None]:
    """Return the definition of a registered tool without its texts, and the position of its description."""
    behind = file.framework_functions.get(tool) if tool.as_class else file.function_behind(tool)
    description, node = _description(file, tool, behind)
    schema = schema_of(file, tool)
    parameters = tuple(parameters_of(file, tool, behind, schema))
    if any(is_among(name, tool.marks.rewriters) for name in file.imported_names.values()):
        parameters = tuple(replace(one, description=one.description or None) for one in parameters)
    location = file.location(tool.node) if behind is None or tool.as_class else behind.location
    name = tool.name or (behind.tool_name if behind else UNKNOWN_NAME)
    at = tool.mark or tool.node
    same_elsewhere = [] if behind is None else [_key_of(behind, name)]
    found = ToolDefinition(
        name=name,
        description=description,
        parameters=parameters,
        origin="python",
        location=location,
        schema=schema,
        function=behind,
        source=file.file,
        identity=frozenset([("code", file.file, at.lineno, at.col_offset, name), *same_elsewhere]),
        is_written=True,
        framework=None if tool.framework == OURS else tool.framework,
        habit=_habit(file, tool),
        is_named=tool.name is not None,
        is_lookalike=behind is not None and behind.is_lookalike,
    )
    is_whole = isinstance(node, ast.Constant) and isinstance(node.value, str)
    home = behind.file if behind is not None and node is behind.docstring_node else file
    place = WrittenInPython(home, node, description) if is_whole and description else Somewhere(location)  # type: ignore[arg-type]  # a constant
    return found, place


def _description(
    file: PythonSource, tool: WrittenTool, function: PythonFunction | None
) -> tuple[str | None, ast.expr | None]:
    """Return the description that the framework would send, and its node; None if it is only known at run time."""
    if (whole := written_whole(tool)) is not None:
        return _described_in(file, whole, tool), None
    node = written_description(tool)
    if node is not None:
        text = file.resolved(node)
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            is_named_later = tool.as_class is not None and not text.value and not tool.name
            return (None, None) if is_named_later else (text.value, text)
        if not is_none(text):
            return file.reader.constants.text(file, node, tool.scope), None
    if tool.as_class is not None and not tool.as_class.kind.listing:
        return None, None  # it may be inherited
    if function is None:
        return ("" if _shows_arguments(tool) else None), None
    docstring = ast.get_docstring(function.node) or ""
    if function.name in function.file.with_other_docstrings or (not docstring and _is_filled_in(tool)):
        return None, None
    return (function.docstring.description if reads_docstrings(file, tool) else docstring), function.docstring_node


def _described_in(file: PythonSource, whole: ast.expr, tool: WrittenTool) -> str | None:
    """Return the description in the dictionary or the object that defines all of a tool."""
    shown = file.resolved(whole)
    if not isinstance(shown, ast.Dict | ast.Call):
        return file.reader.constants.text(file, whole, tool.scope)
    written = part_of(shown, "description")
    if written is None:
        return "" if isinstance(shown, ast.Dict) else None
    return file.reader.constants.text(file, written, tool.scope)


def _habit(file: PythonSource, tool: WrittenTool) -> str | None:
    """Return a note on what the framework's version does with docstrings, if that depends on it."""
    used = version_of(file, tool)
    if used is None:
        return None
    where = "the installed version" if used.source == "installed" else f"'{used.source}'"
    what = "reads" if reads_docstrings(file, tool) else "does not read"
    return f"{tool.marks.title} {used.text}, according to {where}, {what} docstrings for that"


def _shows_arguments(tool: WrittenTool) -> bool:
    """Return whether all arguments of a definition are visible, so that a missing one is really missing."""
    call = tool.mark
    is_whole = (
        tool.registration is not None and tool.registration.way == "definition" and bool(tool.registration.schema)
    )
    return is_whole and isinstance(call, ast.Call) and all(one.arg for one in call.keywords)


def _is_filled_in(tool: WrittenTool) -> bool:
    """Return whether the description may come from elsewhere: a custom decorator, or unpacked arguments."""
    if tool.registration is None or tool.is_wrapped:
        return tool.kind != IN_LIST
    return hides_arguments(tool.mark)
