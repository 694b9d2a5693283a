"""Find the tools that calls define whole: `Tool(name=…, inputSchema=…)`, also in a loop over a table."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from toolkit.source_code.call_scopes import (
    copied_from,
    is_named_by_attribute,
    is_received,
    iterated,
    lists_tools,
    rows_of,
)
from toolkit.source_code.file_views import FileView, as_function
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.registrations import Registered
from toolkit.source_code.unfollowed_calls import Unfollowed
from toolkit.source_code.written_calls import argument_of
from toolkit.source_code.written_tools import WrittenTool


class DefiningCalls:
    """Finds the tools that the calls in a file define."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source

    def defined_by(self, call: ast.Call, found: Registered, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tool that a call defines, or those in a table that a loop gives it."""
        tool = self.definition(call, found, names)
        is_computed = tool.name is None and found.marks.serves
        rows = rows_of(self._finders.meanings, self._source, call, names) if is_computed else ()
        yield from (self._view.of_dictionary(found.marks, found.kind, one) for one in rows)
        given = argument_of(call, found.registration.name) if is_computed and not rows else None
        named = [] if given is None else self.new_names(given, names)
        yield from (replace(tool, name=name) for name in named)
        is_shown = bool(rows or named) or self._is_copied(call, found, names)
        if not is_shown and not (is_computed and self._is_converted(call, names)):
            yield tool

    def _names_in_turns(self, given: ast.expr, names: LocalNames | None) -> Iterator[str]:
        """Yield the names that a definition in a loop has, one for each turn whose name the source shows."""
        for turn, name in self._finders.loops.turns_behind(self._source, given, names):
            shown = turn.value(name) or Expression(self._source, turn.filled(name), names)
            if (text := self._finders.constants.text(*shown)) is not None:
                yield text

    def definition(self, call: ast.Call, found: Registered, names: LocalNames | None) -> WrittenTool:
        """Return the tool that a call defines."""
        registration = found.registration
        given = argument_of(call, registration.function)
        defined = next(iter(self._view.functions(given, names)), None) if given is not None else None
        return self._view.tool(
            found.marks,
            found.kind,
            call,
            name=self._view.name(call, registration, None, names),
            mark=call,
            registration=registration,
            function=None if defined is None else as_function(defined.node),
            home=None if defined is None else defined.source.path,
            within=found.within,
            scope=names,
        )

    def new_names(self, given: ast.expr, names: LocalNames | None) -> list[str]:
        """Return the names that a definition in a loop has, except those of the definitions that it is made of."""
        shown = [*self._names_in_turns(given, names)]
        known = self._finders.declared.names_before(self._source) if shown else ()
        return [one for one in dict.fromkeys(shown) if one not in known]

    def _is_copied(self, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Return whether a definition copies another one, and note one that a server lists and no source shows."""
        copied = copied_from(call, found.registration)
        if copied is None:
            return self._is_of_itself(call, found, names)
        if not is_received(self._source, copied.id, names):
            return False
        if lists_tools(names) and not self._finders.declared.are_before(self._source):
            for one in iterated(self._source, copied.id, names):
                self._view.note(call, found, one, names)
        return True

    def _is_of_itself(self, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Return, and note, whether a definition is made of the attributes of an object, for any number of objects."""
        registration = found.registration
        if (
            not is_named_by_attribute(call, registration)
            or self._view.name(call, registration, None, names) is not None
        ):
            return False
        given = argument_of(call, registration.function)
        if given is not None and self._view.functions(given, names):
            return False
        if not self._finders.declared.are_before(self._source):
            self._view.unfollowed.append(Unfollowed(call, found.marks.title, is_conversion=True))
        return True

    def _is_converted(self, call: ast.Call, names: LocalNames | None) -> bool:
        """Return whether a call makes a tool of each definition that a loop goes through, which are found elsewhere."""
        variables = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
        is_in_loop = any(iterated(self._source, one, names) for one in variables)
        return is_in_loop and self._finders.declared.are_before(self._source)
