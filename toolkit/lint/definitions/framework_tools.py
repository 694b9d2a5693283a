"""Defines tools of other frameworks from their source."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolkit.lint.definitions.python_tools import SourceTexts, described, shows_all
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, Text, ToolDefinition, Written
from toolkit.lint.definitions.written_places import Somewhere, WrittenInPython
from toolkit.source_code.annotation_schemas import is_required
from toolkit.source_code.constants import UnknownValueError
from toolkit.source_code.meanings import Defined
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.registrations import hides_arguments
from toolkit.source_code.requirements import Used, version_used
from toolkit.source_code.syntax_nodes import is_none
from toolkit.source_code.written_tools import OURS, WrittenTool, value_of
from toolkit.tools.definition.spec import TEXT_PARAMETERS
from toolkit.tools.foreign.source_marks import is_among

UNKNOWN_NAME = "(known at runtime)"


def framework_definition(file: PythonFile, tool: WrittenTool) -> ToolDefinition:
    """Return the definition of a tool that a file registers, from its source; no code is run.

    It is a tool of another framework, or one of this package that calls a function of another file.
    """
    function = file.framework_functions.get(tool)
    behind = function if tool.framework != OURS else file.function_behind(tool)
    description, node = _description(file, tool, behind)
    schema = _schema(file, tool)
    parameters = tuple(_parameters(file, tool, behind, schema))
    if any(is_among(name, tool.marks.rewriters) for name in file.imported_names.values()):
        parameters = tuple(replace(one, description=one.description or None) for one in parameters)
    location = file.location(tool.node) if behind is None or tool.as_class else behind.location
    name = tool.name or (behind.tool_name if behind else UNKNOWN_NAME)
    at = tool.mark or tool.node
    return ToolDefinition(
        name=name,
        description=description,
        parameters=parameters,
        origin="python",
        location=location,
        schema=schema,
        function=function,
        source=file.file,
        texts=tuple(
            _texts(
                file,
                function,
                name=tool.name,
                description=description,
                node=node,
                parameters=parameters,
                nowhere=Somewhere(location),
            )
        ),
        identity=frozenset([("code", file.file, at.lineno, at.col_offset, name), *_same_elsewhere(behind, name)]),
        is_written=True,
        framework=None if tool.framework == OURS else tool.framework,
        habit=_habit(file, tool),
        is_named=tool.name is not None,
    )


def _same_elsewhere(function: PythonFunction | None, name: str) -> Iterator[tuple[Any, ...]]:
    """Yield the key of a tool that other files also make of its function, or that importing them makes of it."""
    if function is not None:
        yield ("code", function.file.file, function.first_line, function.name, name)


def _description(
    file: PythonSource, tool: WrittenTool, function: PythonFunction | None
) -> tuple[str | None, ast.expr | None]:
    """Return the description that the framework would send, and its node; None if it is only known at run time."""
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
    if not docstring and _is_filled_in(tool):
        return None, None
    return (function.docstring.description if reads_docstrings(file, tool) else docstring), function.docstring_node


def reads_docstrings(file: PythonSource, tool: WrittenTool) -> bool:
    """Return whether the framework reads descriptions of parameters from docstrings, in the version that is used."""
    since, used = tool.marks.docstrings_since, version_of(file, tool)
    return tool.marks.reads_docstrings or (since is not None and (used is None or used.numbers >= since[1]))


def version_of(file: PythonSource, tool: WrittenTool) -> Used | None:
    """Return the version of a framework whose habits depend on it, if anything shows which one the project uses."""
    return None if tool.marks.docstrings_since is None else version_used(file, tool.marks.docstrings_since[0])


def written_description(tool: WrittenTool) -> ast.expr | None:
    """Return the expression that a tool uses as its description, or None."""
    if tool.as_class is not None and not tool.as_class.kind.listing:
        return tool.as_class.value(tool.as_class.kind.description)
    if tool.declared is not None:
        return value_of(tool.declared, "description")
    return None if tool.registration is None else tool.argument(tool.registration.description)


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
        return True
    return hides_arguments(tool.mark)


def written_schema_of(file: PythonSource, tool: WrittenTool) -> ast.expr | None:
    """Return the expression that a tool uses as the schema of its parameters, or None."""
    if tool.as_class is not None:
        given = (tool.as_class.value(one) for one in tool.as_class.kind.schema)
        return file.resolved(next((one for one in given if one is not None), None))
    if tool.declared is not None:
        schema = file.resolved(value_of(tool.declared, "inputSchema"))
        inner = value_of(schema, "json") if isinstance(schema, ast.Dict) else None
        return schema if inner is None else file.resolved(inner)
    return None if tool.registration is None else file.resolved(tool.argument(tool.registration.schema))


def _schema(file: PythonSource, tool: WrittenTool) -> Mapping[str, Any] | None:
    """Return the JSON Schema that a tool is given; None if there is none, or if a part of it is computed."""
    if _takes_text(tool):
        return TEXT_PARAMETERS
    written = written_schema_of(file, tool)
    try:
        found = None if written is None else file.reader.constants.value(file, written, tool.scope)
    except UnknownValueError:
        return None
    if not isinstance(found, dict):
        return None
    is_schema = isinstance(found.get("properties", found.get("type")), dict | str)
    return found if is_schema and all(isinstance(key, str) for key in found) else None


def _parameters(
    file: PythonSource, tool: WrittenTool, function: PythonFunction | None, schema: Mapping[str, Any] | None
) -> Iterator[ParameterDefinition]:
    written = written_schema_of(file, tool)
    at = tool.node if _takes_text(tool) else written
    if schema is not None and at is not None:
        yield from _in_schema(file, at, schema)
    elif isinstance(written, ast.Dict):
        yield from _in_mapping(file, written)
    elif written is not None:
        yield from _in_class(file, written)
    elif tool.registration is not None and tool.registration.parameters:
        for name in tool.registration.parameters:
            yield ParameterDefinition(name, "", file.location(tool.node), is_required=True)
    elif function is not None and not (
        function.takes_call or (tool.registration and tool.registration.way == "definition")
    ):
        if tool.marks.spreads_models and len(function.parameters) == 1:
            fields = list(_in_class(file, function.parameters[0].node.annotation))
            if fields:
                yield from fields
                return
        source = SourceTexts(function)
        for one in function.parameters:
            text = source.text_of_parameter(one, is_docstring_sent=_is_docstring_sent(file, tool))
            place = function.file.location(one.node)
            shown = function.file.shape(one.node.annotation, one.default).if_exact if tool.framework == OURS else None
            is_needed = is_required(function.file.resolved(one.default))
            yield ParameterDefinition(one.name, text, place, shown, is_needed, python=one)


def _is_docstring_sent(file: PythonSource, tool: WrittenTool) -> bool:
    """Return whether models receive the docstring's text on parameters: in the schema, or in the whole docstring."""
    option = tool.marks.demands.parses_if
    is_parsed = reads_docstrings(file, tool) or bool(option and tool.argument((option,)))
    return is_parsed or written_description(tool) is None


def _takes_text(tool: WrittenTool) -> bool:
    return tool.as_class is not None and tool.as_class.kind.takes_text


def _in_schema(
    file: PythonSource, written: ast.expr | ast.stmt, schema: Mapping[str, Any]
) -> Iterator[ParameterDefinition]:
    """Yield the parameters of a JSON Schema, each at its key if the schema is written out in the file."""
    inner = value_of(written, "properties") if isinstance(written, ast.Dict) else None
    keys = [one for one in inner.keys if one is not None] if isinstance(inner, ast.Dict) else []
    places = {file.text_of(one): one for one in keys}
    required = schema.get("required") or ()
    properties = schema.get("properties", {})
    for name, known in properties.items() if isinstance(properties, dict) else ():
        shown = known if isinstance(known, dict) else None
        text = None if shown is None else str(shown.get("description") or "")
        yield ParameterDefinition(str(name), text, file.location(places.get(name, written)), shown, name in required)


def _in_mapping(file: PythonSource, written: ast.Dict) -> Iterator[ParameterDefinition]:
    """Yield the parameters in a dictionary from names to types or schemas, located at their keys."""
    for key, value in zip(written.keys, written.values, strict=True):
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            continue
        match value:
            case ast.Dict():
                text = value_of(value, "description")
                content = "" if text is None else file.text_of(text)
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.BinOp():
                found = [*described(value, file)]
                content = found[0] if found else "" if shows_all(value, file) else None
            case _:
                return  # a JSON Schema that is partly computed
        yield ParameterDefinition(key.value, content, file.location(key))


def _in_class(file: PythonSource, written: ast.expr | None) -> Iterator[ParameterDefinition]:
    """Yield the parameters for the fields of a model; of one in another file, where this file refers to it."""
    found = None if written is None else model_behind(file, written)
    home, cls = found or (None, None)
    for field in cls.body if home is not None and cls is not None else ():
        if home is None or not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        texts = [*described(field.annotation, home), *described(field.value, home)]
        is_whole = shows_all(field.annotation, home) and (field.value is None or shows_all(field.value, home))
        description = texts[0] if texts else "" if is_whole else None
        place = file.location(field.target if home is file or written is None else written)
        is_needed = is_required(home.resolved(field.value))
        yield ParameterDefinition(field.target.id, description, place, is_required=is_needed)


def model_behind(file: PythonSource, written: ast.expr) -> tuple[PythonSource, ast.ClassDef] | None:
    """Return the class that the schema of a tool is: `Model`, or `Model.model_json_schema()`; None if it is none."""
    match written:
        case ast.Call(func=ast.Attribute(value=model, attr="model_json_schema" | "schema")):
            return model_behind(file, model)
        case ast.Name(id=name) if name in file.classes:
            return file, file.classes[name]
    for meaning in file.reader.meanings.of(file, written):
        if isinstance(meaning, Defined) and isinstance(meaning.node, ast.ClassDef):
            return (meaning.source, meaning.node) if isinstance(meaning.source, PythonSource) else None
    return None


def _texts(
    file: PythonSource,
    function: PythonFunction | None,
    name: str | None,
    description: str | None,
    node: ast.expr | None,
    parameters: tuple[ParameterDefinition, ...],
    nowhere: Somewhere,
) -> Iterator[Text]:
    """Yield the texts about a tool that a model receives, if the source shows them, with their positions."""
    if name is not None:
        yield Text("name", name, nowhere)
    if description:
        is_whole = isinstance(node, ast.Constant) and isinstance(node.value, str)
        place: Written = WrittenInPython(file, node, description) if is_whole and node is not None else nowhere  # type: ignore[arg-type]  # a constant
        yield Text("description", description, place)
    source = None if function is None else SourceTexts(function)
    for one in parameters:
        at: Written = Somewhere(one.location)
        yield Text("parameter name", one.name, at, one.name)
        if one.description:
            written = source.written_parameter(one.python, one.description) if source and one.python else at
            yield Text("parameter", one.description, written, one.name)
