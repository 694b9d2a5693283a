"""Find the definitions of tools whose form alone shows what they are, such as `{"type": "function", "function": {…}}`.

They are part of requests to a model, which a program can send with any package, so no import shows them.
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolkit.source_code.constants import Constants, UnknownValueError
from toolkit.source_code.described_functions import DESCRIBING, described_functions
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.list_elements import elements_of
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.registry_calls import (
    given_definition,
    is_addition,
    is_registration,
    lists_properties,
    maps_parameters,
)
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import is_none, parts_by_key, placed
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.frameworks import data_frameworks
from toolkit.tools.foreign.source_marks import DataForm, is_among

_CALLED = {
    "dict", "ChatCompletionFunctionToolParam", "ChatCompletionToolParam", "ChatCompletionToolParamFunctionChunk",
    "FunctionDefinition", "FunctionToolParam", "ToolV2", "ToolV2Function",
}  # fmt: skip
"""Typed dictionaries of SDKs, which are written as calls."""
_SCHEMAS = ("parameters", "input_schema", "inputSchema")
"""The keys of schemas in a table of definitions."""
_SHOWING = {"example", "examples", "json_schema_extra", "tool_calls", "tool_choice", "response_format"}
"""The keys and keywords of data that is no list of definitions, whatever it looks like."""
_SUMMARY = "summary"
"""What a project may call the description in a table of its own, from which it makes definitions."""
_KEYWORDS = {"type", "type_", "properties", "$ref", "anyOf", "oneOf", "allOf"}


class KnownForm(NamedTuple):
    """A form, and the framework whose tools have it."""

    framework: str
    form: DataForm


class FormedTool(NamedTuple):
    """A definition.

    Attributes:
        known: Its form.
        key: The key of its schema.
        node: The dictionary, or the call that makes an object of a class of the provider.
        name: Its name.
        parts: The dictionary with its parts; `None` if it is a call.
    """

    known: KnownForm
    key: str
    node: ast.expr
    name: str
    parts: ast.Dict | None = None


class DataForms:
    """Finds definitions in files."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants

    def in_file(self, source: SourceFile, made: Iterable[ast.Dict] = ()) -> Iterator[FormedTool]:
        """Yield the definitions in a file, and those that its functions make, in no particular order, and each once."""
        found: dict[tuple[int, int], FormedTool] = {}
        for whole in made:
            found |= {(one.node.lineno, one.node.col_offset): one for one in self._by_itself(source, whole)}
        for node in source.nodes:
            if isinstance(node, ast.Dict | ast.Call):
                for one in (*self._by_itself(source, node), *self._in_lists(source, node), *_by_key(node)):
                    at = one.node.lineno, one.node.col_offset
                    if at not in found or found[at].known.form.is_bare:
                        found[at] = one
        for node in source.nodes:
            for one in self._of_functions(source, node) if isinstance(node, DESCRIBING) else ():
                found.setdefault((one.node.lineno, one.node.col_offset), one)
        shown = _shown_only(source) if found else ()
        inner = {one.parts for one in found.values() if one.parts is not one.node}
        yield from (one for one in found.values() if one.node not in shown and one.node not in inner)

    def _by_itself(self, source: SourceFile, node: ast.Dict | ast.Call) -> Iterator[FormedTool]:
        whole = as_dictionary(node) or given_definition(node)
        parts = {} if whole is None else parts_by_key(whole)
        for known in _forms():
            form = known.form
            if form.is_anywhere and whole is not None and _has_signs(parts, form):
                inner = parts.get(form.inner) if form.inner else whole
                yield from self._behind(source, known, node, inner)
            elif isinstance(node, ast.Call) and form.classes and _is_class(source, node, form):
                yield from self._of_call(source, known, node)

    def _of_functions(self, source: SourceFile, node: ast.AST) -> Iterator[FormedTool]:
        """Yield the functions that a statement or a call describes in a list of tools."""
        for one in described_functions(node, Path(source.path)):
            name = self._name(source, one.name, scope_around(source.tree, one.node))
            if name is not None:
                yield from (FormedTool(known, "parameters", one.node, name, parts=one.parts) for known in _bare())

    def _behind(
        self, source: SourceFile, known: KnownForm, node: ast.expr, inner: ast.expr | None
    ) -> Iterator[FormedTool]:
        """Yield the definition in a dictionary, or those that a variable in it stands for."""
        if isinstance(inner, ast.Name):
            scope = scope_around(source.tree, node)
            listed = _list_in_comprehension(source, node, inner.id)
            for one in self._dictionaries(source, listed or inner, scope):
                yield from self._of_dictionary(source, known, one, one)
        elif (parts := as_dictionary(inner)) is not None:
            yield from self._of_dictionary(source, known, node, parts)

    def _in_lists(self, source: SourceFile, node: ast.Dict | ast.Call) -> Iterator[FormedTool]:
        """Yield the definitions in a list under a key, or in an argument, that is for definitions."""
        if isinstance(node, ast.Dict):
            given = parts_by_key(node)
        else:
            given = {one.arg: one.value for one in node.keywords if one.arg is not None}
        for known in _forms():
            form = known.form
            names = form.listed_in if isinstance(node, ast.Dict) else (*form.listed_in, *form.passed_as)
            for listed in (given[name] for name in names if name in given):
                for one in self._dictionaries(source, listed, scope_around(source.tree, node)):
                    yield from self._of_dictionary(source, known, one, one)

    def _dictionaries(self, source: SourceFile, given: ast.expr, names: LocalNames | None) -> list[ast.Dict]:
        """Return the dictionaries of this file that a variable is bound to, or that a list has."""
        meanings = self._constants.meanings
        listed = [(one.source, one.node, one.names) for one in elements_of(meanings, (source, given, names))]
        found: list[ast.Dict] = []
        for home, one, scope in ((source, given, names), *listed):
            named = meanings.values_of(home, one, scope) if isinstance(one, ast.Name) else [(home, one, scope)]
            found += [node for place, node, _ in named if place is source and isinstance(node, ast.Dict)]
        return found

    def _of_dictionary(
        self, source: SourceFile, known: KnownForm, node: ast.expr, whole: ast.Dict
    ) -> Iterator[FormedTool]:
        form, whole = known.form, _with_description(whole)
        parts = parts_by_key(whole)
        scope = scope_around(source.tree, node)
        name = self._name(source, parts.get("name"), scope)
        key = next((one for one in form.schemas if one in parts and not is_none(parts[one])), None)
        is_described = "description" in parts
        if "arguments" in parts:  # a call of a tool
            return
        if key is None and is_described and name is not None and form.may_lack_schema:
            yield FormedTool(known, form.schemas[0], node, name, parts=whole)
        elif key is None or name is None or (form.is_bare and not _is_sure(node, parts[key])):
            return
        elif self._is_schema(source, parts[key], scope, is_sure=is_described):
            yield FormedTool(known, key, node, name, parts=whole)

    def _of_call(self, source: SourceFile, known: KnownForm, call: ast.Call) -> Iterator[FormedTool]:
        name = self._name(source, argument_of(call, ("name",)), scope_around(source.tree, call))
        if name is not None:
            yield FormedTool(known, last_name(call.func), call, name)

    def _name(self, source: SourceFile, node: ast.expr | None, names: LocalNames | None) -> str | None:
        return None if node is None else name_in(self._constants, source, node, names)

    def _is_schema(self, source: SourceFile, node: ast.expr, names: LocalNames | None, *, is_sure: bool) -> bool:
        """Return whether an expression is a JSON Schema of an object; one that is computed is if the rest is sure."""
        if is_sure and maps_parameters(node):
            return True
        try:
            value = self._constants.value(source, node, names)
        except UnknownValueError:
            if (whole := as_dictionary(node)) is None:
                return is_sure and not isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.JoinedStr)
            value = dict.fromkeys(parts_by_key(whole))
        return isinstance(value, dict) and _is_of_object(value, is_sure=is_sure)


def name_in(constants: Constants, source: SourceFile, node: ast.expr, names: LocalNames | None) -> str | None:
    """Return the name in a definition; `None` if the source does not show it, as for an empty one of a base class."""
    text = constants.text(source, node, names)
    return text if text or isinstance(node, ast.Constant) else None


def as_dictionary(node: ast.expr | None) -> ast.Dict | None:
    """Return a dictionary display, also one that is written as a call such as `dict(type="function")`, or `None`."""
    if not isinstance(node, ast.Call):
        return node if isinstance(node, ast.Dict) else None
    if node.args or not node.keywords or last_name(node.func) not in _CALLED:
        return None
    keys: list[ast.expr | None] = [None if one.arg is None else ast.Constant(one.arg) for one in node.keywords]
    return placed(ast.Dict(keys, [one.value for one in node.keywords]), node)


@cache
def _forms() -> tuple[KnownForm, ...]:
    known = ((framework, marks_of(framework)) for framework in data_frameworks())
    return tuple(KnownForm(framework, form) for framework, marks in known if marks is not None for form in marks.forms)


def _bare() -> Iterator[KnownForm]:
    """Yield the form with `parameters` that only its parts show."""
    return (one for one in _forms() if one.form.is_bare and "parameters" in one.form.schemas)


def _has_signs(parts: Mapping[str, ast.expr], form: DataForm) -> bool:
    if form.is_bare:
        has_schema = not parts.keys().isdisjoint(form.schemas)
        is_described = "description" in parts or _SUMMARY in parts
        return "type" not in parts and "name" in parts and is_described and has_schema
    kind = parts.get("type")
    is_of_kind = isinstance(kind, ast.Constant) and kind.value == form.kind
    return (is_of_kind if form.kind else True) and (form.inner in parts if form.inner else "name" in parts)


def _with_description(whole: ast.Dict) -> ast.Dict:
    """Return a definition whose description is under its usual key, also if a project calls it a summary."""
    parts = parts_by_key(whole)
    if "description" in parts or _SUMMARY not in parts:
        return whole
    named = ast.Dict([*whole.keys, ast.Constant("description")], [*whole.values, parts[_SUMMARY]])
    return placed(named, whole)


def _by_key(node: ast.expr) -> Iterator[FormedTool]:
    """Yield the definitions in a table whose keys are the names."""
    for name, defined in parts_by_key(node).items() if isinstance(node, ast.Dict) else ():
        parts = parts_by_key(defined) if isinstance(defined, ast.Dict) else {}
        schema = next((one for one in _SCHEMAS if one in parts), None)
        if schema is None or "name" in parts or "description" not in parts or not lists_properties(parts[schema]):
            continue
        given = {"name": ast.Constant(name), **parts, "parameters": parts[schema]}
        whole = placed(ast.Dict([*map(ast.Constant, given)], [*given.values()]), defined)
        yield from (FormedTool(one, "parameters", defined, name, parts=whole) for one in _bare())


def _is_class(source: SourceFile, call: ast.Call, form: DataForm) -> bool:
    meaning = source.meaning(call.func)
    return meaning is not None and "." in meaning and is_among(meaning, form.classes)


def _is_of_object(schema: Mapping[object, object], *, is_sure: bool) -> bool:
    """Return whether a dictionary is a JSON Schema of an object, or that schema in `{"json": {…}}` of Bedrock."""
    inner = schema.get("json")
    schema = inner if len(schema) == 1 and isinstance(inner, dict) else schema
    kind = schema.get("type", schema.get("type_"))
    if isinstance(kind, str):
        return kind.lower() == "object"
    return not _KEYWORDS.isdisjoint(schema) or (is_sure and not schema)


def _is_sure(node: ast.expr, schema: ast.expr) -> bool:
    """Return whether an expression with the parts of a definition is one, and nothing else that has such parts."""
    is_given = is_registration(node) or is_addition(node)
    return is_given or lists_properties(as_dictionary(schema) or schema) or maps_parameters(schema)


def _list_in_comprehension(source: SourceFile, element: ast.expr, name: str) -> ast.expr | None:
    """Return the list that a comprehension goes through whose element is a dictionary with the variable."""
    for one in source.nodes:
        if isinstance(one, ast.ListComp | ast.GeneratorExp) and one.elt is element:
            loops = (loop for loop in one.generators if isinstance(loop.target, ast.Name) and loop.target.id == name)
            return next((loop.iter for loop in loops), None)
    return None


def _shown_only(source: SourceFile) -> Collection[ast.AST]:
    """Return the parts of a file that compare data, or show an example of it."""
    found: set[ast.AST] = set()
    for node in source.nodes:
        for one in _data_in(node):
            found.update(ast.walk(one))
    return found


def _data_in(node: ast.AST) -> Iterable[ast.AST]:
    match node:
        case ast.Assert() | ast.Compare():
            return [node]
        case ast.keyword(arg=name, value=value) if name in _SHOWING:
            return [value]
        case ast.Dict():
            return [value for key, value in parts_by_key(node).items() if key in _SHOWING]
    return ()
