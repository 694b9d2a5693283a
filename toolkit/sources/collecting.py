"""Collecting: which things in a module are tools, and what a name in it stands for.

Marked functions, Tools, and objects that hold marked methods or are text tools count wherever they were defined.
Classes count only in the module that defines them, and only where it makes no instance itself and none of its tools
returns one: such objects bring their tools when they are there. Lists and mappings are opened only when they are named.
"""

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from inspect import getattr_static, isabstract, isroutine
from types import FunctionType, ModuleType
from typing import Any, Final, NamedTuple

from toolkit.problems import Location, Problem, Severity, errors_among
from toolkit.sources.collected import NO_TOOLS, Collected
from toolkit.sources.instances import NO_TOOL, Instance, make_instance
from toolkit.tools.base import Tool
from toolkit.tools.functions import build_function
from toolkit.tools.marking import mark_of
from toolkit.tools.places import place_of
from toolkit.tools.resolution import build_tools, marked_methods

_MISSING: Final = object()


class Collector:
    """Finds the tools of modules; a thing that several modules hold becomes the same tools each time."""

    def __init__(self, granted: Collection[str] = ()) -> None:
        """Know nothing yet but the permissions that were granted to groups."""
        self._granted = granted
        self._built: dict[int, tuple[object, Collected]] = {}

    def collect_module(self, module: ModuleType, source: str) -> Collected:
        """Return every tool of a module, in the order in which they stand there; one bad tool hides no other."""
        collected = Collected.nothing()
        things = list({id(thing): thing for thing in vars(module).values()}.values())
        made = {type(thing) for thing in things}
        classes = _Classes.of(things)
        for thing in things:
            if isinstance(thing, type):
                if _is_own_tool_class(thing, module) and thing not in made and classes.is_to_be_made(thing):
                    collected.add(self._of_class(thing, source, "warning"))
            elif _is_tool(thing, module):
                collected.add(self._build(thing, source))
        return collected

    def collect_named(self, module: ModuleType, name: str, source: str) -> Collected:
        """Return the tools that a name in a module stands for: a thing in it, or one of its tools.

        A list, tuple, set or mapping gives the tools in it, and so does a group, if what it needs was granted; a class
        gives those of an instance; a function needs no mark.
        """
        thing = _look_up(module, name)
        if thing is _MISSING:
            public = [known for known in vars(module) if not known.startswith("_")]
            return self.collect_module(module, source).pick(name, source, public)
        if isinstance(thing, Problem):
            return Collected.nothing(thing)
        collected = Collected.nothing(*_objections_to_group(thing, self._granted))
        for member in () if collected.problems else _members(thing):
            collected.add(self._of_member(member, source))
        if not collected.tools and not errors_among(collected.problems):
            place = Location(module.__file__) if module.__file__ else None
            collected.problems.append(Problem(NO_TOOLS, f"'{name}' in '{source}' holds no tools", place))
        return collected

    def _of_member(self, thing: object, source: str) -> Collected:
        if isinstance(thing, type):
            return self._of_class(thing, source, "error")
        return self._build(thing, source)

    def _of_class(self, cls: type, source: str, severity: Severity) -> Collected:
        if id(cls) not in self._built:
            made = make_instance(cls, severity=severity)
            found = self._build(made.made, source) if isinstance(made, Instance) else Collected.nothing(made)
            self._built[id(cls)] = cls, found
        return self._built[id(cls)][1]

    def _build(self, thing: object, source: str) -> Collected:
        if id(thing) not in self._built:
            self._built[id(thing)] = thing, _built(thing, source)
        return self._built[id(thing)][1]


def _built(thing: object, source: str) -> Collected:
    try:
        if isroutine(thing):
            tool, problems = build_function(thing, {}, source=source)
            return Collected([tool] if tool else [], problems)
        return Collected(*build_tools(thing, source=source))
    except Exception as error:  # noqa: BLE001 - properties and metaclasses of users' objects may raise anything
        from toolkit.sources.import_failures import exception_text  # noqa: PLC0415 - only bad news needs it

        message = f"an object of type '{type(thing).__qualname__}' cannot be made a tool: {exception_text(error)}"
        return Collected.nothing(Problem(NO_TOOL, message, place_of(type(thing))))


def _look_up(module: ModuleType, name: str) -> object:
    """Return what a dotted name stands for, the Problem that an instance on the way cannot be made, or `_MISSING`."""
    thing: Any = module
    for part in name.split("."):
        if isinstance(thing, type) and isinstance(getattr_static(thing, part, None), FunctionType):
            made = make_instance(thing)
            if isinstance(made, Problem):
                return made
            thing = made.made
        try:
            thing = getattr(thing, part)
        except Exception:  # noqa: BLE001 - users' modules and properties may raise anything
            return _MISSING
    return thing


def _objections_to_group(thing: object, granted: Collection[str]) -> list[Problem]:
    groups = sys.modules.get("toolkit.disclosure.groups")  # nothing is a group if nobody has imported them
    return thing.problems(granted) if groups is not None and isinstance(thing, groups.ToolGroup) else []


def _members(thing: object) -> Iterable[object]:
    groups = sys.modules.get("toolkit.disclosure.groups")
    if groups is not None and isinstance(thing, groups.ToolGroup):
        return list(thing)
    if isinstance(thing, Mapping):
        return thing.values()
    if isinstance(thing, list | tuple | set | frozenset):
        return thing
    return [thing]


def _is_tool(thing: object, module: ModuleType) -> bool:
    """Whether a thing that stands in a module is there to be a tool; what merely could be one must be named."""
    if isinstance(thing, Tool) or mark_of(thing) is not None:
        return True
    return not isinstance(thing, ModuleType | FunctionType) and _makes_tools(type(thing), thing, module)


def _is_own_tool_class(cls: type, module: ModuleType) -> bool:
    if cls.__module__ != module.__name__ or isabstract(cls):
        return False
    return issubclass(cls, Tool) or _makes_tools(cls, cls, module)


def _makes_tools(cls: type, thing: object, module: ModuleType) -> bool:
    """Whether a class, or an object of it, holds tools: marked methods, or what makes a text tool.

    Much in other libraries has `name` and `execute`; only with a description too is it taken for a tool from there.
    """
    if cls.__module__ == "builtins":
        return False
    wanted = ("name", "execute") if cls.__module__ == module.__name__ else ("name", "execute", "description")
    return all(getattr_static(thing, name, None) is not None for name in wanted) or bool(marked_methods(cls))


class _Classes(NamedTuple):
    """What the things of a module say about its classes; gathered once, however many there are.

    Attributes:
        bases: The identities of the classes that others are derived from.
        returned: The words of the return annotations of tools, each with the identities of the classes whose methods
            these are; `None` stands for a function.
    """

    bases: frozenset[int]
    returned: Mapping[str, set[int | None]]

    @classmethod
    def of(cls, things: Iterable[Any]) -> "_Classes":
        bases: set[int] = set()
        returned: dict[str, set[int | None]] = {}
        for thing in things:
            if isinstance(thing, type):
                bases.update(id(base) for base in thing.__mro__[1:])
                for name in marked_methods(thing):
                    if name in vars(thing):
                        _add_words(returned, vars(thing)[name], id(thing))
            elif isinstance(thing, FunctionType) and mark_of(thing) is not None:
                _add_words(returned, thing, None)
        return cls(frozenset(bases), returned)

    def is_to_be_made(self, cls: type) -> bool:
        """Whether an instance of a class of the module is made, so that it brings its tools."""
        return not self._is_only_a_base(cls) and not self._is_returned(cls)

    def _is_only_a_base(self, cls: type) -> bool:
        """Whether a class has no name of its own and another class of the module is derived from it."""
        return id(cls) in self.bases and not isinstance(getattr(cls, "name", None), str)

    def _is_returned(self, cls: type) -> bool:
        """Whether a tool of the module returns objects of a class; its own methods do not count."""
        return bool(self.returned.get(cls.__name__, set()) - {id(cls)})


def _add_words(returned: dict[str, set[int | None]], function: Any, owner: int | None) -> None:
    annotation = getattr(function, "__annotations__", {}).get("return", "")
    for word in re.findall(r"\w+", str(annotation)):
        returned.setdefault(word, set()).add(owner)
