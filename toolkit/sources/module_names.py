"""Decides what a name in a module means, in the same way for every command and file.

A name is that of a tool that the module lists. Otherwise it is that of a Python object: a tool, or something that has
tools. A function from which the author made a Tool means that Tool, so that nothing runs without the Tool's approval.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial
from inspect import getattr_static
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any, Final

from toolkit.codes import NO_TOOLS, NOT_A_TOOL
from toolkit.problems import Location, Problem, errors_among
from toolkit.sources.collected import Collected, all_tools
from toolkit.sources.import_permissions import not_a_tool
from toolkit.sources.module_tools import (
    Collector,
    Instance,
    is_declared,
    is_foreign_tool,
    make_instance,
    members_of,
    objections_to_group,
    place_found,
)
from toolkit.sources.modules import users_modules
from toolkit.tools.base import Tool
from toolkit.tools.calls.foreign_values import call_safely, is_routine, module_of_class
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import mark_of, marked_methods
from toolkit.tools.kinds.resolution import check_tool, collisions
from toolkit.tools.origins import Origins, covers, origins_of, origins_of_tool

_MISSING: Final = object()
_MOST: Final = 5_000
"""How many objects are searched for tools that a module does not list."""


class ModuleName:
    """A name in a module, and what it means there."""

    def __init__(self, collector: Collector, module: ModuleType, name: str, source: str) -> None:
        """Create it; nothing is looked up yet.

        Args:
            collector: Finds the tools of modules.
            module: The module.
            name: The name, as in `file.py:name`.
            source: The module as the user or file spelled it.
        """
        self._collector = collector
        self._module = module
        self._name = name
        self._source = source

    def tools(self, *, only_declared: bool) -> Collected:
        """Return the tools that the name means.

        Args:
            only_declared: Whether a file chose the name, which can use tools but no other functions.
        """
        listed = self._collector.listed_as(self._module, {self._name}, self._source)
        if listed.tools:
            found, *_ = listed.tools
            problems = [*listed.problems, *collisions(listed.tools), *self._invalid_around(found)]
            return Collected([found], problems)
        return self._declared() if only_declared else self._any()

    # ------------------------------------------------------------------------------------------------- Python's names

    def _any(self) -> Collected:
        """Return the tools that a name of the user's choice means.

        A collection gives the tools in it, and so does a group whose permissions are granted; a class gives those of a
        new instance; a function does not need to be marked.
        """
        thing = self._look_up()
        if thing is _MISSING:
            return self._picked()
        if isinstance(thing, Problem):
            return Collected.nothing(thing)
        objections = objections_to_group(thing, self._collector.granted)
        collected = Collected.nothing(*objections)
        collected.add(self._of_members(() if objections else members_of(thing)))
        if not collected.tools and not errors_among(collected.problems):
            place = Location(self._module.__file__) if self._module.__file__ else None
            collected.problems.append(Problem(NO_TOOLS, f"'{self._name}' in '{self._source}' has no tools", place))
        return collected

    def _declared(self) -> Collected:
        """Return the tools that a name in a file means: those of an object, or of a collection of nothing but tools."""
        head, _, inner = self._name.partition(".")
        thing = vars(self._module).get(head, _MISSING)
        if inner:
            found = self._of_marked_method(thing, inner)
        elif _is_bare(thing):
            found = self._made_from(thing)
        else:
            found = self._of_declared(thing)
        if found is not None:
            return found
        picked = self._picked()
        if picked.tools or thing is _MISSING:
            return picked
        return Collected.nothing(not_a_tool(self._source, self._name, place_of(thing)))

    def _picked(self) -> Collected:
        """Return the tool with this name among all tools of the module, such as one behind a facade."""
        public = [known for known in vars(self._module) if not known.startswith("_")]
        return self._collector.collect_module(self._module, self._source).pick(self._name, self._source, public)

    def _of_declared(self, thing: object) -> Collected | None:
        if problems := objections_to_group(thing, self._collector.granted):
            return Collected.nothing(*problems)
        members = list(members_of(thing))
        if not members or not all(is_declared(member, self._module) for member in members):
            return None
        return self._of_members(members)

    def _of_marked_method(self, thing: object, name: str) -> Collected | None:
        cls = thing if isinstance(thing, type) else type(thing)
        if not is_declared(thing, self._module) or name not in marked_methods(cls):
            return None
        made = make_instance(cls) if cls is thing else Instance(thing)
        return Collected.nothing(made) if isinstance(made, Problem) else self._of_members([getattr(made.made, name)])

    def _look_up(self) -> object:
        """Return the object with a dotted name, a `Problem` if an instance cannot be created for it, or `_MISSING`.

        What is inside a tool is never looked up, since it would run without the tool.
        """
        thing: Any = self._module
        for part in self._name.split("."):
            if issubclass(type(thing), type) and isinstance(getattr_static(thing, part, None), FunctionType):
                made = make_instance(thing)
                if isinstance(made, Problem):
                    return made
                thing = made.made
            if issubclass(type(thing), Tool) or is_foreign_tool(thing):
                return _MISSING
            try:
                thing = getattr(thing, part)
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001 - users' modules and properties may raise anything
                return _MISSING
        return thing

    def _of_members(self, members: Iterable[object]) -> Collected:
        """Return the tools of objects; a tool from which the author made another of the same name means that one."""
        found: list[Collected] = []
        settled: set[int] = set()
        for member in members:
            if _is_bare(member) and (made := self._made_from(member)) is not None:
                found.append(made)
                settled.update(map(id, made.tools))
            else:
                built = self._collector.of_member(member, self._source)
                found.append(place_found(built, self._module, self._name.partition(".")[0]))
        named = self._listed_by_name({tool.name for each in found for tool in each.tools if id(tool) not in settled})
        listed = Collected.nothing()
        for each in found:
            listed.problems.extend(each.problems)
            for tool in each.tools:
                is_settled = id(tool) in settled
                listed.add(Collected([tool], []) if is_settled else self._listed_for(tool, named.get(tool.name, ())))
        return listed

    def _listed_by_name(self, names: Collection[str]) -> dict[str, list[Tool]]:
        """Return the tools that the module lists under some names; it is gone through once, however many there are."""
        named: dict[str, list[Tool]] = {}
        for tool in self._collector.listed_as(self._module, names, self._source).tools if names else ():
            named.setdefault(tool.name, []).append(tool)
        return named

    def _listed_for(self, tool: Tool, named: Iterable[Tool]) -> Collected:
        """Return the tool that the module lists under the name of a tool, or the tool itself."""
        if any(each is tool for each in named):
            return Collected([tool], [])
        if covering := next((each for each in named if covers(each, tool)), None):
            return Collected([covering], [])
        origins = origins_of_tool(tool)
        authored = [each for each in named if each.found_at is None and each.framework is None]
        related = [each for each in authored if tool.found_at and origins.relation_to(origins_of_tool(each))]
        return Collected.nothing(self._refusal(related)) if related else Collected([tool], [])

    def _invalid_around(self, tool: Tool) -> list[Problem]:
        """Return the problems of a tool that the author made from the function of a marked one, if it is not valid."""
        if tool.found_at is None:
            return []
        origins = origins_of_tool(tool)
        authored = [
            thing for thing in _tools_within(self._module) if origins_of_tool(thing).shares_function_with(origins)
        ]
        checked = [check_tool(thing) for thing in authored]
        return list(dict.fromkeys(problem for usable, found in checked if not usable for problem in found))

    # ---------------------------------------------------------------------------------------------- unmarked functions

    def _made_from(self, function: object) -> Collected | None:
        """Return the tool that was made from an unmarked function, or a problem if that is not clear, or `None`."""
        origins = origins_of(function)
        relations = [(tool, origins.relation_to(others)) for tool, others in self._origins]
        made = [tool for tool, relation in relations if relation == "made"]
        if len(made) == 1:
            return Collected(made, [])
        if related := made or [tool for tool, relation in relations if relation]:
            return Collected.nothing(self._refusal(related))
        return self._made_out_of_sight(origins)

    @cached_property
    def _origins(self) -> list[tuple[Tool, Origins]]:
        """All tools of the module, each with the functions from which it was made."""
        tools = all_tools(self._collector.collect_module(self._module, self._source).tools)
        return [(tool, origins_of_tool(tool)) for tool in tools]

    def _made_out_of_sight(self, origins: Origins) -> Collected | None:
        """Return a problem if a tool was made from a function that the module does not list, or that is not valid."""
        for tool in _tools_within(self._module):
            if origins.relation_to(origins_of_tool(tool)):
                usable, problems = check_tool(tool)
                return Collected.nothing(*([self._refusal(usable)] if usable else problems))
        for module in users_modules().values():
            for tool in _tools_within(module) if module is not self._module else ():
                if origins.relation_to(origins_of_tool(tool)) and (usable := check_tool(tool)[0]):
                    return Collected.nothing(self._refusal(usable, module))
        return None

    def _refusal(self, tools: Iterable[Tool], elsewhere: ModuleType | None = None) -> Problem:
        """Return the problem that a function only runs as one of these tools, and how to name them."""
        names = list(dict.fromkeys(tool.name for tool in tools))
        targets = [f"'{self._source if elsewhere is None else elsewhere.__name__}:{name}'" for name in names]
        quoted = " and ".join(f"'{name}'" for name in names)
        made = f"tool {quoted} was made" if len(names) == 1 else f"tools {quoted} were made"
        message = f"'{self._name}' is the function from which the {made}, so it only runs as a tool"
        return Problem(NOT_A_TOOL, message, self._place(), hint=f"name {' or '.join(targets)}, or mark it with @tool")

    def _place(self) -> Location | None:
        thing: Any = self._look_up()
        return place_of(thing) if is_routine(thing) else None


def _is_bare(thing: object) -> bool:
    """Whether this is a function that nothing declares to be a tool."""
    is_function = is_routine(thing) or issubclass(type(thing), partial)
    return is_function and mark_of(thing) is None and not is_foreign_tool(thing)


def _tools_within(module: ModuleType) -> Iterator[Tool]:
    """Yield the tools that the variables of a module hold, at any depth, and those inside other tools."""
    waiting: list[Any] = [thing for name, thing in vars(module).items() if name != "__builtins__"]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if issubclass(type(thing), Tool):
            yield thing
        waiting += call_safely(partial(_held_by, thing, module), [])[: max(0, _MOST - len(waiting))]


def _held_by(thing: Any, module: ModuleType) -> list[Any]:
    # A user's class may yield members for ever.
    if isinstance(thing, Mapping):
        return list(islice(thing.values(), _MOST))
    if (members := list(islice(members_of(thing), _MOST))) != [thing]:
        return members
    cls: type = thing if issubclass(type(thing), type) else type(thing)
    package = module_of_class(cls).partition(".")[0]
    is_ours = package == "toolkit" and cls is not thing
    is_holder = is_ours or package == "types" or module_of_class(cls) == module.__name__
    return list(vars(thing).values()) if is_holder else []
