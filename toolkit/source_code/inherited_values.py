"""Find what the base classes of a class set an attribute of its objects to, also by what the class gives to them."""

import ast
from collections.abc import Iterator

from toolkit.source_code.local_names import Local, LocalNames, scope_around
from toolkit.source_code.meanings import Defined, Meanings
from toolkit.source_code.source_files import SourceFile
from toolkit.source_code.syntax_nodes import FunctionNode, own_nodes
from toolkit.source_code.written_calls import argument_of, is_super_init, places_of


def inherited_values(
    meanings: Meanings, source: SourceFile, cls: ast.ClassDef, attribute: str
) -> Iterator[tuple[SourceFile, Local]]:
    """Yield the values of an attribute that the nearest base class of the project sets, each with its file.

    A parameter of its `__init__`, as in `self.name = name`, has the value that `super().__init__("find")` gives it.
    """
    line = meanings.line_of(Defined(source, cls))
    for at, base in enumerate(line[1:], 1):
        inner = LocalNames(base.node, scope_around(base.source.tree, base.node))
        own = inner.bound.get(attribute) or inner.attributes.get(attribute, ())
        for one in own:
            yield _given(line[:at], base, one)
        if own:
            return


def _given(below: list[Defined], base: Defined, value: Local) -> tuple[SourceFile, Local]:
    """Return a value that a base class sets, or what the classes below it give to its `__init__` in place of it."""
    source, initial = base.source, _initial(base)
    for cls in reversed(below):
        own = _initial(cls)
        if own is None or initial is None or not isinstance(value.binding, ast.Name):
            continue  # `__init__` is inherited, too
        found = _passed(own, initial, value.binding.id)
        if found is None:
            break
        outer = LocalNames(cls.node, scope_around(cls.source.tree, cls.node))
        source, value, initial = cls.source, Local(found, LocalNames(own, outer)), own
    return source, value


def _passed(own: FunctionNode, initial: FunctionNode, parameter: str) -> ast.expr | None:
    """Return what an `__init__` gives to that of the base class for a parameter, or `None`."""
    places = places_of(initial).get(parameter)
    calls = (one for one in own_nodes(own.body) if isinstance(one, ast.Call) and is_super_init(one.func))
    found = next(calls, None) if places else None
    return None if found is None or not places else argument_of(found, places)


def _initial(cls: Defined) -> FunctionNode | None:
    return next((one for one in cls.node.body if isinstance(one, FunctionNode) and one.name == "__init__"), None)
