"""Find what a list of tools that an agent is created with has in the subclasses of the class that creates it."""

import ast
from collections.abc import Iterator

from toolkit.source_code.class_uses import ClassUses
from toolkit.source_code.constants import Constants
from toolkit.source_code.list_elements import Expression, elements_of
from toolkit.source_code.local_names import LocalNames, scope_around
from toolkit.source_code.meanings import Defined, Meanings
from toolkit.source_code.source_files import FUNCTIONS
from toolkit.source_code.syntax_nodes import own_nodes

_DEEPEST = 4


class HeldLists:
    """Finds the elements of lists."""

    def __init__(self, constants: Constants, uses: ClassUses) -> None:
        self._constants = constants
        self._meanings: Meanings = constants.meanings
        self._uses = uses

    def elements(self, given: Expression) -> Iterator[Expression]:
        """Yield every element that a list may have, and the lists themselves."""
        for listed in (given, *self._overriding(given, _DEEPEST)):
            yield from (*elements_of(self._meanings, listed), listed)

    def _overriding(self, given: Expression, depth: int) -> Iterator[Expression]:
        """Yield what the subclasses have in place of the methods and attributes of `self` that a list comes from."""
        source, node, names = given
        for part in ast.walk(node) if depth and names is not None else ():
            if names is None or not isinstance(part, ast.Name | ast.Attribute):
                continue
            local = names.attribute(part) if isinstance(part, ast.Attribute) else names.find(part.id) or ()
            for one in local:
                if isinstance(one.binding, ast.expr):
                    yield from self._overriding(Expression(source, one.binding, one.names), depth - 1)
            cls = names.enclosing_class(part.value) if isinstance(part, ast.Attribute) else None
            if cls is not None and isinstance(part, ast.Attribute):
                for other in self._uses.derived_from(Defined(source, cls)):
                    yield from _values_of_member(other, part.attr)

    def calls_behind(self, given: Expression) -> Iterator[tuple[Expression, ast.Call]]:
        """Yield the call that an element is, or those that a variable is bound to."""
        made = [given]
        if isinstance(given.node, ast.Name | ast.Attribute):
            made = [Expression(*one) for one in self._meanings.values_of(given.source, given.node, given.names)]
        yield from ((one, one.node) for one in made if isinstance(one.node, ast.Call))

    def name_of(self, function: Defined) -> str | None:
        """Return the name of a function, which the code around it may set; `None` if only running shows it."""
        scope = scope_around(function.source.tree, function.node)
        named = function.node.name
        for one in own_nodes(scope.node.body) if scope is not None else function.source.tree.body:
            match one:
                case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=target), attr="__name__")], value=value):
                    if target == named:
                        return self._constants.text(function.source, value, scope)
        return named


def _values_of_member(cls: Defined, name: str) -> Iterator[Expression]:
    """Yield what a class assigns to an attribute, or what its method of this name returns."""
    names = LocalNames(cls.node, scope_around(cls.source.tree, cls.node))
    for one in names.bound.get(name) or names.attributes.get(name, ()):
        if isinstance(one.binding, ast.expr):
            yield Expression(cls.source, one.binding, one.names)
        elif isinstance(one.binding, FUNCTIONS):
            returned = (each for each in own_nodes(one.binding.body) if isinstance(each, ast.Return))
            scope = LocalNames(one.binding, names)
            yield from (Expression(cls.source, each.value, scope) for each in returned if each.value is not None)
