"""Combines the source of a tool with what the child process reports about it into one definition."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toolkit.lint.definitions.source_texts import SourceTexts, texts_of
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.problems import Location
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.written_tools import OURS, WrittenTool
from toolkit.tools.definition.definition_places import place_in_file
from toolkit.tools.definition.spec import ToolSpec, read_record


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
    spec = read_record(record["spec"])
    function = shown.function if function is None and shown is not None else function
    source = None if function is None else SourceTexts(function)
    location = spec.location or (function.location if function else _place_of(record["definition"]))
    location = shown.location if shown else location
    parts = {one.name: one for one in shown.parameters} if shown else {}
    parameters = tuple(_built_parameter(name, spec, source, parts.get(name), location) for name in spec.properties)
    kinds = {True: "pipeline", False: "object" if function is None else "python"}
    found = ToolDefinition(
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
        identity=_identity(record, spec, child),
    )
    return found.with_texts(texts_of(found, source, known=shown.texts if shown else ()))


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
) -> dict[int, WrittenTool]:
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


def is_described_otherwise(file: PythonFile, record: Mapping[str, Any]) -> bool:
    """Return whether a class looks like a text tool to an import, but its source shows what a model receives of it."""
    place = _start(record["spec"].get("location"))
    classes = (one for one in file.written if one.as_class and one.framework != OURS)
    return record["framework"] is None and any(place == file.location(one.node)[:3] for one in classes)


def _made_by(file: PythonFile, record: Mapping[str, Any], others: Collection[WrittenTool]) -> "WrittenTool | None":
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


def _place_of(definition: Sequence[Any] | None) -> Location | None:
    if not definition:
        return None

    return place_in_file(*definition)


def _built_parameter(
    name: str,
    spec: ToolSpec,
    source: SourceTexts | None,
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
