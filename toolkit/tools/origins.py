"""Finds the functions from which a tool was created, whether two tools share one, and where a tool is defined."""

import inspect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, partialmethod
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeVar

from toolkit.problems import Location
from toolkit.tools.base import Tool, WrappedTool, innermost
from toolkit.tools.calls.foreign_values import call_safely, is_routine
from toolkit.tools.definition.definition_places import place_of

_MOST: Final = 200
_SAME, _KIN, _PART = range(3)
_NOTHING: Final[list[tuple[Any, int]]] = []


def function_of(tool: Tool) -> Any:
    """Return the function from which a tool was created, inside all wrappers, or `None` if there is none."""
    inner = innermost(tool)
    function: Any = call_safely(lambda: inspect.unwrap(vars(inner)["function"]), None)
    return function if is_routine(function) else None


def place_of_tool(tool: Tool) -> Location | None:
    """Return where a tool is defined: the location in its specification, or else that of its function."""
    function = None if tool.spec.location is not None else function_of(tool)
    return tool.spec.location if function is None else place_of(function)


class Origins(NamedTuple):
    """What something callable was made from; each function is represented by a key.

    Attributes:
        own: The key of the callable itself.
        same: The keys of everything that does the same: itself, and what it wraps, as `functools.wraps` records.
        kin: The keys of functions that it is a variant of: of a method, on whatever object; of a partial.
        parts: The keys of functions that it can call: in its closure, in its defaults, or from a lambda.
    """

    own: Any
    same: frozenset[Any]
    kin: frozenset[Any]
    parts: frozenset[Any]

    def relation_to(self, tool: "Origins") -> Literal["made", "related"] | None:
        """Return whether a tool was made from exactly this function, or from a variant or a part of it."""
        if self.own in tool.same:
            return "made"
        own, others = self.same | self.kin, tool.same | tool.kin
        return "related" if own & (others | tool.parts) or others & self.parts else None

    def shares_function_with(self, other: "Origins") -> bool:
        """Return whether two tools were made from one function, or one of them from a function that the other calls."""
        own, others = self.same | self.kin, other.same | other.kin
        return bool(own & others or own & other.parts or others & self.parts)


def origins_of(function: object) -> Origins:
    """Return what a function, method, partial or callable object was made from."""
    return _origins(function, [function])


def origins_of_tool(tool: Tool) -> Origins:
    """Return what a tool was made from, inside all wrappers."""
    inner = innermost(tool)
    made = _made_of(inner)
    if made and isinstance(made[0], Tool):  # a placeholder for a tool that cannot be built
        return origins_of_tool(made[0])
    return _origins(inner, [inner, *made])


def _made_of(tool: Tool) -> list[Any]:
    """Return the functions and objects from which a tool that is no wrapper was created."""
    own: dict[str, Any] = call_safely(lambda: dict(vars(tool)), {})
    made = [own[name] for name in ("made_from", "function", "thing", "execute") if own.get(name) is not None]
    execute = None if made else call_safely(lambda: getattr(tool, "execute", None), None)
    return made if execute is None else [execute]


def _origins(thing: object, roots: list[Any]) -> Origins:
    """Return the keys of everything that some objects were made from, each at the closest level."""
    levels: dict[Any, int] = {}
    for level in (_SAME, _KIN, _PART):
        waiting = [(root, _SAME) for root in roots]
        seen: set[Any] = set()
        while waiting and len(levels) < _MOST:
            one, at = waiting.pop()
            key = _key(one)
            if at > level or key in seen:
                continue
            seen.add(key)
            levels.setdefault(key, at)
            waiting += [(each, max(at, how)) for each, how in call_safely(partial(_all_inner, one), _NOTHING)]
    at_level = [frozenset(key for key, at in levels.items() if at == wanted) for wanted in (_SAME, _KIN, _PART)]
    return Origins(_key(thing), *at_level)


def _all_inner(thing: Any) -> list[tuple[Any, int]]:
    return list(_inner(thing))


def _inner(thing: Any) -> Iterator[tuple[Any, int]]:
    """Yield what a callable was made from, each with how close that is to it."""
    if type(thing) is MethodType:
        yield thing.__func__, _KIN
    elif isinstance(thing, partial | partialmethod):
        yield thing.func, _KIN
        yield from ((one, _PART) for one in _callables_among((*thing.args, *thing.keywords.values())))
    elif isinstance(thing, staticmethod | classmethod):
        yield thing.__func__, _SAME
    elif type(thing) is FunctionType:
        if "__wrapped__" in vars(thing):
            yield vars(thing)["__wrapped__"], _SAME
        else:
            yield from ((one, _PART) for one in _callables_among(_used(thing)))
    elif issubclass(type(thing), Tool):
        parts = () if _made_of(thing) else vars(thing).values()
        yield from ((one, _PART) for one in _callables_among(parts))
    elif not issubclass(type(thing), type | ModuleType):
        yield from _inner_of_object(thing)


def _inner_of_object(thing: Any) -> Iterator[tuple[Any, int]]:
    own: dict[str, Any] = call_safely(lambda: dict(vars(thing)), {})
    if "__wrapped__" in own:
        yield own.pop("__wrapped__"), _SAME
    if type(call := inspect.getattr_static(type(thing), "__call__", None)) is FunctionType:
        yield MethodType(call, thing), _SAME
        yield from ((one, _PART) for one in _callables_among(own.values()))


def _used(function: FunctionType) -> Iterator[Any]:
    """Yield what a function keeps in its closure and its defaults, and what a lambda calls by name, also methods."""
    yield from (cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell))
    yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if function.__name__ == "<lambda>":
        names = [*_names_in(function.__code__)]
        things = [function.__globals__[name] for name in names if name in function.__globals__]
        yield from things
        yield from (method for thing in things for name in names for method in _methods_of(thing, name))


def _methods_of(thing: Any, name: str) -> Iterator[Any]:
    """Yield the function of a method of a class or of an object, without running code of the object."""
    found = call_safely(partial(inspect.getattr_static, thing, name, None), None)
    yield from [found.__func__] if isinstance(found, staticmethod | classmethod) else [found]


def _names_in(code: CodeType) -> Iterator[str]:
    """Yield the names of variables that a function and the functions within it use."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_in(inner)


def _callables_among(things: Iterable[Any], depth: int = 2) -> Iterator[Any]:
    """Yield the callables among these objects, and in collections among them."""
    for thing in things:
        if _is_callable(thing):
            yield thing
        elif depth and isinstance(thing, list | tuple | set | frozenset | dict):
            yield from _callables_among(thing.values() if isinstance(thing, dict) else thing, depth - 1)


def _is_filled(cell: Any) -> bool:
    return call_safely(lambda: (cell.cell_contents, True)[1], otherwise=False)


def _is_callable(thing: object) -> bool:
    """Whether this may be a function that was made into a tool; classes and modules are not."""
    if issubclass(type(thing), type | ModuleType):
        return False
    is_call = type(inspect.getattr_static(type(thing), "__call__", None)) is FunctionType
    return is_routine(thing) or isinstance(thing, partial) or is_call


def _key(thing: Any) -> Any:
    """Return what identifies a callable; two accesses to the same method have the same key."""
    if type(thing) is MethodType:
        return "method", _key(thing.__func__), id(thing.__self__)
    if type(thing) is FunctionType:
        cells = (id(cell.cell_contents) if _is_filled(cell) else id(cell) for cell in thing.__closure__ or ())
        defaults = (*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values())
        return "function", id(thing.__code__), (*cells,), (*map(id, defaults),)
    owner: Any = call_safely(lambda: thing.__self__, None) if is_routine(thing) else None
    if owner is not None and type(owner) is not ModuleType:
        return "method", call_safely(lambda: thing.__name__, ""), id(owner)
    return "object", id(thing)


T = TypeVar("T", bound=Tool)


def without_covered(tools: Sequence[T]) -> list[T]:
    """Return tools without those that another one of the same name was made from.

    A wrapper replaces the tool that it wraps. A Tool that an author created, such as `ConfirmedTool(from_function(pay),
    …)`, replaces the tool that was found because its function is marked. Neither does if it is less careful.
    """
    named: dict[str, list[T]] = {}
    for tool in tools:
        named.setdefault(tool.name, []).append(tool)
    if len(named) == len(tools):
        return list(tools)
    return [tool for tool in tools if not any(covers(other, tool) for other in named[tool.name])]


def covers(tool: Tool, other: Tool) -> bool:
    """Return whether a tool was made from another one, and replaces it where both have the same name."""
    if tool is other or tool.name != other.name or _is_less_careful(tool, other):
        return False
    if any(inner is other for inner in _wrapped(tool)):
        return True
    if other.found_at is None or tool.found_at is not None:
        return False
    made, declared = origins_of_tool(tool), origins_of_tool(other)
    if made.same & declared.same:
        return True
    kin = declared.same | declared.kin if other.found_at == "class" else declared.same
    return bool(kin & (made.kin | made.parts))


def _wrapped(tool: Tool) -> Iterable[Tool]:
    while isinstance(tool, WrappedTool):
        tool = tool.inner
        yield tool


def _is_less_careful(tool: Tool, other: Tool) -> bool:
    """Whether the marks of a tool allow calls that those of the other one do not."""
    spec, its = tool.spec, other.spec
    return (
        (its.requires_approval and not spec.requires_approval)
        or (its.destructive and not spec.destructive)
        or (spec.read_only and not its.read_only)
        or (other.demands and not tool.demands)
    )
