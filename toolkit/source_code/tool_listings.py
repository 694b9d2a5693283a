"""Find the tools that a function lists for a server: `@server.list_tools()`."""

import ast
from collections.abc import Iterator

from toolkit.source_code.call_scopes import LISTING, copied_from, dictionaries_in, is_received
from toolkit.source_code.classes_as_tools import looks_like_a_tool
from toolkit.source_code.file_views import FileView
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import scope_of
from toolkit.source_code.source_files import FUNCTIONS, Definition, Imported, SourceFile, last_name
from toolkit.source_code.unfollowed_calls import Unfollowed
from toolkit.source_code.written_tools import WrittenTool

_DEEPEST = 4


class Listings:
    """Finds the tools that the functions of a file list as dictionaries."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source

    def listed_by(self, node: Definition, decorator: ast.expr, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function lists as dictionaries, and note one of whose tools no source shows any."""
        if not (isinstance(decorator, ast.Call) and last_name(decorator.func) == LISTING):
            return
        self._view.lists_tools = True
        named = (one for one in self._finders.meanings.of(self._source, decorator.func, names) if isinstance(one, str))
        marks = next(filter(None, map(self._finders.marks.of, named)), None)
        scope = LocalNames(node, names)
        if marks is None or self._shows_tools(self._source, node, scope, _DEEPEST):
            return
        returned = [one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None]
        given = ((self._source, value, scope) for value in returned)
        found = [one for value in given for one in dictionaries_in(self._finders.meanings, *value)]
        yield from (self._view.of_dictionary(marks, LISTING, one) for one in found)
        if not (found or self._is_beside_classes(returned) or self._finders.declared.are_before(self._source)):
            is_remote = any(self._is_asked_for(one, scope) for one in returned)
            self._view.unfollowed.append(Unfollowed(decorator, marks.title, is_remote))

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
        return bool(imported) and not any(self._finders.meanings.files_of(self._source.path, one) for one in imported)

    def _is_beside_classes(self, listed: list[ast.expr]) -> bool:
        """Whether the file, or one that it imports, has classes to be listed.

        They are tools by their attributes, or define one in a method that the list calls, as in
        `[one.definition() for one in found.values()]`.
        """
        called = {last_name(one.func) for value in listed for one in ast.walk(value) if isinstance(one, ast.Call)}
        for source in filter(None, map(self._finders.meanings.source, self._finders.files_around(self._source))):
            for cls in source.top_definitions():
                if isinstance(cls, ast.ClassDef) and (looks_like_a_tool(cls) or self._defines(source, cls, called)):
                    return True
        return False

    def _defines(self, source: SourceFile, cls: ast.ClassDef, methods: set[str]) -> bool:
        """Whether one of these methods of a class defines a tool."""
        around = LocalNames(cls, None)
        inner = (one for one in cls.body if isinstance(one, FUNCTIONS) and one.name in methods)
        return any(self._shows_tools(source, one, LocalNames(one, around), 1) for one in inner)

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
        found = self._finders.registrations.of_call(source, call.func, names)
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
                for one in self._view.functions(function, names, source):
                    yield one.source, one.node, scope_of(one)
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                yield from self._finders.meanings.values_of(source, node, names)
