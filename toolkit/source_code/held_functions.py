"""Find the functions and objects in the list that an agent or a server receives: `tools=[…]`."""

import ast
from collections.abc import Iterator, Sequence

from toolkit.source_code.class_tools import is_model
from toolkit.source_code.file_views import FileView, as_function
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined, Object
from toolkit.source_code.registrations import Registered
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile
from toolkit.source_code.syntax_nodes import own_nodes, parts_by_key, placed
from toolkit.source_code.written_calls import argument_of
from toolkit.source_code.written_tools import IN_LIST, WrittenTool
from toolkit.tools.foreign.source_marks import Place, Registration

_LISTED = "tools"
"""The key of the list in a dictionary of options."""


_OF_MODEL = Registration((), "definition", function=(), schema=(0,))
"""How the class of a model defines a tool."""


class HeldFunctions:
    """Finds the tools in the lists of a file."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source

    def held_by(self, call: ast.Call, found: Registered, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools in the list that a call is given."""
        for given in self._lists_in(call, found.registration.function, names):
            listed = Expression(self._source, given, names)
            for one in (listed, *self._in_turns(listed)):
                yield from self._held_in(one, call, found)

    def _in_turns(self, listed: Expression) -> Iterator[Expression]:
        """Yield the lists that a variable of a loop stands for, one turn after the other."""
        for turn, taken in self._finders.loops.turns_behind(listed.source, listed.node, listed.names):
            value = turn.value(taken)
            if value is not None and isinstance(value.node, ast.List | ast.Tuple):
                yield value

    def _lists_in(self, call: ast.Call, places: Sequence[Place], names: LocalNames | None) -> Iterator[ast.expr]:
        """Yield the list in a call: in its argument, in a dictionary of options, or in options that it unpacks."""
        if (given := argument_of(call, places)) is not None:
            yield parts_by_key(given).get(_LISTED, given) if isinstance(given, ast.Dict) else given
            return
        unpacked = (one.value for one in call.keywords if one.arg is None)
        options = [one for one in unpacked if isinstance(one, ast.Name)]
        for one in options:
            for source, value, _ in self._finders.meanings.values_of(self._source, one, names):
                if source is self._source and isinstance(value, ast.Dict):
                    yield from (listed for key, listed in parts_by_key(value).items() if key in places)
        named = {one.id for one in options}
        for node in own_nodes(self._source.tree.body if names is None else names.node.body) if named else ():
            match node:
                case ast.Assign(targets=[ast.Subscript(ast.Name(name), ast.Constant(key))], value=listed):
                    if name in named and key in places:
                        yield listed

    def _held_in(self, given: Expression, call: ast.Call, found: Registered) -> Iterator[WrittenTool]:
        names = given.names
        for source, one, scope in self._finders.held.elements(given):
            if isinstance(one, ast.ListComp | ast.GeneratorExp):
                if found.marks.serves:
                    self._view.note(call, found, one.elt, names)
                continue
            shown = one if source is self._source else call
            if found.registration.takes_objects:
                yield from self._objects(found, Expression(source, one, scope), shown)
            if found.registration.takes_models and not (
                isinstance(one, ast.List | ast.Tuple | ast.Set) or _is_list(source, one)
            ):
                yield from self._models(found, Expression(source, one, scope), shown)
            functions = [] if _is_list(source, one) else self._view.functions(one, scope, source)
            for defined in functions or self._returned_by(one, scope, source):
                if not self._view.is_marked(defined):
                    is_here = defined.source.path == self._source.path
                    yield self._view.tool(
                        found.marks,
                        IN_LIST,
                        defined.node if is_here else shown,
                        name=self._finders.held.name_of(defined),
                        mark=None,
                        function=as_function(defined.node),
                        home=defined.source.path,
                    )

    def _objects(self, found: Registered, given: Expression, shown: ast.expr) -> Iterator[WrittenTool]:
        """Yield the tools that objects of the project with a `__call__` method are in a list."""
        for made in self._finders.meanings.of(*given):
            method = self._finders.meanings.method_of(made, "__call__") if isinstance(made, Object) else None
            if method is None or not isinstance(made, Object):
                continue
            if not any(self._finders.meanings.made_from(Defined(made.source, made.node))):  # a class of a framework
                function, home = as_function(method.node), method.source.path
                is_here = made.source is self._source
                node = made.node if is_here else shown
                yield self._view.tool(found.marks, IN_LIST, node, name=made.node.name, function=function, home=home)

    def _models(self, found: Registered, given: Expression, shown: ast.expr) -> Iterator[WrittenTool]:
        """Yield the tools that classes of pydantic are in a list, as if a call defined them by their fields."""
        constants = self._finders.constants
        for model in self._finders.meanings.of(*given):
            if isinstance(model, Defined) and is_model(constants, model):
                is_here = model.source is self._source
                node = model.node if is_here else shown
                described = ast.keyword("description", _docstring_of(model.node, is_here=is_here))
                mark = placed(ast.Call(ast.Name(model.node.name), [given.node], [described]), given.node)
                yield self._view.tool(
                    found.marks, IN_LIST, node, name=model.node.name, mark=mark, registration=_OF_MODEL
                )

    def _returned_by(self, given: ast.expr, names: LocalNames | None, source: SourceFile) -> Iterator[Defined]:
        """Yield the inner functions that a call of a function of the project returns: `tools=[make_search(index)]`."""
        calls = self._finders.held.calls_behind(Expression(source, given, names))
        for maker in (inner for one, call in calls for inner in self._view.functions(call.func, one.names, one.source)):
            nodes = own_nodes(maker.node.body) if isinstance(maker.node, FUNCTIONS) else []
            returned = {_name_in(one.value) for one in nodes if isinstance(one, ast.Return)}
            inner = (one for one in nodes if isinstance(one, FUNCTIONS) and one.name in returned)
            yield from (Defined(maker.source, one) for one in inner)


def _name_in(node: ast.expr | None) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _docstring_of(node: Definition, *, is_here: bool) -> ast.expr:
    """Return the docstring of a class as it is written, or as a text if it is in another file."""
    first = node.body[0]
    if is_here and isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
        return first.value
    return ast.Constant(ast.get_docstring(node))


def _is_list(source: SourceFile, node: ast.expr) -> bool:
    """Whether a variable is bound to a list, also if the file later defines a function with its name."""
    bound = source.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return any(isinstance(one, ast.List | ast.Tuple | ast.Set) for one in bound)
