"""The texts of a tool that a model receives, and where its source has them."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeGuard

from toolkit.lint.definitions.tool_definitions import ParameterDefinition, Text, ToolDefinition, Written
from toolkit.lint.definitions.written_places import FoundLater, Somewhere, WrittenInPython
from toolkit.schemas.schema import Schema
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource

# Annotations that contain no description; any other name may be an alias of one that does.
_PLAIN_TYPES = {
    "str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "None", "Any", "Path", "Literal",
    "Optional", "Union", "List", "Dict", "datetime", "date", "time", "timedelta", "Decimal", "UUID",
}  # fmt: skip


def texts_of(
    tool: ToolDefinition,
    source: "SourceTexts | None",
    description_at: Written | None = None,
    known: Iterable[Text] = (),
) -> Iterator[Text]:
    """Yield every text about a tool that a model receives, with its position.

    Args:
        tool: The tool; its own texts are ignored.
        source: The source of its function, if that is available.
        description_at: The position of the description, if it is not that in the source.
        known: Texts whose positions are known.
    """
    nowhere = Somewhere(tool.location)
    if tool.is_named:
        yield Text("name", tool.name, FoundLater(partial(source.written_name, tool.name)) if source else nowhere)
    if tool.description:
        places = {one.value: one.written for one in known if one.kind == "description"}
        found = FoundLater(partial(source.written_description, tool.description)) if source else nowhere
        yield Text("description", tool.description, description_at or places.get(tool.description, found))
    for parameter in tool.parameters:
        yield from _texts_of_parameter(parameter, source, is_written=tool.is_written)
    beside = {key: value for key, value in (tool.schema or {}).items() if key != "properties"}
    for kind, value, owner, _ in Schema.of(beside).texts():
        yield Text(kind, value, nowhere, owner)


def _texts_of_parameter(
    parameter: ParameterDefinition, source: "SourceTexts | None", *, is_written: bool
) -> Iterator[Text]:
    python, place = parameter.python, Somewhere(parameter.location)

    def at(text: str) -> Written:
        if source is None or python is None:
            return place
        return FoundLater(partial(source.written_parameter, python, text))

    yield Text("parameter name", parameter.name, place, parameter.name)
    shown = parameter.schema
    if shown is None and source and python:  # nothing was run, so use what the source shows
        shown = source.values_of(python)
    if is_written and parameter.description and "description" not in (shown or {}):
        yield Text("parameter", parameter.description, at(parameter.description), parameter.name)
    for kind, value, _, _ in Schema.of(shown).texts(parameter.name):
        yield Text(kind, value, at(value), parameter.name)


class SourceTexts:
    """Finds the texts of a tool in the source of its function."""

    def __init__(self, function: PythonFunction) -> None:
        self.function = function
        self.file = function.file

    def description(self) -> str | None:
        """Return the description in the source; None if it is only known at run time."""
        if "description" in self.function.options:
            option = self.function.option("description")
            if not isinstance(option, str):
                return None
            if option:
                return option
        text = self.function.docstring.description
        return text if text or self.function.has_own_mark else None

    def parameter(self, name: str) -> PythonParameter | None:
        """Return the parameter with this name in the schema: its own name, or an alias in its `Field`."""
        for one in self.function.parameters:
            if one.name == name:
                return one
        return next((one for one in self.function.parameters if name in _strings(self._parts(one))), None)

    def text_of_parameter(self, parameter: PythonParameter, *, is_docstring_sent: bool = True) -> str | None:
        """Return the description of a parameter; None if its annotation or default may contain an unknown one."""
        if is_docstring_sent and (text := self.function.docstring.parameters.get(parameter.name)):
            return text
        annotation, default = self._parts(parameter)
        found = [*described(annotation, self.file), *described(default, self.file)]
        if found:
            return found[0]
        return "" if shows_all(annotation, self.file) and self._shows_all_of_default(default) else None

    def values_of(self, parameter: PythonParameter) -> Mapping[str, Any] | None:
        """Return the schema that the source shows, without the description."""
        shown = self.file.shape(parameter.node.annotation, parameter.default).if_exact
        return shown and {key: value for key, value in shown.items() if key != "description"}

    def _parts(self, parameter: PythonParameter) -> tuple[ast.expr | None, ast.expr | None]:
        """Return the annotation and the default, with names resolved within the file."""
        return self.file.resolved(parameter.node.annotation), self.file.resolved(parameter.default)

    def _shows_all_of_default(self, default: ast.expr | None) -> bool:
        """Return whether a default cannot be a `Field` that is defined elsewhere."""
        match default:
            case ast.Attribute(value=ast.Name(id=owner)):
                return owner in self.file.classes
            case ast.Name() | ast.Attribute():
                return False
        if default is None or _is_whole_field(default, self.file):
            return True
        return not any(isinstance(node, ast.Call) for node in ast.walk(default))

    def written_name(self, name: str) -> Written:
        """Return the position of the tool's name."""
        keyword = self.function.options.get("name")
        if keyword is not None and _says(keyword.value, name):
            return WrittenInPython(self.file, keyword.value, name)
        start = self.file.location(self.function.node)
        return Somewhere(start)

    def written_description(self, description: str) -> Written:
        """Return the position of the description."""
        keyword = self.function.options.get("description")
        if keyword is not None and _says(keyword.value, description):
            return WrittenInPython(self.file, keyword.value, description)
        if self.function.docstring.description == description and (node := self.function.docstring_node):
            return WrittenInPython(self.file, node, description)
        return Somewhere(self.function.location)

    def written_parameter(self, python: PythonParameter, text: str) -> Written:
        """Return the position of a text of a parameter: its description, or a value of its type."""
        for node in _constants(self._parts(python)):
            if node.value == text:
                return WrittenInPython(self.file, node, text)
        docstring = self.function.docstring_node
        if docstring is not None and self.function.docstring.parameters.get(python.name) == text:
            return WrittenInPython(self.file, docstring, text, _entry_of(python.name, str(docstring.value)))
        return Somewhere(self.file.location(python.node))


def _says(node: ast.expr, text: str) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and node.value == text


def _constants(parts: Iterable[ast.expr | None]) -> Iterator[ast.Constant]:
    for part in parts:
        if part is not None:
            yield from (node for node in ast.walk(part) if isinstance(node, ast.Constant))


def _strings(parts: Iterable[ast.expr | None]) -> set[str]:
    return {node.value for node in _constants(parts) if isinstance(node.value, str)}


def described(node: ast.expr | None, file: PythonSource) -> Iterator[str]:
    """Yield the descriptions in an annotation or a default: in `Annotated` and in `Field`."""
    for part in ast.walk(node) if node is not None else ():
        match part:
            case ast.Subscript(
                value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"), slice=ast.Tuple(elts=[_, *extras])
            ):
                yield from (text for one in extras if (text := file.text_of(one)) is not None)
            case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), keywords=keywords):
                for keyword in keywords:
                    if keyword.arg == "description" and (text := file.text_of(keyword.value)) is not None:
                        yield text


def shows_all(annotation: ast.expr | None, file: PythonSource) -> bool:
    """Return whether the source shows the whole annotation, which only consists of plain types and `Field` calls."""
    match annotation:
        case None:
            return True
        case ast.Constant(value=value):
            return not isinstance(value, str)
        case ast.Name(id=name):
            return name in _PLAIN_TYPES
        case ast.Call():
            return _is_whole_field(annotation, file)
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal")):
            return True
        case ast.Subscript(
            value=ast.Name(id="Annotated") | ast.Attribute(attr="Annotated"), slice=ast.Tuple(elts=[inner, *extras])
        ):
            return shows_all(inner, file) and all(
                isinstance(one, ast.Constant) or _is_whole_field(one, file) for one in extras
            )
    return all(shows_all(node, file) for node in ast.iter_child_nodes(annotation) if isinstance(node, ast.expr))


def _is_whole_field(node: ast.expr, file: PythonSource) -> bool:
    """Return whether this is a call of `Field` whose description, if any, is a constant."""
    match node:
        case ast.Call(func=ast.Name(id="Field") | ast.Attribute(attr="Field"), keywords=keywords):
            descriptions = [keyword.value for keyword in keywords if keyword.arg == "description"]
            return all(keyword.arg for keyword in keywords) and all(
                file.text_of(one) is not None for one in descriptions
            )
    return False


def _entry_of(name: str, docstring: str) -> int:
    """Return the offset in a docstring after a parameter's name, where its description may begin."""
    found = re.search(rf"^[ \t]*(?::\w+\s+(?:[^:\n]*\s)?)?\*{{0,2}}{re.escape(name)}\b", docstring, re.MULTILINE)
    return found.end() if found else 0
