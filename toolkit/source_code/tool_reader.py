"""Find the tools that a Python file defines by analyzing its source, without running code."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.class_tools import bases_of, class_tools, given_in_init, is_model
from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants, Expression, value_in
from toolkit.source_code.declared_tools import DeclaredTools
from toolkit.source_code.held_lists import HeldLists
from toolkit.source_code.known_marks import MarksTable, marks_of
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.loops import Loops, Turn
from toolkit.source_code.meanings import Defined, Meanings, Object
from toolkit.source_code.own_packages import names_in_frameworks
from toolkit.source_code.project_files import project_files
from toolkit.source_code.registered_names import RegisteredNames, named_behind, set_later
from toolkit.source_code.registrations import Registered, Registrations
from toolkit.source_code.registries import files_around
from toolkit.source_code.source_files import FUNCTIONS, Definition, Imported, SourceFile, last_name
from toolkit.source_code.syntax_nodes import calls_and_definitions, own_nodes, placed
from toolkit.source_code.tool_factories import (
    LISTING,
    Factories,
    Unfollowed,
    copied_from,
    dictionaries_in,
    is_minor,
    is_named_by_attribute,
    is_of_marked,
    is_received,
    iterated,
    lists_tools,
    rows_of,
    takes_parameter,
    wrapped_by,
)
from toolkit.source_code.tool_hints import ToolHints
from toolkit.source_code.tool_instances import Instances
from toolkit.source_code.written_calls import argument_of
from toolkit.source_code.written_tools import IN_LIST, OURS, Function, Shown, WrittenTool, value_of
from toolkit.tools.foreign.frameworks import FRAMEWORK_OF_VARIABLE, FRAMEWORKS, framework_of
from toolkit.tools.foreign.source_marks import OUR_MARKS, Registration, SourceMarks, ToolClasses, is_among

_BY_ATTRIBUTES = next(one for one in OUR_MARKS.tool_classes if not one.bases)
_RENAMED = "name="
_ON_DEFINITIONS = {"decorator", "class"}
_NAMES = {"name", "tool_name"}
_DEEPEST = 4


def _mentions(words: Collection[str], file: str) -> bool:
    try:
        text = bounded_bytes(file)
    except OSError:
        return False
    return any(word.encode() in text for word in words)


class ToolReader:
    """Finds the tools of files; files are parsed once, and results are cached."""

    def __init__(self, read: Callable[[str], SourceFile] = SourceFile, own_decorators: Collection[str] = ()) -> None:
        """Create an empty cache.

        Args:
            read: Reads and parses a file, given by its path.
            own_decorators: The project's decorators that register tools: their names, or dotted names.
        """
        self.marks = MarksTable((OUR_MARKS,))
        self.meanings = Meanings(self.marks.is_known, only_near=True, read=read)
        self.constants = Constants(self.meanings)
        self.hints = ToolHints(self.meanings.files_of, own_decorators)
        self.registrations = Registrations(self.meanings, self.marks, own_decorators)
        self.factories = Factories(self.registrations)
        self.uses = ClassUses(self.meanings)
        self.loops = Loops(self.constants)
        self.instances = Instances(self.constants, self.marks)
        self.held = HeldLists(self.constants, self.uses)
        self.names = RegisteredNames(self.constants, self.held)
        self.declared = DeclaredTools(self.constants, self.uses)
        self._mentioned: dict[tuple[str, frozenset[str]], bool] = {}
        self._mentioned_with: dict[tuple[str, frozenset[str]], bool] = {}

    def tools_of(self, file: str) -> tuple[WrittenTool, ...]:
        """Return the tools that a file defines, in order of position; none if it cannot be parsed."""
        source = self.meanings.source(file)
        return () if source is None else self.tools_in(source)

    def tools_in(self, source: SourceFile) -> tuple[WrittenTool, ...]:
        """Return the tools that a parsed file defines, in order of position."""
        return self.shown_in(source).tools

    def is_mentioned(self, source: SourceFile, words: Collection[str]) -> bool:
        """Return whether a file of the project around a source mentions one of some words."""
        key = (source.path, frozenset(words))
        if key not in self._mentioned:
            files = map(str, project_files(source.path)) if words else ()
            self.uses.depend_on_project(source)
            self._mentioned[key] = any(map(partial(_mentions, words), files))
        return self._mentioned[key]

    def is_mentioned_with(self, source: SourceFile, words: Collection[str]) -> bool:
        """Return whether a source, or a file of the project that imports it, mentions one of some words."""
        key = (source.path, frozenset(words))
        if key not in self._mentioned_with:
            near = [source.path, *(map(str, project_files(source.path)) if self.is_mentioned(source, words) else ())]
            files = filter(partial(_mentions, words), near)
            sources = filter(None, map(self.meanings.source, files))
            self._mentioned_with[key] = any(source.path in self.files_around(one) for one in sources)
        return self._mentioned_with[key]

    def folders_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders that were searched on behalf of files; a new file there may change their tools."""
        return self.registrations.registries.folders_of(files)

    def projects_of(self, files: Collection[str]) -> frozenset[str]:
        """Return the folders of the projects all of whose files the tools of some files depend on."""
        return self.uses.projects_of(files)

    def files_around(self, source: SourceFile) -> frozenset[str]:
        """Return a file, and those of the project that it imports."""
        return files_around(self.meanings, source)

    def shown_in(self, source: SourceFile) -> Shown:
        """Return the tools that a parsed file defines, and the calls for others that it does not show."""
        self.meanings.keep(source)
        try:
            walk = _Walk(self, source)
            found = walk.tools()
        except RecursionError:
            return Shown(is_cut=True)
        found.sort(key=lambda tool: (tool.node.lineno, tool.node.col_offset))
        unfollowed = (one for one in walk.unfollowed if one.call not in walk.named)
        return Shown(tuple(found), tuple(unfollowed))


class _Walk:
    def __init__(self, reader: ToolReader, source: SourceFile) -> None:
        self._reader = reader
        self._source = source
        self.named: list[ast.expr] = []
        """The marks in factories, calls of which show the names of their tools."""
        self.unfollowed: list[Unfollowed] = []
        self._lists = False
        """Whether the file has a function that lists the tools of a server."""
        self._inner: set[ast.Call] = set()
        """The calls that return what registers a tool: `tool(…)` of `tool(…)(function)`."""

    def tools(self) -> list[WrittenTool]:
        renamed = self._reader.instances.renamed_in(self._source)
        found = [*self._below(self._source.tree, None), *self._in_variable()]
        found += [self._tool(one.marks, _RENAMED, one.node, name=one.name) for one in renamed]
        shown = [node for one in found for node in (one.node, one.declared, one.mark) if node is not None]
        if not (self._lists and any(one.marks.serves for one in found)):  # what it lists is followed
            found += self._declared({(one.lineno, one.col_offset) for one in shown}, {one.name for one in found})
        left = [one for one in found if one.name is not None or one.mark not in self.named]
        once = {_same(one): one for one in reversed(left)}
        return [one for one in left if once[_same(one)] is one]

    def _below(self, node: ast.AST, names: LocalNames | None) -> Iterator[WrittenTool]:
        for inner in calls_and_definitions(node):
            if isinstance(inner, ast.Call):
                yield from self._called(inner, names)
                continue
            yield from self._by_decorators(inner, names)
            if isinstance(inner, ast.ClassDef):
                yield from self._class(inner, names)
            yield from self._below(inner, LocalNames(inner, names))

    # ------------------------------------------------------------------------------------------------------- decorators

    def _by_decorators(self, node: Definition, names: LocalNames | None) -> list[WrittenTool]:
        """Return the tools that decorators make; a decorator of the project adds none to those of a framework."""
        found = [one for mark in node.decorator_list for one in self._decorated(node, mark, names)]
        files = frozenset(file for one in found for file in one.registry)
        return ([replace(one, kept_in=files) for one in found if not one.registry] or found) if files else found

    def _decorated(self, node: Definition, decorator: ast.expr, names: LocalNames | None) -> Iterator[WrittenTool]:
        found = self._reader.registrations.of_decorator(self._source, decorator, names)
        if found is None or _wraps_parameter(node, names):
            yield from self._listing(node, decorator, names)
            return
        if (found.marks is OUR_MARKS and is_out_of_reach(self._source, names)) or self._is_step(found.marks, names):
            return
        registration = found.registration
        yield self._tool(
            found.marks,
            "decorator",
            node,
            name=self._name(decorator, registration, node.name, names),
            mark=decorator,
            registration=registration,
            function=_as_function(node),
            home=self._source.path,
            within=found.within,
            registry=found.registry,
            scope=names,
        )

    def _is_step(self, marks: SourceMarks, names: LocalNames | None) -> bool:
        """Whether a scope is a class whose marked methods no model calls."""
        framework = FRAMEWORKS.get(framework_of(marks.packages[0]) or OURS)
        if names is None or framework is None or not framework.steps or not isinstance(names.node, ast.ClassDef):
            return False
        bases = self._reader.meanings.made_from(Defined(self._source, names.node))
        return any(one.endswith(f".{framework.steps}") for one in bases)

    def _listing(self, node: Definition, decorator: ast.expr, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function lists as dictionaries, and note one of whose tools no source shows any."""
        if not (isinstance(decorator, ast.Call) and last_name(decorator.func) == LISTING):
            return
        self._lists = True
        named = (one for one in self._reader.meanings.of(self._source, decorator.func, names) if isinstance(one, str))
        marks = next(filter(None, map(self._reader.marks.of, named)), None)
        scope = LocalNames(node, names)
        if marks is None or self._shows_tools(self._source, node, scope, _DEEPEST):
            return
        returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
        given = ((self._source, value, scope) for value in returned)
        found = [one for value in given for one in dictionaries_in(self._reader.meanings, *value)]
        yield from (self._of_dictionary(marks, LISTING, one) for one in found)
        if not (found or self._is_beside_classes() or self._reader.declared.are_before(self._source)):
            is_remote = any(self._is_asked_for(one, scope) for one in returned)
            self.unfollowed.append(Unfollowed(decorator, marks.title, is_remote))

    def _is_asked_for(self, listed: ast.expr, names: LocalNames) -> bool:
        """Whether a list is made of what another package answers, such as a client of a remote service."""
        through = [part.iter for part in ast.walk(listed) if isinstance(part, ast.comprehension)]
        for one in through or [listed]:
            given = [local.binding for local in names.find(one.id) or ()] if isinstance(one, ast.Name) else [one]
            calls = [one.value if isinstance(one, ast.Await) else one for one in given]
            if any(isinstance(one, ast.Call) and self._is_foreign(one.func) for one in calls):
                return True
        return False

    def _is_foreign(self, called: ast.expr) -> bool:
        """Return whether a call is one of an object at the top level of the file whose class another package has."""
        while isinstance(called, ast.Attribute):
            called = called.value
        made = self._source.bindings.get(called.id, ()) if isinstance(called, ast.Name) else ()
        classes = [one.func for one in made if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
        imported = [
            one for cls in classes for one in self._source.bindings.get(cls.id, ()) if isinstance(one, Imported)
        ]
        return bool(imported) and not any(self._reader.meanings.files_of(self._source.path, one) for one in imported)

    def _is_beside_classes(self) -> bool:
        """Whether the file, or one that it imports, has classes that are tools by their attributes, to be listed."""
        sources = filter(None, map(self._reader.meanings.source, self._reader.files_around(self._source)))
        classes = (one for source in sources for one in source.top_definitions() if isinstance(one, ast.ClassDef))
        return any(map(_looks_like_a_tool, classes))

    def _of_dictionary(self, marks: SourceMarks, kind: str, defined: ast.Dict) -> WrittenTool:
        named = value_of(defined, "name")
        name = None if named is None else self._reader.constants.text(self._source, named)
        return self._tool(marks, kind, defined, name=name, declared=defined)

    def _shows_tools(self, source: SourceFile, node: ast.AST, names: LocalNames | None, depth: int) -> bool:
        """Whether code defines a tool, or uses what defines one in a file of the project."""
        for one in ast.walk(node) if depth else ():
            if isinstance(one, ast.Call) and self._is_definition(source, one, names):
                return True
            used = self._used_by(source, one, names)
            if any(self._shows_tools(*inner, depth - 1) for inner in used if inner[1] is not node):
                return True
        return False

    def _is_definition(self, source: SourceFile, call: ast.Call, names: LocalNames | None) -> bool:
        found = self._reader.registrations.of_call(source, call.func, names)
        if found is None or found.registration.way == "holder":
            return False
        copied = copied_from(call, found.registration)
        return copied is None or not is_received(source, copied.id, names)

    def _used_by(
        self, source: SourceFile, node: ast.AST, names: LocalNames | None
    ) -> Iterator[tuple[SourceFile, ast.AST, LocalNames | None]]:
        """Yield the function that a call runs, or the values of a variable, each with its file and its scope."""
        match node:
            case ast.Call(func=function):
                for one in self._functions(function, names, source):
                    yield one.source, one.node, scope_of(one)
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                yield from self._reader.meanings.values_of(source, node, names)

    # ------------------------------------------------------------------------------------------------------------ calls

    def _called(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        if isinstance(call.func, ast.Call):
            yield from self._marked(call, call.func, names)
            return
        if call in self._inner:
            return
        found = self._reader.registrations.of_call(self._source, call.func, names)
        if found is None:
            yield from self._made(call, names)
            named = self._reader.instances.made_by(self._source, call, names)
            yield from () if named is None else [self._tool(named.marks, "class", call, name=named.name)]
            return
        if self._is_of_no_model(call, found):
            return
        registration = found.registration
        match registration.way:
            case "mark":
                given = [one for one in call.args[:2] if not _is_text(one)]
                if given and (len(call.args) == 1 or not _is_text(call.args[-1])):
                    yield from self._registered(call, found, given[0], names, kind="call", is_sure=False)
            case "function":
                function = argument_of(call, registration.function)
                yield from self._registered(call, found, function, names, kind=found.kind, is_sure=False)
            case "definition":
                yield from self._definitions(call, found, names)
            case "holder":
                yield from self._held(call, found, names)

    def _is_of_no_model(self, call: ast.Call, found: Registered) -> bool:
        """Whether no model sees what a call registers: its whole app is for people only, or an argument hides this."""
        words = found.marks.only_with
        if words and not self._reader.is_mentioned_with(self._source, words):
            return True
        given = ((argument_of(call, [name]), value) for name, value in found.registration.hidden_by)
        return any(isinstance(one, ast.Constant) and one.value == value for one, value in given)

    def _marked(self, call: ast.Call, mark: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tool of `mark(…)(function)`."""
        found = self._reader.registrations.of_decorator(self._source, mark, names) if call.args else None
        if found is not None:
            self._inner.add(mark)
            factories = self._reader.factories.of_call(self._source, mark.func, names)
            self.named += [factory.mark for factory in factories]
            yield from self._registered(call, found, call.args[0], names, kind="call")

    def _registered(
        self,
        call: ast.Call,
        found: Registered,
        given: ast.expr | None,
        names: LocalNames | None,
        *,
        kind: str,
        is_sure: bool = True,
    ) -> Iterator[WrittenTool]:
        """Yield the tools that a call creates from a function; unknown functions only count if certain."""
        if given is None or _is_parameter(given, names):  # what it registers is seen where the function is called
            return
        if in_turns := [*self._in_turns(call, found, given, names, kind=kind)]:
            yield from in_turns
            return
        copied = self._unwrapped(given, names)
        is_copy = copied is not given and _is_parameter(copied, names)
        defined = [] if is_copy else self._behind(copied, names)
        for one, made in defined:
            if self._is_passed_on(one, call, found) or self._is_closure(one, call, found, names):
                continue
            name = self._name_of(call, found, one, made, names)
            yield self._of_function(call, found, one, kind=kind, name=name, scope=names)
        registration = found.registration
        named = argument_of(call, [place for place in registration.name if isinstance(place, str)])
        if not defined and (model := self._model(copied, names)) is not None:
            name = model.node.name if named is None else self._reader.constants.text(self._source, named, names)
            yield self._of_function(call, found, model, kind=kind, name=name, scope=names)
            return
        name = None if defined else self._name(call, registration, None, names)
        is_known = bool(defined or name) or isinstance(given, ast.Lambda) or is_copy
        if not is_known and self._is_left_open(call, found, copied, names):
            return
        if not defined and (is_sure or is_copy or named is not None or isinstance(given, ast.Lambda)):
            yield self._tool(
                found.marks,
                kind,
                call,
                name=name,
                mark=call,
                registration=registration,
                function=given if isinstance(given, ast.Lambda) else None,
                within=found.within,
                scope=names,
            )

    def _in_turns(
        self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None, *, kind: str
    ) -> Iterator[WrittenTool]:
        """Yield the tools that a call registers in a loop, one for each turn whose function the source shows."""
        known = set()
        registration = found.registration
        if argument_of(call, registration.name) in call.args[:1]:  # the function, with its name behind it
            registration = named_behind(registration)
        for turn, taken in self._turns_around(given, names):
            for one in self._functions_in(turn, taken, names):
                if one in known or self._is_marked(one) or self._is_passed_on(one, call, found):
                    continue
                if self._is_closure(one, call, found, names):
                    continue
                known.add(one)
                name = argument_of(call, registration.name)
                named = None if name is None else turn.value(name) or Expression(self._source, turn.filled(name), names)
                text = None if named is None else self._reader.constants.text(*named)
                text = text or self._name(call, registration, self._reader.held.name_of(one), names)
                yield self._of_function(call, found, one, kind=kind, name=text, scope=names)

    def _functions_in(self, turn: Turn, given: ast.expr, names: LocalNames | None) -> list[Defined]:
        """Return the functions that an expression in a loop stands for in a turn: `row`, or `getattr(module, name)`."""
        if (value := turn.value(given)) is not None:
            return self._functions(value.node, value.names, value.source)
        match given:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]) if (
                named := turn.value(name)
            ) is not None:
                if (attribute := self._reader.constants.text(*named)) is not None:
                    return self._functions(placed(ast.Attribute(owner, attribute, ast.Load()), given), names)
        return []

    def _turns_around(self, given: ast.expr, names: LocalNames | None) -> Iterator[tuple[Turn, ast.expr]]:
        """Yield the turns of the loop around a function, with what it is there: also `row[key]` behind a variable."""
        bound = self._reader.meanings.values_of(self._source, given, names) if isinstance(given, ast.Name) else ()
        taken = [one for _, one, _ in bound if isinstance(one, ast.Call | ast.Subscript)]
        for one in (given, *(taken if len(taken) == 1 else ())):
            turns = [*self._reader.loops.turns_around(self._source, one, names)]
            yield from ((turn, one) for turn in turns)
            if turns:
                return

    def _of_function(
        self, call: ast.Call, found: Registered, one: Defined, *, kind: str, name: str | None, scope: LocalNames | None
    ) -> WrittenTool:
        is_here = one.source.path == self._source.path
        return self._tool(
            found.marks,
            kind,
            one.node if is_here else call,
            name=name,
            mark=call,
            registration=found.registration,
            function=_as_function(one.node),
            home=one.source.path,
            within=found.within,
            scope=scope,
        )

    def _behind(self, given: ast.expr, names: LocalNames | None) -> list[tuple[Defined, Object | None]]:
        """Return the functions that an expression may be, each with the object whose method it is, if that is known."""
        owners = self._reader.meanings.of(self._source, given.value, names) if isinstance(given, ast.Attribute) else ()
        made = [one for one in dict.fromkeys(owners) if isinstance(one, Object)]
        if made and isinstance(given, ast.Attribute):
            methods = ((one, self._reader.meanings.method_of(one, given.attr)) for one in made)
            return [(method, one) for one, method in methods if method is not None]
        return [(one, None) for one in self._functions(given, names)]

    def _model(self, given: ast.expr, names: LocalNames | None) -> Defined | None:
        """Return the class of pydantic whose fields are the parameters: `tool(Question)`."""
        found = (one for one in self._reader.meanings.of(self._source, given, names) if isinstance(one, Defined))
        return next((one for one in found if is_model(self._reader.constants, one)), None)

    def _unwrapped(self, given: ast.expr, names: LocalNames | None) -> ast.expr:
        """Return the function that a function copies with `functools.wraps`, or any other expression unchanged."""
        copied = (wrapped_by(one.node) for one in self._functions(given, names) if one.source.path == self._source.path)
        return next(filter(None, copied), given)

    def _name_of(
        self, call: ast.Call, found: Registered, one: Defined, made: Object | None, names: LocalNames | None
    ) -> str | None:
        """Return the name in a call that registers a function; `one.name` of a method of `one` is in its class."""
        name = argument_of(call, found.registration.name)
        if made is not None and isinstance(name, ast.Attribute) and name.attr in _NAMES:
            value = value_in(made.node, name.attr) or given_in_init(made.node, name.attr)
            return None if value is None else self._reader.constants.text(made.source, value)
        if (later := set_later(self._source, call, names)) is not None:
            return self._reader.constants.text(self._source, later)
        return self._name(call, found.registration, self._reader.held.name_of(one), names)

    def _is_left_open(self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None) -> bool:
        """Note a call that may register any number of tools, and return whether it is in a loop over them."""
        self._note(call, found, given, names)
        variables = (part.id for part in ast.walk(given) if isinstance(part, ast.Name))
        copied = copied_from(call, found.registration)
        named = copied is not None and is_received(self._source, copied.id, names)
        return (
            named
            or is_named_by_attribute(call, found.registration)
            or any(iterated(self._source, one, names) for one in variables)
        )

    def _is_closure(self, one: Defined, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Note a call for an inner function that is named after what the outer one receives, and return whether it is.

        Such a function is a tool each time that the outer one is called.
        """
        copied = copied_from(call, found.registration)
        if copied is None or names is None or not is_received(self._source, copied.id, names):
            return False
        is_inner = names.find(one.node.name) is not None
        if is_inner:
            self._leave_open(call, found, names)
        return is_inner

    def _is_copied(self, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Return whether a definition copies another one, and note one that a server lists and no source shows."""
        copied = copied_from(call, found.registration)
        if copied is None:
            return self._is_of_itself(call, found, names)
        if not is_received(self._source, copied.id, names):
            return False
        if lists_tools(names) and not self._reader.declared.are_before(self._source):
            for one in iterated(self._source, copied.id, names):
                self._note(call, found, one, names)
        return True

    def _is_of_itself(self, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Return, and note, whether a definition is made of the attributes of an object, for any number of objects."""
        registration = found.registration
        if not is_named_by_attribute(call, registration) or self._name(call, registration, None, names) is not None:
            return False
        given = argument_of(call, registration.function)
        if given is not None and self._functions(given, names):
            return False
        if not self._reader.declared.are_before(self._source):
            self.unfollowed.append(Unfollowed(call, found.marks.title, is_conversion=True))
        return True

    def _is_converted(self, call: ast.Call, names: LocalNames | None) -> bool:
        """Return whether a call makes a tool of each definition that a loop goes through, which are found elsewhere."""
        variables = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        is_in_loop = any(iterated(self._source, one, names) for one in variables)
        return is_in_loop and self._reader.declared.are_before(self._source)

    def _note(self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None) -> None:
        """Note a call that may register any number of tools; not one for an object of a framework."""
        is_object = any(isinstance(one, str) for one in self._reader.meanings.of(self._source, given, names))
        if not found.marks.serves and names is not None and takes_parameter(given, names):
            return  # a function that makes tools of what it receives, for an agent of whoever calls it
        if found.marks is not OUR_MARKS and not is_object and not is_of_marked(self._source, names):
            self._leave_open(call, found, names)

    def _leave_open(self, call: ast.Call, found: Registered, names: LocalNames | None) -> None:
        is_mild = not found.marks.serves and is_minor(self._source, call, names)
        self.unfollowed.append(Unfollowed(call, found.marks.title, is_mild))

    def _made(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function of the project makes of the arguments of a call."""
        for factory in self._reader.factories.of_call(self._source, call.func, names):
            found = factory.registered
            if found.registration.way == "holder":
                yield from self._held(call, found, names)
                continue
            if found.registration.way == "function":
                given = argument_of(call, found.registration.function)
                tools = [*self._registered(call, found, given, names, kind=found.kind, is_sure=False)]
            elif factory.function is not None:
                home = factory.function.source.path
                function = _as_function(factory.function.node)
                tools = [replace(self._defined(call, found, names), function=function, home=home)]
            else:
                tools = [self._defined(call, found, names)]
            named = [one for one in tools if one.name is not None]
            self.named += [factory.mark] if named else []
            yield from named

    def _definitions(self, call: ast.Call, found: Registered, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tool that a call defines, or those in a table that a loop gives it."""
        tool = self._defined(call, found, names)
        is_computed = tool.name is None and found.marks.serves
        rows = rows_of(self._reader.meanings, self._source, call, names) if is_computed else ()
        yield from (self._of_dictionary(found.marks, found.kind, one) for one in rows)
        given = argument_of(call, found.registration.name) if is_computed and not rows else None
        named = [] if given is None else self._new_names(given, names)
        yield from (replace(tool, name=name) for name in named)
        is_shown = bool(rows or named) or self._is_copied(call, found, names)
        if not is_shown and not (is_computed and self._is_converted(call, names)):
            yield tool

    def _names_in_turns(self, given: ast.expr, names: LocalNames | None) -> Iterator[str]:
        """Yield the names that a definition in a loop has, one for each turn whose name the source shows."""
        for turn, name in self._turns_around(given, names):
            shown = turn.value(name) or Expression(self._source, turn.filled(name), names)
            if (text := self._reader.constants.text(*shown)) is not None:
                yield text

    def _defined(self, call: ast.Call, found: Registered, names: LocalNames | None) -> WrittenTool:
        registration = found.registration
        given = argument_of(call, registration.function)
        defined = next(iter(self._functions(given, names)), None) if given is not None else None
        return self._tool(
            found.marks,
            found.kind,
            call,
            name=self._name(call, registration, None, names),
            mark=call,
            registration=registration,
            function=None if defined is None else _as_function(defined.node),
            home=None if defined is None else defined.source.path,
            within=found.within,
            scope=names,
        )

    def _held(self, call: ast.Call, found: Registered, names: LocalNames | None) -> Iterator[WrittenTool]:
        given = argument_of(call, found.registration.function)
        if given is None:
            return
        for source, one, scope in self._reader.held.elements(Expression(self._source, given, names)):
            if isinstance(one, ast.ListComp | ast.GeneratorExp):
                if found.marks.serves:
                    self._note(call, found, one.elt, names)
                continue
            shown = one if source is self._source else call
            if found.registration.takes_objects:
                yield from self._objects(found, Expression(source, one, scope), shown)
            functions = [] if _is_list(source, one) else self._functions(one, scope, source)
            for defined in (*functions, *self._returned_by(one, scope, source)):
                if not self._is_marked(defined):
                    is_here = defined.source.path == self._source.path
                    yield self._tool(
                        found.marks,
                        IN_LIST,
                        defined.node if is_here else shown,
                        name=self._reader.held.name_of(defined),
                        mark=None,
                        function=_as_function(defined.node),
                        home=defined.source.path,
                    )

    def _objects(self, found: Registered, given: Expression, shown: ast.expr) -> Iterator[WrittenTool]:
        """Yield the tools that objects of the project with a `__call__` method are in a list."""
        for made in self._reader.meanings.of(*given):
            method = self._reader.meanings.method_of(made, "__call__") if isinstance(made, Object) else None
            if method is None or not isinstance(made, Object):
                continue
            if not any(self._reader.meanings.made_from(Defined(made.source, made.node))):  # a class of a framework
                function, home = _as_function(method.node), method.source.path
                is_here = made.source is self._source
                node = made.node if is_here else shown
                yield self._tool(found.marks, IN_LIST, node, name=made.node.name, function=function, home=home)

    def _returned_by(self, given: ast.expr, names: LocalNames | None, source: SourceFile) -> Iterator[Defined]:
        """Yield the inner functions that a call of a function of the project returns: `tools=[make_search(index)]`."""
        calls = self._reader.held.calls_behind(Expression(source, given, names))
        for maker in (inner for one, call in calls for inner in self._functions(call.func, one.names, one.source)):
            nodes = own_nodes(maker.node.body) if isinstance(maker.node, FUNCTIONS) else []
            returned = {_name_in(one.value) for one in nodes if isinstance(one, ast.Return)}
            inner = (one for one in nodes if isinstance(one, FUNCTIONS) and one.name in returned)
            yield from (Defined(maker.source, one) for one in inner)

    def _is_passed_on(self, defined: Defined, call: ast.Call, found: Registered) -> bool:
        """Whether a call registers what a decorator of its framework has made a tool, with the same name."""
        is_plain = found.registration.way == "function" and argument_of(call, found.registration.name) is None
        return found.marks is not OUR_MARKS and is_plain and self._is_marked(defined, found.marks)

    def _is_marked(self, defined: Defined, marks: SourceMarks | None = None) -> bool:
        """Whether a decorator, possibly only one of some marks, makes a function a tool."""
        find = self._reader.registrations.of_decorator
        decorators = defined.node.decorator_list
        scope = scope_around(defined.source.tree, defined.node) if decorators else None
        registered = (find(defined.source, one, scope) for one in decorators)
        return any(one is not None and one.marks is (marks or one.marks) for one in registered)

    def _functions(self, given: ast.expr, names: LocalNames | None, source: SourceFile | None = None) -> list[Defined]:
        """Return the functions that an expression in this file, or in another one, may be."""
        found = dict.fromkeys(self._reader.meanings.of(source or self._source, given, names))
        return [one for one in found if isinstance(one, Defined) and isinstance(one.node, FUNCTIONS)]

    # ---------------------------------------------------------------------------------------------------------- classes

    def _class(self, node: ast.ClassDef, names: LocalNames | None) -> Iterator[WrittenTool]:
        cls = Defined(self._source, node)
        for base in dict.fromkeys(self._reader.meanings.made_from(cls, names=names)):
            for marks, kind in self._kinds_below(base):
                found = list(self._tools_of_class(marks, kind, cls))
                yield from found
                if found:
                    return
        if (known := self._kind_of_copy(cls)) is not None:
            yield from (one for one in self._tools_of_class(*known, cls) if one.name is not None)
            return
        if names is not None or not _looks_like_a_tool(node) or self._reader.declared.is_described(cls):
            return
        if self._source.imports_package(OURS) or not _is_command(node):
            yield from self._tools_of_class(OUR_MARKS, _BY_ATTRIBUTES, cls)

    def _kinds_below(self, base: str) -> Iterator[tuple[SourceMarks, ToolClasses]]:
        """Yield how classes with a base class, given by its dotted name, define tools."""
        marks = self._reader.marks.of(base)
        if marks is not None:
            yield from ((marks, kind) for kind in marks.tool_classes if is_among(base, kind.bases))

    def _kind_of_copy(self, cls: Defined) -> tuple[SourceMarks, ToolClasses] | None:
        """Return how a class defines a tool whose base class is in the source of a framework, or in a copy of it.

        That base class runs calls, and no other class is derived from this one.
        """
        for base in bases_of(self._reader.constants, cls):
            methods = {one.name for one in base.node.body if isinstance(one, FUNCTIONS)}
            for name in names_in_frameworks(base.source.path, base.node.name):
                known = (one for one in self._kinds_below(name) if not methods.isdisjoint(one[1].methods))
                if (found := next(known, None)) is not None:
                    return None if self._reader.uses.derived_from(cls) else found
        return None

    def _tools_of_class(self, marks: SourceMarks, kind: ToolClasses, cls: Defined) -> Iterator[WrittenTool]:
        for one in class_tools(self._reader.constants, self._reader.uses, cls, kind):
            shown = one.method if kind.listing and one.method is not None and one.method in one.node.body else one.node
            yield self._tool(
                marks, kind.listing or "class", shown, name=one.name, function=one.method, home=one.home, as_class=one
            )

    def _declared(self, known: Collection[tuple[int, int]], named: Collection[str | None]) -> Iterator[WrittenTool]:
        """Yield the tools that are defined as plain data, except at these lines and columns.

        A definition that only its form makes a tool is left out if it has the name of another tool, of which it is
        what one provider receives.
        """
        declared = self._reader.declared.in_file(self._source)
        named = {*named, *(one.name for one in declared if not one.is_only_form)}
        for one in declared:
            if (one.node.lineno, one.node.col_offset) in known or (one.is_only_form and one.name in named):
                continue
            scope = scope_around(self._source.tree, one.node)
            shown: Iterable[str | None] = [one.name]
            if one.name is None and (one.is_object or one.declared is not None):
                shown = [] if one.name_node is None else self._new_names(one.name_node, scope)
                if one.declared is not None and not shown:
                    self.unfollowed.append(Unfollowed(one.declared, one.marks.title, is_conversion=True))
            tool = self._tool(
                one.marks,
                one.kind,
                one.node,
                name=one.name,
                mark=one.node if isinstance(one.node, ast.Call) else None,
                registration=one.registration,
                function=None if one.as_class is None else one.as_class.method,
                home=None if one.as_class is None else one.as_class.home,
                as_class=one.as_class,
                declared=one.declared,
                sent_at=one.sent_at,
                scope=scope,
                framework=one.form_of,
            )
            yield from (replace(tool, name=name) for name in shown)

    def _new_names(self, given: ast.expr, names: LocalNames | None) -> list[str]:
        """Return the names that a definition in a loop has, except those of the definitions that it is made of."""
        shown = [*self._names_in_turns(given, names)]
        known = self._reader.declared.names_before(self._source) if shown else ()
        return [one for one in dict.fromkeys(shown) if one not in known]

    def _in_variable(self) -> Iterator[WrittenTool]:
        """Yield the tool of a module that contains its definition in a variable."""
        imported = [framework_of(one.module) for one in self._reader.meanings.foreign_imports(self._source)]
        others = (one for variable, one in FRAMEWORK_OF_VARIABLE.items() if variable in self._source.bindings)
        for framework in dict.fromkeys(filter(None, (*imported, *others))):
            marks = marks_of(framework)
            for value in self._source.bindings.get(marks.spec_variable or "", ()) if marks else ():
                if marks and isinstance(value, ast.Dict):
                    named = value_of(value, "name")
                    name = None if named is None else self._reader.constants.text(self._source, named)
                    own = [one for one in self._source.top_definitions() if one.name == name]
                    function = next(iter(own), None)
                    if function is None and framework not in imported:
                        continue
                    yield self._tool(
                        marks,
                        str(marks.spec_variable),
                        function or value,
                        name=name,
                        function=None if function is None else _as_function(function),
                        home=self._source.path,
                        declared=value,
                    )

    # ----------------------------------------------------------------------------------------------------------- values

    def _name(
        self, mark: ast.expr, registration: Registration, otherwise: str | None, names: LocalNames | None
    ) -> str | None:
        return self._reader.names.of_mark(Expression(self._source, mark, names), registration, otherwise)

    def _tool(
        self, marks: SourceMarks, kind: str, node: ast.stmt | ast.expr, *, framework: str | None = None, **known: Any
    ) -> WrittenTool:
        framework = framework or framework_of(marks.packages[0]) or OURS
        return WrittenTool(self._source.path, framework, marks, kind, node, **known)


def _same(tool: WrittenTool) -> object:
    """Return what is equal for calls that make the same tool of a function, for several agents or servers."""
    if tool.kind == IN_LIST and tool.name is None:  # made each time that a function is called, with other names
        return tool
    is_foreign = tool.framework != OURS or tool.kind == IN_LIST
    is_called = is_foreign and tool.function is not None and tool.kind not in _ON_DEFINITIONS
    return (tool.framework, tool.function, tool.name, tool.kind) if is_called else tool


def _looks_like_a_tool(node: ast.ClassDef) -> bool:
    """Whether a class is a tool by its attributes alone, whatever it is derived from."""
    has_method = any(isinstance(one, FUNCTIONS) and one.name in _BY_ATTRIBUTES.methods for one in node.body)
    return has_method and all(value_in(node, one) for one in (_BY_ATTRIBUTES.name, _BY_ATTRIBUTES.description))


def _is_command(node: ast.ClassDef) -> bool:
    """Whether a class that looks like a tool is a command for people: by its name, or as it answers bit by bit."""
    if any(last_name(one).endswith("Command") for one in (ast.Name(node.name), *node.bases)):
        return True
    methods = (one for one in node.body if isinstance(one, FUNCTIONS) and one.name in _BY_ATTRIBUTES.methods)
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for one in methods for part in own_nodes(one.body))


def is_out_of_reach(source: SourceFile, names: LocalNames | None) -> bool:
    """Whether a scope is a class inside another one that the file never refers to, so that it gives no tools.

    A toolbox inside another one does give tools, and any other decorator may use the class, too.
    """
    inner, outer = names and names.node, names and names.outer and names.outer.node
    if not (isinstance(inner, ast.ClassDef) and isinstance(outer, ast.ClassDef)):
        return False
    if inner.decorator_list or outer.decorator_list:
        return False
    return not any(isinstance(node, ast.Attribute) and node.attr == inner.name for node in ast.walk(source.tree))


def scope_of(function: Defined) -> LocalNames:
    """Return the scope of the body of a function."""
    return LocalNames(function.node, scope_around(function.source.tree, function.node))


def _as_function(node: Definition) -> Function | None:
    return node if isinstance(node, FUNCTIONS) else None


def _name_in(node: ast.expr | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _is_list(source: SourceFile, node: ast.expr) -> bool:
    """Whether a variable is bound to a list, also if the file later defines a function with its name."""
    bound = source.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return any(isinstance(one, ast.List | ast.Tuple) for one in bound)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.JoinedStr)


def _is_parameter(node: ast.expr, names: LocalNames | None) -> bool:
    """Whether a node is a parameter of a function around it, or passes all of `*args` on."""
    node = node.value if isinstance(node, ast.Starred) else node
    return isinstance(node, ast.Name) and names is not None and names.is_parameter(node.id)


def _wraps_parameter(node: Definition, names: LocalNames | None) -> bool:
    """Whether a function wraps one that a decorator of the project receives."""
    copied = wrapped_by(node)
    return copied is not None and _is_parameter(copied, names)
