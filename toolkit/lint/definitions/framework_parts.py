"""What a file hands to a framework as a tool's description and parameters."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.dialects.recognizing import recognize
from toolkit.lint.definitions.source_texts import SourceTexts, described, shows_all
from toolkit.lint.definitions.tool_definitions import ParameterDefinition
from toolkit.source_code.annotation_schemas import is_required
from toolkit.source_code.constants import UnknownValueError, value_in
from toolkit.source_code.declared_tools import SCHEMAS
from toolkit.source_code.meanings import Defined
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.requirements import Used, version_used
from toolkit.source_code.written_tools import OURS, WrittenTool, part_of, value_of
from toolkit.tools.definition.spec import TEXT_PARAMETERS
from toolkit.tools.foreign.source_marks import is_among


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


def written_schema_of(file: PythonSource, tool: WrittenTool) -> ast.expr | None:
    """Return the expression that a tool uses as the schema of its parameters, or None."""
    if tool.as_class is not None:
        given = (tool.as_class.value(one) for one in tool.as_class.kind.schema)
        return file.resolved(next((one for one in given if one is not None), None))
    if tool.declared is not None:
        keys = [key for form in tool.marks.forms for key in form.schemas] or SCHEMAS
        return _without_wrapper(file, part_of(tool.declared, *keys))
    if (whole := written_whole(tool)) is not None:
        shown = file.resolved(whole)
        is_shown = isinstance(shown, ast.Dict | ast.Call)
        return file.resolved(part_of(shown, "parameters", "fn_schema")) if shown and is_shown else whole
    return None if tool.registration is None else _without_wrapper(file, tool.argument(tool.registration.schema))


def written_whole(tool: WrittenTool) -> ast.expr | None:
    """Return what defines all of a tool: `raw_schema` of LiveKit, or `metadata` of LlamaIndex; or None."""
    return None if tool.registration is None else tool.argument(tool.registration.whole)


def _without_wrapper(file: PythonSource, written: ast.expr | None) -> ast.expr | None:
    """Return the schema in the form of Bedrock, `{"json": {…}}`; any other one as it is."""
    schema = file.resolved(written)
    is_wrapped = isinstance(schema, ast.Dict) and len(schema.keys) == 1
    inner = value_of(schema, "json") if is_wrapped and isinstance(schema, ast.Dict) else None
    return schema if inner is None else file.resolved(inner)


def schema_of(file: PythonSource, tool: WrittenTool) -> Mapping[str, Any] | None:
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
    found = _in_json_schema(tool, found)
    is_schema = isinstance(found.get("properties", found.get("type")), dict | str)
    return found if is_schema and all(isinstance(key, str) for key in found) else None


def _in_json_schema(tool: WrittenTool, schema: dict[Any, Any]) -> Mapping[str, Any]:
    """Return a schema whose types a provider may write otherwise, such as `OBJECT`, as JSON Schema."""
    listed_in = next((one for form in tool.marks.forms for one in form.listed_in), None)
    found = None if listed_in is None else recognize({"name": tool.name, "parameters": schema}, listed_in)
    return schema if found is None else found.parameters


def parameters_of(
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
        is_elsewhere = (
            _inherits_schema(file, tool)
            or function.name in function.file.with_other_docstrings
            or function.may_hide_parameters
        )
        for one in function.parameters:
            text = source.text_of_parameter(one, is_docstring_sent=_is_docstring_sent(file, tool))
            place = function.file.location(one.node)
            shown = function.file.shape(one.node.annotation, one.default).if_exact if tool.framework == OURS else None
            is_needed = is_required(function.file.resolved(one.default))
            described = None if is_elsewhere and not text else text
            yield ParameterDefinition(one.name, described, place, shown, is_needed, python=one)


_PLAIN_BASES = {"BaseTool", "StructuredTool", "Tool"}


def _inherits_schema(file: PythonSource, tool: WrittenTool) -> bool:
    """Return whether a base class of a tool may describe its parameters: a ready-made tool, or one with a schema."""
    if tool.as_class is None or not tool.as_class.kind.schema:
        return False
    above = file.reader.constants.meanings.bases_of(Defined(file, tool.as_class.node))
    if any(value_in(one.node, attribute) is not None for one in above for attribute in tool.as_class.kind.schema):
        return True
    bases = file.reader.meanings.made_from(Defined(file, tool.as_class.node))
    return any(one.rpartition(".")[2] not in _PLAIN_BASES for one in bases if is_among(one, tool.as_class.kind.bases))


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
