"""Derives the lockfile entry of a tool from its source, without running any code."""

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.documents.json_reading import read_json
from toolkit.lint.configuration.suppressions import Suppression, suppressions_in, widened
from toolkit.lint.definitions.api_files import read_api
from toolkit.lint.definitions.framework_parts import model_behind, written_description, written_schema_of
from toolkit.lint.definitions.json_tools import definitions_in
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.definitions.written_definitions import UNKNOWN_NAME, written_definition, written_parameters
from toolkit.lint.engine.file_checks import header_of, source_of, unreadable
from toolkit.lint.engine.records import choice_in
from toolkit.pins.drifts import Entry
from toolkit.pins.lockfile import entry_of
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.schemas.schema import Schema
from toolkit.source_code.annotation_schemas import JSON_TYPES, is_required
from toolkit.source_code.python_files import PythonFile, make_reader
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.written_calls import hides_arguments
from toolkit.source_code.written_tools import WrittenTool
from toolkit.sources.targets import JSON
from toolkit.tools.foreign.schema_tools import marks_of

_HINTS = ("read_only", "destructive", "idempotent", "open_world", "requires_approval")


class WrittenEntry(NamedTuple):
    """One tool as its source shows it.

    Attributes:
        name: The name that a model calls.
        file: The path of its file from the root of the tree, with slashes.
        place: The location of its definition.
        entry: The lockfile entry, without the parts that the source does not show.
        hidden: The names of these parts.
    """

    name: str
    file: str
    place: Location | None
    entry: Entry
    hidden: frozenset[str] = frozenset()


class WrittenTree:
    """The tools of a tree of files; each file is read when it is needed."""

    def __init__(self, root: Path, tool_decorators: Sequence[str] = ()) -> None:
        """Create an empty tree, without reading any file; the project's own decorators are those in its settings."""
        self._root = os.path.realpath(root)
        self._reader = make_reader(tool_decorators)
        self._files: dict[str, PythonFile | Problem] = {}

    def path_of(self, file: str) -> str:
        """Return the path of a file from the root of the tree, with slashes."""
        return os.path.relpath(os.path.realpath(file), self._root).replace(os.sep, "/")

    def entries_of(self, file: str, api: str = "") -> list[WrittenEntry] | Problem:
        """Return the tools of one file, in order, or the problem that prevents reading it.

        Args:
            file: The path of the file.
            api: For an OpenAPI document, what chooses its operations, as in a request.
        """
        if api:
            return self._operations(file, api)
        if file.endswith(JSON):
            return self._listed(file)
        real = os.path.realpath(file)
        with suppress(OSError):  # reading it below reports the problem
            if not self._reader.hints.may_have_tools(real, bounded_bytes(file)):
                return []
        found = self._python(real)
        return found if isinstance(found, Problem) else list(self._defined(found))

    def suppressions_of(self, file: str) -> list[Suppression]:
        """Return the suppressions in a file that was read."""
        found = self._files.get(os.path.realpath(file))
        if not isinstance(found, PythonFile):
            return []
        functions = [*found.tools, *found.framework_functions.values()]
        headers = [header_of(function) for function in functions]
        return [widened(one, headers) for one in suppressions_in(found.file, found.text)]

    def _listed(self, file: str) -> list[WrittenEntry] | Problem:
        root, problems = read_json(Path(file))
        if root is None:
            return problems[0] if problems else []
        tools, _ = definitions_in(root, file)
        path = self.path_of(file)
        return [WrittenEntry(one.name, path, one.location, entry_of(one.spec)) for one in tools if one.spec]

    def _operations(self, file: str, choice: str) -> list[WrittenEntry] | Problem:
        api = read_api(Path(file), *choice_in(choice))
        if api.document.root.value is None:
            return api.problems[0]
        path = self.path_of(file)
        return [WrittenEntry(one.name, path, api.place_of(one.operation), entry_of(one.spec)) for one in api.tools]

    def _python(self, file: str) -> PythonFile | Problem:
        if file not in self._files:
            text = source_of(file)
            try:
                self._files[file] = text if isinstance(text, Problem) else PythonFile(file, text, reader=self._reader)
            except SyntaxError as error:
                self._files[file] = unreadable(error, file)
        return self._files[file]

    def _defined(self, file: PythonFile) -> Iterator[WrittenEntry]:
        path = self.path_of(file.file)
        tools: Iterator[PythonFunction | WrittenTool] = chain(file.tools, file.written, file.elsewhere)
        for tool in tools:
            if (found := self._entry(file, tool, path)).name != UNKNOWN_NAME:
                yield found

    def _entry(self, file: PythonFile, tool: PythonFunction | WrittenTool, path: str) -> WrittenEntry:
        found = written_definition(file, tool, is_alone=True)
        function = found.function or (file.function_behind(tool) if isinstance(tool, WrittenTool) else None)
        registered = tool.registered if isinstance(tool, PythonFunction) else tool
        assert registered is not None  # a marked function is a registered tool
        entry = {
            "description": found.description if found.description is not None else _computed(registered, function),
            "parameters": _parameters(file, registered, found, function),
            "output_schema": None if function is None else _result(function),
            "hints": dict(_hints(registered, file, function)),
            "examples": None if function is None else function.option("examples"),
        }
        hidden = {key for key in ("description", "parameters") if entry[key] is None}
        hidden |= {"hints"} if hides_arguments(registered.mark) else set()
        shown = {key: value for key, value in entry.items() if value}
        return WrittenEntry(found.name, path, found.location, shown, frozenset(hidden))


def _computed(tool: WrittenTool, function: PythonFunction | None) -> str | None:
    """Return what stands for a description that is only known at run time: its expression, or the docstring."""
    node = written_description(tool)
    if node is not None:
        return ast.unparse(node)
    return None if function is None else ast.get_docstring(function.node)


def _parameters(
    file: PythonSource, tool: WrittenTool, found: ToolDefinition, function: PythonFunction | None
) -> Mapping[str, Any] | None:
    """Return the schema of a tool's parameters, or what stands for it; None if the source does not show it."""
    if found.schema is not None:
        return found.schema
    written = written_schema_of(file, tool)
    if written is not None:
        model = model_behind(file, written)
        shown = None if model is None else model[0].shape(ast.Name(model[1].name)).schema
        return shown or {"definition": ast.unparse(written)}
    if found.parameters or function is None:
        return written_parameters(file, found.parameters).schema if found.parameters or tool.function else None
    own = [
        ParameterDefinition(
            one.name, None, None, is_required=is_required(function.file.resolved(one.default)), python=one
        )
        for one in function.parameters
    ]
    return written_parameters(function.file, own).schema


def _result(function: PythonFunction) -> Mapping[str, Any] | None:
    """Return the schema of a result with a structure: a class, or a type that is not a JSON type."""
    schema = function.file.shape(function.node.returns, is_result=True).schema
    parts = [part.keywords for part in Schema.of(schema).parts()]
    has_form = any("properties" in part or part.get("type", "null") not in JSON_TYPES for part in parts)
    return schema if has_form else None


def _hints(tool: WrittenTool, file: PythonSource, function: PythonFunction | None) -> Iterator[tuple[str, Any]]:
    """Yield the hints in a tool's mark, and whether its calls need approval."""
    for name in _HINTS if function is not None else ():
        if function is not None and (value := function.option(name)) is not None:
            yield name, value
    for place in tool.marks.terms.declared:
        hint = file.resolved(tool.argument((place,)))
        match hint:
            case None:
                continue
            case ast.Call(keywords=keywords):
                given = {one.arg: one.value for one in keywords}
                yield from marks_of({"annotations": {key: _constant(one) for key, one in given.items()}}).items()
            case ast.Dict(keys=keys, values=values):
                named = {str(_constant(key)): _constant(one) for key, one in zip(keys, values, strict=True) if key}
                yield from marks_of({"annotations": named}).items()
            case _ if _constant(hint) is not False:
                yield "requires_approval", True


def _constant(node: ast.expr) -> Any:
    return node.value if isinstance(node, ast.Constant) else ast.unparse(node)
