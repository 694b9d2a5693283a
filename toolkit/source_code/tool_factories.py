"""Find the functions of a project that make a tool of what they receive, such as its name or its function."""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.meanings import Defined
from toolkit.source_code.registrations import Registered, Registrations, argument_of
from toolkit.source_code.source_files import FUNCTIONS, Definition, SourceFile
from toolkit.source_code.syntax_nodes import calls_and_definitions
from toolkit.source_code.unfollowed import wrapped_by
from toolkit.tools.foreign.source_marks import Place, Way


class Factory(NamedTuple):
    """A tool that a function makes each time it is called.

    Attributes:
        mark: The decorator or call in the function that registers the tool.
        registered: How a call of the function registers it: the places of its arguments are parameters of the function.
        function: The function that the tool runs, if it is inside the factory.
    """

    mark: ast.expr
    registered: Registered
    function: Defined | None = None


class Factories:
    """Finds what the functions of a project make; results are cached."""

    def __init__(self, registrations: Registrations) -> None:
        """Create an empty cache."""
        self._registrations = registrations
        self._known: dict[Definition, tuple[Factory, ...]] = {}

    def of_call(self, source: SourceFile, function: ast.expr, names: LocalNames | None) -> Sequence[Factory]:
        """Return the tools that a call of a function makes of its arguments."""
        found: list[Factory] = []
        for meaning in self._registrations.meanings.of(source, function, names):
            if isinstance(meaning, Defined) and isinstance(meaning.node, FUNCTIONS):
                if meaning.node not in self._known:
                    self._known[meaning.node] = tuple(self._made_by(meaning))
                found += self._known[meaning.node]
        return found

    def _made_by(self, defined: Defined) -> Iterator[Factory]:
        places = _places_of(defined.node)
        for mark, registered, function in self._registered_in(defined.source, defined.node, None) if places else ():
            registration = registered.registration
            by_name = _place(argument_of(mark, registration.name), places)
            by_function = _place(function, places) if isinstance(function, ast.expr) else ()
            if not (by_name or by_function):
                continue
            schema = argument_of(mark, registration.schema)
            by_schema = _place(schema, places)
            is_described_by_function = by_function and (schema is None or by_schema)
            own = Defined(defined.source, function) if isinstance(function, Definition) else None
            otherwise: Way = "definition" if own is None else "mark"
            found = registration._replace(
                way="function" if is_described_by_function else otherwise,
                function=by_function,
                name=by_name,
                description=_place(argument_of(mark, registration.description), places),
                schema=by_schema,
            )
            within = (defined.source.path, mark.lineno)
            yield Factory(mark, registered._replace(registration=found, within=within), own)

    def _registered_in(
        self, source: SourceFile, function: Definition, outer: LocalNames | None
    ) -> Iterator[tuple[ast.expr, Registered, ast.expr | Definition | None]]:
        """Yield each registration in a function, with the function that it registers."""
        names = LocalNames(function, outer)
        for inner in calls_and_definitions(function):
            if isinstance(inner, Definition):
                for decorator in inner.decorator_list:
                    if found := self._registrations.of_decorator(source, decorator, names):
                        yield decorator, found, wrapped_by(inner) or inner
                yield from self._registered_in(source, inner, names)
            elif isinstance(inner.func, ast.Call):
                marked = self._registrations.of_decorator(source, inner.func, names) if inner.args else None
                if marked is not None:
                    yield inner, marked, inner.args[0]
            else:
                registered = self._registrations.of_call(source, inner.func, names)
                if registered is not None and registered.registration.way != "holder":
                    yield inner, registered, argument_of(inner, registered.registration.function)


def _places_of(function: Definition) -> dict[str, tuple[Place, ...]]:
    """Return where a call has the argument for each parameter of a function."""
    if isinstance(function, ast.ClassDef):
        return {}
    given = function.args
    positional = [one.arg for one in (*given.posonlyargs, *given.args)]
    start = 1 if positional[:1] in (["self"], ["cls"]) else 0
    found: dict[str, tuple[Place, ...]] = {name: (name, at) for at, name in enumerate(positional[start:])}
    return found | {one.arg: (one.arg,) for one in given.kwonlyargs}


def _place(node: ast.expr | None, places: dict[str, tuple[Place, ...]]) -> tuple[Place, ...]:
    return places.get(node.id, ()) if isinstance(node, ast.Name) else ()
