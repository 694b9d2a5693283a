"""Find the names that decorators and calls give to tools."""

import ast
from contextlib import suppress
from itertools import pairwise

from toolkit.source_code.constants import Constants, UnknownValueError
from toolkit.source_code.held_lists import HeldLists
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined
from toolkit.source_code.source_files import FUNCTIONS, SourceFile
from toolkit.source_code.written_calls import argument_of, hides_arguments
from toolkit.source_code.written_tools import part_of
from toolkit.tools.foreign.source_marks import Registration


class RegisteredNames:
    """Finds the names of tools in what registers them."""

    def __init__(self, constants: Constants, held: HeldLists) -> None:
        self._constants = constants
        self._meanings = constants.meanings
        self._held = held

    def of_mark(self, mark: Expression, registration: Registration, otherwise: str | None) -> str | None:
        """Return the name in a mark; `None` if only running the file would show it.

        Args:
            mark: The decorator or call that registers the tool.
            registration: Where it has the name.
            otherwise: The name of the tool if nothing in the mark names it: that of its function.
        """
        source, node, names = mark
        if (whole := argument_of(node, registration.whole)) is not None:
            return self._in_whole(mark._replace(node=whole))
        name = argument_of(node, registration.name)
        if name is not None and not (isinstance(name, ast.Constant) and name.value is None):
            if self.is_of_function(mark._replace(node=name)):
                return self._constants.text(source, name, names) or otherwise
            text = self._constants.text(source, name, names)
            is_first = isinstance(node, ast.Call) and node.args and name is node.args[0] and otherwise is not None
            if text is None and is_first and self._is_function(mark._replace(node=name)):
                return self.of_mark(mark, named_behind(registration), otherwise)
            return text
        if hides_arguments(node):
            return None
        if registration.named_after:
            return self._of_agent(mark, registration)
        return self._of_class(mark, registration) if registration.named_after_class else otherwise

    def is_of_function(self, given: Expression) -> bool:
        """Whether an expression is `function.__name__`, or a variable that only has that."""
        if isinstance(given.node, ast.Name):
            values = [value for _, value, _ in self._meanings.values_of(given.source, given.node, given.names)]
            named = (isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) for one in values)
            return bool(values) and all(named) and all(map(_is_name_of, values))
        return _is_name_of(given.node)

    def _is_function(self, given: Expression) -> bool:
        found = self._meanings.of(*given)
        return any(isinstance(one, Defined) and isinstance(one.node, FUNCTIONS) for one in found)

    def _in_whole(self, whole: Expression) -> str | None:
        """Return the name in the dictionary or the object that defines all of a tool."""
        with suppress(UnknownValueError, KeyError, TypeError):
            return str(self._constants.value(*whole)["name"])
        made = [whole]
        if isinstance(whole.node, ast.Name | ast.Attribute):
            made = [Expression(*one) for one in self._meanings.values_of(whole.source, whole.node, whole.names)]
        named = [(one, part_of(one.node, "name")) for one in made if isinstance(one.node, ast.Call)]
        text = self._constants.text
        texts = {None if name is None else text(one.source, name, one.names) for one, name in named}
        return texts.pop() if len(texts) == 1 else None

    def _of_agent(self, mark: Expression, registration: Registration) -> str | None:
        """Return the name of the agent that a mark makes a tool of; `None` if only running the file would show it."""
        agent = argument_of(mark.node, registration.named_after)
        if "self" in registration.named_after:
            function = mark.node.func if isinstance(mark.node, ast.Call) else None
            agent = function.value if isinstance(function, ast.Attribute) else None
        given = [(one, argument_of(call, ("name",))) for one, call in self._calls_behind(mark, agent)]
        texts = {self._constants.text(one.source, name, one.names) for one, name in given if name is not None}
        return texts.pop() if len(texts) == 1 else None

    def _of_class(self, mark: Expression, registration: Registration) -> str | None:
        """Return the name of the class of the object that a mark makes a tool of, in snake case, or `None`."""
        given = argument_of(mark.node, registration.named_after_class)
        classes = {one.source.short_name(call.func) for one, call in self._calls_behind(mark, given)}
        name = classes.pop() if len(classes) == 1 else ""
        return _in_snake_case(name) if name[:1].isupper() else None

    def _calls_behind(self, mark: Expression, given: ast.expr | None) -> list[tuple[Expression, ast.Call]]:
        return [] if given is None else [*self._held.calls_behind(mark._replace(node=given))]


def set_later(source: SourceFile, call: ast.Call, names: LocalNames | None) -> ast.expr | None:
    """Return what the top level sets as the name of the tool that a call makes there: `found.name = "find"`."""
    variables = source.bindings.items() if names is None else ()
    variable = next((name for name, bound in variables if call in bound), None)
    for one in source.tree.body if variable is not None else ():
        match one:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=target), attr="name")], value=value):
                if target == variable:
                    return value
    return None


def named_behind(registration: Registration) -> Registration:
    """Return a registration whose first argument is the function instead of the name."""
    return registration._replace(name=tuple(place for place in registration.name if place != 0))


def _is_name_of(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "__name__"


def _in_snake_case(name: str) -> str:
    parts = (f"_{two}" if two.isupper() and not one.isupper() else two for one, two in pairwise(name))
    return f"{name[:1]}{''.join(parts)}".lower()
