"""Find the tools that a program defines as plain data, for requests and answers that it writes itself.

Such a definition is a dictionary with a name and a JSON Schema, an entry of a table whose keys are the names, an object
of a class of the project with such fields, or a class with such methods. It counts if the project sends definitions.
What has an unmistakable form counts anywhere, and so does a class whose base class makes its definition.
"""

import ast
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.class_tools import ClassTool, class_tools, fields_of
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants
from toolkit.source_code.data_forms import DataForms, FormedTool, name_in
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.local_names import scope_around
from toolkit.source_code.loops import Loops
from toolkit.source_code.made_definitions import MadeDefinition, made_by_calls, made_of_rows
from toolkit.source_code.meanings import Defined
from toolkit.source_code.module_files import PACKAGE
from toolkit.source_code.own_bases import ITSELF, OwnBase, OwnBases
from toolkit.source_code.project_files import project_files, project_folder
from toolkit.source_code.registries import files_around
from toolkit.source_code.registry_calls import FUNCTION_PARTS
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import is_none, parts_by_key, placed
from toolkit.source_code.tool_hints import import_of
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.frameworks import all_packages
from toolkit.tools.foreign.source_marks import Place, Registration, SourceMarks, ToolClasses

SCHEMAS = ("inputSchema", "input_schema")
"""The keys of JSON Schemas, in the protocol and in requests to Anthropic."""
_WRITES = re.compile(rb"[\"']input_?[sS]chema[\"'][ \t]*:")
_NAME = re.compile(r"[\w./-]{1,128}")
_OTHER_FORMATS = {"toolSpec", "properties"}
"""The keys of dictionaries that have another format, in which the same keys may occur."""
_PLAIN = "openai_api"
"""The framework of definitions that no package shows."""
_PARTS = {*SCHEMAS, *FUNCTION_PARTS, "description"}
"""The keywords of calls that may create a definition."""
_KEYWORDS = {"type", "properties", "$ref", "anyOf", "oneOf", "allOf"}
_BY_MEMBERS = ToolClasses(
    (), ("execute", "run", "call", "invoke", "handle", "__call__"), schema=SCHEMAS, takes_call=True
)


class DeclaredTool(NamedTuple):
    """A tool that is defined as data.

    Attributes:
        marks: The marks of the framework that it is sent with.
        kind: The key of its schema, or the name of its class.
        node: Its definition.
        name: Its name, or `None` if only running the file would show it.
        declared: The dictionary with its parts.
        registration: Where the call that creates an object has its parts.
        as_class: The class that it is.
        sent_at: The files and the lines of dictionaries that the project makes of such definitions.
        form_of: The framework whose form it has, if that alone makes it a tool.
        is_object: Whether it is an object of a class of the project, and a tool only if the source shows its name.
    """

    marks: SourceMarks
    kind: str
    node: ast.expr | ast.ClassDef
    name: str | None
    declared: ast.Dict | None = None
    registration: Registration | None = None
    as_class: ClassTool | None = None
    sent_at: frozenset[tuple[str, int]] = frozenset()
    form_of: str | None = None
    is_object: bool = False

    @property
    def name_node(self) -> ast.expr | None:
        """The expression with its name, or `None` if it is a class."""
        if self.declared is not None:
            return parts_by_key(self.declared).get("name")
        if isinstance(self.node, ast.Call) and self.registration is not None:
            return argument_of(self.node, self.registration.name)
        return None

    @property
    def is_only_form(self) -> bool:
        """Whether only its form makes it a tool, so that it may be what one provider receives of another tool."""
        return self.form_of is not None and self.as_class is None

    @classmethod
    def of_form(cls, found: FormedTool) -> "DeclaredTool":
        """Return a tool that its form shows."""
        framework, form = found.known
        marks = marks_of(framework)
        assert marks is not None  # its form is one of them
        is_call = found.parts is None
        registration = Registration((), "definition", function=(), schema=form.schemas) if is_call else None
        return cls(
            marks,
            found.key,
            found.node,
            found.name,
            declared=found.parts,
            registration=registration,
            form_of=framework,
        )


class _Sender(NamedTuple):
    """A file that sends definitions, and the framework whose format they have."""

    path: str
    framework: str


class _Project(NamedTuple):
    """What the files of a project send, and those that write dictionaries with the keys of definitions."""

    senders: tuple[_Sender, ...]
    writers: tuple[str, ...]
    files: frozenset[str] = frozenset()

    @classmethod
    def of(cls, files: Collection[str]) -> "_Project":
        senders: list[_Sender] = []
        writers = []
        for file in files:
            with suppress(OSError):
                text = bounded_bytes(file)
                senders += (_Sender(file, name) for name, sign in _signs().items() if sign.search(text))
                writers += [file] if _WRITES.search(text) else []
        return cls(tuple(senders), tuple(writers), frozenset(files))


class DeclaredTools:
    """Finds definitions; each project is searched once for what sends them."""

    def __init__(self, constants: Constants, uses: ClassUses, loops: Loops) -> None:
        """Create an empty cache."""
        self._constants = constants
        self._loops = loops
        self._meanings = constants.meanings
        self._uses = uses
        self._forms = DataForms(constants)
        self._bases = OwnBases(constants, uses)
        self._projects: dict[Path, _Project] = {}
        self._around: dict[SourceFile, _Project] = {}
        self._imported: dict[str, bool] = {}
        self._found: dict[SourceFile, tuple[DeclaredTool, ...]] = {}

    def in_file(self, source: SourceFile) -> tuple[DeclaredTool, ...]:
        """Return the definitions in a file, in no particular order."""
        if source not in self._found:
            made = [*made_by_calls(source)]
            found = [*self._definitions_in(source, made)]
            named_in_turns = {one.node for one in found}
            made += (one for one in made_of_rows(source, self._loops) if one.template not in named_in_turns)
            forms = self._forms.in_file(source, [one.whole for one in made])
            sent = {one.node for one in found if not one.is_only_form}  # whose framework is known
            formed = [one for one in forms if one.node not in sent and not self._is_of_objects(source, one)]
            shown = {one.node for one in formed}  # the form also has the schema, the object may only have the function
            others = (one for one in found if not (one.is_only_form and one.node in shown))
            self._found[source] = (*others, *map(DeclaredTool.of_form, formed))
        return self._found[source]

    def _is_of_objects(self, source: SourceFile, formed: FormedTool) -> bool:
        """Whether a definition is made of the objects of a class, so that the classes derived from it are the tools."""
        name = None if formed.parts is None else parts_by_key(formed.parts).get("name")
        if not (isinstance(name, ast.Attribute) and last_name(name.value) in ITSELF):
            return False
        scope = scope_around(source.tree, formed.node)
        cls = None if scope is None else scope.enclosing_class(ast.Name("self"))
        return cls is not None and self._bases.describes(Defined(source, cls))

    def is_described(self, cls: Defined) -> bool:
        """Return whether a base class of the project describes a class to a model. Such a class is not a text tool."""
        return self._bases.describes(cls)

    def are_before(self, source: SourceFile) -> bool:
        """Return whether a file, or one that it imports, has definitions, so that it may make tools of these."""
        return any(not one.is_only_form for one in self._named_before(source))

    def names_before(self, source: SourceFile) -> frozenset[str | None]:
        """Return the names of the definitions in a file and in those that it imports."""
        return frozenset(one.name for one in self._named_before(source))

    def _named_before(self, source: SourceFile) -> Iterator[DeclaredTool]:
        files = filter(None, map(self._meanings.source, files_around(self._meanings, source)))
        yield from (one for file in files for one in self.in_file(file) if one.name is not None)

    def _definitions_in(self, source: SourceFile, made: Sequence[MadeDefinition]) -> Iterator[DeclaredTool]:
        tables = [one for one in source.nodes if isinstance(one, ast.Dict)]
        others = {inner for one in tables for inner in _in_other_formats(one)} | {one.template for one in made}
        for definition in made:
            yield from self._of_dictionary(source, definition.whole)
        for table in tables:
            if table not in others:
                yield from self._of_dictionary(source, table)
                yield from self._by_key(source, table)
        for one in source.nodes:
            if isinstance(one, ast.Call):
                yield from self._of_object(source, one)
            elif isinstance(one, ast.ClassDef):
                yield from self._of_class(source, one)

    def _of_dictionary(self, source: SourceFile, defined: ast.Dict) -> Iterator[DeclaredTool]:
        parts = parts_by_key(defined)
        key = next((one for one in SCHEMAS if one in parts), None)
        if key is None or "name" not in parts or isinstance(parts[key], ast.Constant):
            return
        sent = self._sent_by(source, key)
        if sent is not None:
            name = name_in(self._constants, source, parts["name"], scope_around(source.tree, defined))
            yield DeclaredTool(sent, key, defined, name, declared=defined)

    def _by_key(self, source: SourceFile, table: ast.Dict) -> Iterator[DeclaredTool]:
        """Yield the definitions in a table whose keys are the names."""
        for name, defined in parts_by_key(table).items():
            parts = parts_by_key(defined) if isinstance(defined, ast.Dict) else {}
            key = next((one for one in SCHEMAS if one in parts), None)
            if key is None or "name" in parts or "description" not in parts or not _NAME.fullmatch(name):
                continue
            sent = self._sent_by(source, key)
            if sent is not None and isinstance(defined, ast.Dict):
                named = ast.Dict([ast.Constant("name"), *defined.keys], [ast.Constant(name), *defined.values])
                whole = placed(named, defined)
                yield DeclaredTool(sent, key, whole, name, declared=whole, sent_at=self._sent_at(source))

    def _of_object(self, source: SourceFile, call: ast.Call) -> Iterator[DeclaredTool]:
        """Yield the definition that is an object of a class with fields for its parts."""
        made = last_name(call.func)
        is_class = made.lstrip("_")[:1].isupper() and _may_define(call)
        scope = scope_around(source.tree, call) if is_class else None
        for cls in self._meanings.of(source, call.func, scope) if is_class else ():
            if not (isinstance(cls, Defined) and isinstance(cls.node, ast.ClassDef)) or self._is_foreign(cls):
                continue
            fields = fields_of(self._constants.meanings.line_of(cls))
            name = argument_of(call, fields.get("name", ()))
            if name is not None:
                yield from self._with_fields(source, call, cls, self._constants.text(source, name, scope), fields)

    def _with_fields(
        self,
        source: SourceFile,
        call: ast.Call,
        cls: Defined,
        name: str | None,
        fields: Mapping[str, tuple[Place, ...]],
    ) -> Iterator[DeclaredTool]:
        """Yield the definition that an object is: one with a schema, or one whose description a model receives."""
        made = last_name(call.func)
        key = next((one for one in SCHEMAS if one in fields), None)
        schema = None if key is None else argument_of(call, fields[key])
        registration = Registration(
            (),
            "definition",
            function=(),
            name=fields["name"],
            description=fields.get("description", ()),
            schema=fields.get(key or "", ()),
        )
        is_tool = "tool" in made.lower()
        if key is not None and schema is not None and (is_tool or _may_be_schema(source, schema)):
            sent = self._sent_by(source, key)
            if sent is not None:
                sent_at = self._sent_at(source)
                yield DeclaredTool(sent, made, call, name, registration=registration, sent_at=sent_at, is_object=True)
        elif argument_of(call, registration.description) is not None:
            has_function = _has_function(call, fields)
            described = self._bases.framework_of(cls, has_function=has_function)
            framework = described or (_PLAIN if is_tool and has_function else None)
            if framework is not None and (marks := marks_of(framework)) is not None:
                yield DeclaredTool(
                    marks, made, call, name, registration=registration, form_of=framework, is_object=True
                )

    def _of_class(self, source: SourceFile, node: ast.ClassDef) -> Iterator[DeclaredTool]:
        """Yield the definition that is a class with methods or attributes for its parts."""
        cls = Defined(source, node)
        if self._is_foreign(cls):
            return
        if (described := self._bases.tool_of(cls)) is not None:
            yield from self._of_base(node, *described)
            return
        for one in class_tools(self._constants, self._uses, cls, _BY_MEMBERS):
            key = next((key for key in SCHEMAS if one.value(key) is not None), None)
            sent = None if key is None or one.name is None else self._sent_by(source, key)
            if sent is not None:
                yield DeclaredTool(sent, "class", node, one.name, as_class=one, sent_at=self._sent_at(source))

    @staticmethod
    def _of_base(node: ast.ClassDef, base: OwnBase, found: ClassTool) -> Iterator[DeclaredTool]:
        """Yield the definition that a base class of the project makes of a class."""
        marks = marks_of(base.framework)
        if marks is not None:
            sent_at = frozenset({base.place})
            form_of = None if marks.packages else base.framework
            yield DeclaredTool(marks, "class", node, found.name, as_class=found, sent_at=sent_at, form_of=form_of)

    def _is_foreign(self, cls: Defined) -> bool:
        """Whether a class is derived from one of a framework, which says whether it is a tool."""
        return any(True for _ in self._meanings.made_from(cls))

    # ---------------------------------------------------------------------------------------------------------- senders

    def _sent_by(self, source: SourceFile, key: str) -> SourceMarks | None:
        """Return the framework that definitions with a key are sent with, or `None`."""
        fitting = {name: marks for name, marks in _formats().items() if marks.sent and key in marks.sent.schemas}
        senders = [one for one in self._project_of(source).senders if one.framework in fitting]
        if not senders or not (any(one.path == source.path for one in senders) or self.is_imported(source)):
            return None
        near = files_around(self._meanings, source)
        senders.sort(key=lambda one: (one.path != source.path, one.path not in near, len(_schemas(one.framework))))
        return fitting[senders[0].framework]

    def is_imported(self, source: SourceFile) -> bool:
        """Return whether a file of the project imports a file, so that its definitions are not left over."""
        if source.path not in self._imported:
            name = Path(source.path).stem if not source.path.endswith(PACKAGE) else Path(source.path).parent.name
            word = re.compile(rf"\b{re.escape(name)}\b".encode())
            self._imported[source.path] = any(
                source.path in files_around(self._meanings, other)
                for other in self._files_with(word, self._project_of(source).files)
                if other.path != source.path
            )
        return self._imported[source.path]

    def _files_with(self, word: "re.Pattern[bytes]", files: Iterable[str]) -> Iterator[SourceFile]:
        for file in sorted(files):
            with suppress(OSError):
                found = self._meanings.source(file) if word.search(bounded_bytes(file)) else None
                if found is not None:
                    yield found

    def _sent_at(self, source: SourceFile) -> frozenset[tuple[str, int]]:
        """Return where the project makes dictionaries of other objects, with names that no source shows."""
        found = set()
        for other in filter(None, map(self._meanings.source, self._project_of(source).writers)):
            for node in ast.walk(other.tree):
                parts = parts_by_key(node) if isinstance(node, ast.Dict) else {}
                if isinstance(node, ast.Dict) and "name" in parts and not parts.keys().isdisjoint(SCHEMAS):
                    is_shown = isinstance(parts["name"], ast.Constant)
                    found |= set() if is_shown else {(other.path, node.lineno)}
        return frozenset(found)

    def _project_of(self, source: SourceFile) -> _Project:
        if source not in self._around:
            self._around[source] = self._searched_around(source)
        return self._around[source]

    def _searched_around(self, source: SourceFile) -> _Project:
        folder, _ = project_folder(source.path)
        if folder not in self._projects:
            files = {os.path.realpath(one) for one in project_files(source.path)}
            self._projects[folder] = _Project.of(sorted(files))
        self._uses.depend_on_project(source)
        near = {source.path, *files_around(self._meanings, source)}
        imported = filter(None, map(self._meanings.source, near))
        near |= {file for one in imported for file in files_around(self._meanings, one)}
        known = self._projects[folder]
        more = _Project.of(sorted(near.difference(known.files)))
        return _Project((*more.senders, *known.senders), (*more.writers, *known.writers), known.files | near)


@cache
def _formats() -> Mapping[str, SourceMarks]:
    """Return the frameworks whose definitions programs also write as data."""
    marks = {framework: marks_of(framework) for framework in dict.fromkeys(all_packages().values())}
    return {name: one for name, one in marks.items() if one is not None and one.sent is not None}


def _schemas(framework: str) -> Collection[str]:
    sent = _formats()[framework].sent
    return () if sent is None else sent.schemas


@cache
def _signs() -> Mapping[str, re.Pattern[bytes]]:
    """Return what shows in the text of a file that it sends definitions, for each framework."""
    found = {}
    for name, marks in _formats().items():
        if marks.sent is not None:
            texts = "".join(f"|{re.escape(text)}" for text in marks.sent.texts)
            found[name] = re.compile(f"{import_of(marks.sent.packages)}{texts}".encode(), re.MULTILINE)
    return found


def _may_define(call: ast.Call) -> bool:
    """Whether a call has the keyword of a schema, a function or a description, or a text and more by position."""
    is_text = len(call.args) > 1 and isinstance(call.args[0], ast.Constant | ast.Name | ast.Attribute)
    return is_text or any(one.arg in _PARTS for one in call.keywords)


def _has_function(call: ast.Call, fields: Mapping[str, tuple[Place, ...]]) -> bool:
    """Whether a call gives an object a function."""
    given = [argument_of(call, fields[one]) for one in FUNCTION_PARTS if one in fields]
    return any(one is not None and not is_none(one) for one in given)


def _may_be_schema(source: SourceFile, node: ast.expr) -> bool:
    """Whether an expression may be a JSON Schema.

    A dictionary of the skill of an agent only has names of fields, and a part of a local variable may be anything.
    """
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id in source.bindings
    parts = parts_by_key(node) if isinstance(node, ast.Dict) else {}
    return not parts or not _KEYWORDS.isdisjoint(parts)


def _in_other_formats(table: ast.Dict) -> Iterator[ast.Dict]:
    """Yield the dictionaries with another meaning, such as the properties of a schema."""
    for key, value in parts_by_key(table).items():
        if key in _OTHER_FORMATS:
            yield from (one for one in ast.walk(value) if isinstance(one, ast.Dict))
