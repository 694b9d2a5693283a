"""Combines the source of a tool with what the child process reports about it into one definition."""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

from toolkit.lint.definitions.tool_definitions import ParameterDefinition, Text, ToolDefinition, Written
from toolkit.lint.definitions.written_places import FoundLater, Somewhere, WrittenInPython
from toolkit.lint.definitions.written_specs import written_spec
from toolkit.problems import Location
from toolkit.schemas.schema import Schema
from toolkit.source_code.annotation_schemas import is_required
from toolkit.source_code.marks_table import marks_of
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.written_tools import OURS
from toolkit.tools.definition.definition_places import place_in_file
from toolkit.tools.definition.spec import ToolSpec

if TYPE_CHECKING:
    from toolkit.source_code.written_tools import WrittenTool


# Annotations that contain no description; any other name may be an alias of one that does.
_PLAIN_TYPES = {
    "str", "int", "float", "bool", "bytes", "list", "dict", "set", "tuple", "object", "None", "Any", "Path", "Literal",
    "Optional", "Union", "List", "Dict", "datetime", "date", "time", "timedelta", "Decimal", "UUID",
}  # fmt: skip


def static_definition(function: PythonFunction, *, is_alone: bool = False) -> ToolDefinition:
    """Return the definition of a marked function from its source alone; no code is run.

    Args:
        function: The function.
        is_alone: Whether nothing is imported, so that the source is all there is.
    """
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
        texts=tuple(
            _texts(
                source,
                function.tool_name,
                description=description,
                parameters=parameters,
                schema=spec.parameters if spec else None,
                location=None,
            )
        ),
        identity=frozenset([_definition_of(function), *_alternatives(function)]),
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
        yield ("passed", *_definition_of(function)[1:])


def _as_sent(parameter: ParameterDefinition, schema: Any) -> ParameterDefinition:
    """Return a parameter with its schema; a class may have set the description."""
    return replace(parameter, schema=schema, description=parameter.description or str(schema.get("description") or ""))


def built_definition(
    record: Mapping[str, Any],
    function: PythonFunction | None,
    fallback: str,
    child: str,
    shown: ToolDefinition | None = None,
) -> ToolDefinition:
    """Return the definition of a tool that the child process has built.

    Args:
        record: The child's report of the tool.
        function: The function that it was made from, if its source is available.
        fallback: The file or name through which it was opened.
        child: The child process, since object ids are only unique within one process.
        shown: For a tool of another framework, its definition from the source.
    """
    spec = ToolSpec.from_json(record["spec"])
    function = shown.function if function is None and shown is not None else function
    source = None if function is None else SourceTexts(function)
    location = spec.location or (function.location if function else _place_of(record["definition"]))
    location = shown.location if shown else location
    parts = {one.name: one for one in shown.parameters} if shown else {}
    parameters = tuple(_built_parameter(name, spec, source, parts.get(name), location) for name in spec.properties)
    kinds = {True: "pipeline", False: "object" if function is None else "python"}
    return ToolDefinition(
        name=spec.name,
        description=spec.description,
        parameters=parameters,
        origin=kinds[record["steps"] is not None],  # type: ignore[arg-type]  # one of the two
        location=location,
        schema=spec.parameters,
        spec=spec,
        function=function,
        source=spec.source or fallback,
        framework=shown.framework if shown else record["framework"],
        texts=tuple(
            _texts(
                source,
                spec.name,
                description=spec.description,
                parameters=parameters,
                schema=spec.parameters,
                location=location,
                known=shown.texts if shown else (),
            )
        ),
        identity=_identity(record, spec, child),
    )


def marks_to_functions(file: PythonFile, records: Sequence[Mapping[str, Any]]) -> dict[int, PythonFunction]:
    """Return the functions of a file that became tools, by the index of the tool's record."""
    every: dict[tuple[int, str], list[PythonFunction]] = {}
    for function in (*file.framework_functions.values(), *file.tools, *file.functions):
        every.setdefault((function.first_line, function.name), []).append(function)
    found = {}
    for position, record in enumerate(records):
        definition = record["definition"]
        if definition and definition[0] == file.file and (same := every.get((definition[1], definition[2]))):
            found[position] = next((one for one in same if one.tool_name == record["spec"]["name"]), same[0])
    return found


def written_behind(
    file: PythonFile, records: Sequence[Mapping[str, Any]], functions: Mapping[int, PythonFunction]
) -> dict[int, "WrittenTool"]:
    """Return the tools of other frameworks in a file's source, by the index of the tool's record.

    Args:
        file: The file.
        records: The child's report of each tool.
        functions: The functions that the tools were made from. A tool without one is found by the class at its
            location, or by a call with its name.
    """
    found = {position: one.written for position, one in functions.items() if one.written is not None}
    for position, record in enumerate(records if file.written else ()):
        if position not in functions and (one := _made_by(file, record, found.values())):
            found[position] = one
    return found


def _made_by(file: PythonFile, record: Mapping[str, Any], others: Collection["WrittenTool"]) -> "WrittenTool | None":
    own = [one for one in file.written if one.framework == (record["framework"] or OURS)]
    place = _start(record["spec"].get("location"))
    in_place = (one for one in own if one.as_class and place == file.location(one.node)[:3])
    named = (one for one in own if one.name == record["spec"]["name"] and one not in others)
    return next(in_place, None) or next(named, None)


def _identity(record: Mapping[str, Any], spec: ToolSpec, child: str) -> frozenset[tuple[Any, ...]]:
    keys: set[tuple[Any, ...]] = {("object", child, record["identity"])}
    if record["definition"]:
        keys.add(("code", *record["definition"], spec.name))
    if spec.location:
        keys.add(("place", spec.name, *spec.location[:3]))
    return frozenset(keys)


def _start(location: Any) -> tuple[Any, ...]:
    """Return file, line and column of a location's record."""
    return (location["file"], location.get("line"), location.get("column")) if location else ()


def _definition_of(function: PythonFunction) -> tuple[Any, ...]:
    return ("code", function.file.file, function.first_line, function.name, function.tool_name)


def _place_of(definition: Sequence[Any] | None) -> Location | None:
    if not definition:
        return None

    return place_in_file(*definition)


def _built_parameter(
    name: str,
    spec: ToolSpec,
    source: "SourceTexts | None",
    shown: ParameterDefinition | None,
    location: Location | None,
) -> ParameterDefinition:
    python = None if source is None else source.parameter(name)
    schema = spec.properties[name]
    known: Mapping[str, Any] = schema if isinstance(schema, Mapping) else {}
    place = source.function.file.location(python.node) if source is not None and python is not None else location
    return ParameterDefinition(
        name,
        _description_of(name, known, spec, shown),
        location=place if shown is None else shown.location,
        schema=known,
        is_required=name in spec.required,
        python=python,
    )


def _description_of(name: str, schema: Mapping[str, Any], spec: ToolSpec, shown: ParameterDefinition | None) -> str:
    """Return the description of a parameter: its own, or its docstring text if the tool's description includes that."""
    text = str(schema.get("description") or "")
    if text and text != _filler_of(spec.framework, name):
        return text
    in_docstring = "" if shown is None else shown.description or ""
    return in_docstring if _holds(spec.description, in_docstring) else ""


def _filler_of(framework: str | None, name: str) -> str | None:
    """Return the text that a framework sends for a parameter without a description, or None."""
    if framework is None:
        return None

    marks = marks_of(framework)
    return marks.filler.replace("NAME", name) if marks and marks.filler else None


def _holds(text: str, part: str) -> bool:
    """Return whether a text contains another one, ignoring line breaks."""
    return " ".join(part.split()) in " ".join(text.split())


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


def _texts(
    source: SourceTexts | None,
    name: str,
    description: str | None,
    parameters: Iterable[ParameterDefinition],
    schema: Mapping[str, Any] | None,
    location: Location | None,
    known: Iterable[Text] = (),
) -> Iterator[Text]:
    """Yield every text about a tool that a model receives, with its position, which may be known already."""
    nowhere = Somewhere(location)
    places = {(one.kind, one.value, one.parameter): one.written for one in known}
    yield Text("name", name, FoundLater(partial(source.written_name, name)) if source else nowhere)
    if description:
        written = FoundLater(partial(source.written_description, description)) if source else nowhere
        yield Text("description", description, places.get(("description", description, None), written))
    for parameter in parameters:
        place: Written = Somewhere(parameter.location)
        python = parameter.python
        yield Text("parameter name", parameter.name, place, parameter.name)
        if parameter.description and parameter.schema is None:
            yield Text(
                "parameter",
                parameter.description,
                _place_of_text(source, python, parameter.description, place),
                parameter.name,
            )
        shown = parameter.schema
        if shown is None and source and python:  # nothing was run, so use what the source shows
            shown = source.values_of(python)
        for kind, value, _, _ in Schema.of(shown).texts(parameter.name):
            yield Text(kind, value, _place_of_text(source, python, value, place), parameter.name)
    beside = {
        key: value for key, value in (schema or {}).items() if key != "properties"
    }  # parameters were handled above
    for kind, value, owner, _ in Schema.of(beside).texts():
        yield Text(kind, value, nowhere, owner)


def _place_of_text(
    source: SourceTexts | None, python: PythonParameter | None, text: str, otherwise: Written
) -> Written:
    """Return the position of a text of a parameter, if the source of its function is available."""
    if source is None or python is None:
        return otherwise
    return FoundLater(partial(source.written_parameter, python, text))


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
