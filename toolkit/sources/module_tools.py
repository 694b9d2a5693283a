"""Find the tools in a module.

Marked functions, `Tool` objects, objects with marked methods and text tools count wherever they were defined. A class
counts only in the module that defines it, and only if the module creates no instance of it and none of its tools
returns one, because such instances bring their own tools. The same objects count in lists and mappings; an object
that a list has beside tools is reported.
"""

import ast
import inspect
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from inspect import getattr_static, isabstract
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem, Severity, set_missing_locations
from toolkit.regular_files import MOST_OF_PYTHON, bounded_bytes
from toolkit.sources.collected import Collected, as_warning
from toolkit.tools.base import RedescribedTool, Tool
from toolkit.tools.calls.foreign_values import (
    bases_of_class,
    call_safely,
    describe_error,
    is_routine,
    is_text,
    member_of_class,
    members_of_class,
    module_of_class,
    name_of_class,
    plain_text,
)
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import mark_of, marked_methods
from toolkit.tools.foreign.frameworks import is_any_imported, may_be_foreign, may_be_foreign_class, recogniser
from toolkit.tools.kinds.function_tools import build_function, described_tools
from toolkit.tools.kinds.resolution import build_tools
from toolkit.tools.origins import function_of, without_covered


class Instance(NamedTuple):
    """An instance of a class."""

    made: Any


def make_instance(cls: type, *, severity: Severity = "error") -> Instance | Problem:
    """Return an instance of a class, or the problem (`TK003`) that it cannot be created without arguments."""
    name = name_of_class(cls)
    if inspect.isabstract(cls):
        missing = ", ".join(f"'{method}'" for method in sorted(getattr(cls, "__abstractmethods__", ())))
        abstract = f"class '{name}' is abstract: it does not define {missing}"
        return Problem(
            NOT_A_TOOL, abstract, place_of(cls), severity, hint="use a class that defines all abstract methods"
        )
    if needed := needed_arguments(cls):
        names = ", ".join(f"'{argument}'" for argument in needed)
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' has tools, but cannot be created without {names}",
            place_of(cls),
            severity,
            hint=f"create an instance in the module: {name.lower()} = {name}({needed[0]}=…)",
        )
    try:
        return Instance(cls())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' constructors may raise anything, SystemExit too
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' cannot be created: {describe_error(error)}",
            place_of(cls),
            hint="create an instance in the module, with the arguments that it needs",
        )


def needed_arguments(cls: type) -> list[str]:
    """Return the names of the arguments without which a class cannot be created."""
    if _is_created_plainly(cls):
        return []
    # Classes in C have no signature, and reading one may raise; then creating the instance shows what is missing.
    nothing: list[inspect.Parameter] = []
    parameters = call_safely(lambda: list(inspect.signature(cls).parameters.values()), nothing)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in variadic]


def _is_created_plainly(cls: type) -> bool:
    """Return whether a class has no constructor of its own, for which reading a signature is slow."""
    own = (member_of_class(cls, name) for name in ("__init__", "__new__", "__signature__"))
    plain = (*map(vars(object).get, ("__init__", "__new__")), None)
    return tuple(own) == plain and member_of_class(type(cls), "__call__") is vars(type)["__call__"]


def place_of_name(module: ModuleType, name: str) -> Location | None:
    """Return the location where a module last binds a name at its top level, or its file if that is not known."""
    file = vars(module).get("__file__")
    if not is_text(file) or file is None:
        return None
    from toolkit.source_code.newer_syntax import parse_source  # most tools know their places themselves

    try:
        tree = parse_source(bounded_bytes(file, most=MOST_OF_PYTHON))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Location(file)
    bound = [node for statement in tree.body for node, known in _bindings_of(statement) if known == name]
    if not bound:
        return Location(file)
    node = bound[-1]
    return Location(file, node.lineno, node.col_offset + 1)


def _bindings_of(statement: ast.stmt) -> Iterator[tuple[ast.stmt | ast.Name, str]]:
    """Yield what a statement defines or assigns to, each with its name."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement, statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id


_LISTS = (list, tuple, set, frozenset)
_PLAIN = (str, bytes, int, float, bool, type(None))
_NO_OBJECTS = (*_PLAIN, *_LISTS, dict, type, ModuleType)
_IN_EVERY_MODULE = {*vars(ModuleType("")), "__builtins__", "__cached__", "__file__"}


class Collector:
    """Finds the tools of modules; an object in several modules becomes the same tools each time."""

    def __init__(self, granted: Collection[str] = (), *, looks: bool = False) -> None:
        """Create a collector.

        Args:
            granted: The permissions that were granted to groups.
            looks: Whether tools are only inspected. Then a class that is named needs no object.
        """
        self.granted = granted
        self._looks = looks
        self._built: dict[int, tuple[object, Collected]] = {}

    def collect_module(self, module: ModuleType, source: str) -> Collected:
        """Return all tools of a module, in order; an invalid tool becomes a problem and does not hide the others."""
        return self._listed(module, source, None)

    def listed_as(self, module: ModuleType, names: Collection[str], source: str) -> Collected:
        """Return the tools that a module lists under some names, without building those with other names.

        There are several of a name only if the module has different tools with that name. Their problems are warnings.
        """
        found = self._listed(module, source, names)
        return Collected(
            [tool for tool in found.tools if tool.name in names], [as_warning(each) for each in found.problems]
        )

    def _listed(self, module: ModuleType, source: str, wanted: Collection[str] | None) -> Collected:
        """Return all tools of a module, or, with wanted names, at least those that have one of them."""
        collected = Collected.nothing()
        own = [(name, thing) for name, thing in vars(module).items() if name not in _IN_EVERY_MODULE]
        held = [(name, member) for name, thing in own for member in (thing, *_listed_in(thing, module))]
        names = {id(thing): name for name, thing in reversed(held)}
        things = list({id(thing): thing for _, thing in held}.values())
        made = {id(type(thing)) for thing in things}
        classes = _Classes.of(things)
        is_foreign = is_any_imported()
        for thing in things:
            if wanted is not None and not _may_be_named(thing, wanted) and not is_foreign_tool(thing):
                continue
            try:
                found = self._of_thing(thing, module, classes, made, source)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - metaclasses of users' classes may raise anything
                found = Collected.nothing(
                    Problem(NOT_A_TOOL, f"'{names[id(thing)]}' cannot be a tool: {describe_error(error)}")
                )
            placed = place_found(found, module, names[id(thing)])
            is_wanted = wanted is None or any(tool.name in wanted for tool in placed.tools)
            collected.add(placed if is_wanted else Collected(placed.tools, []))
        for name, thing in own if wanted is None else ():
            collected.problems.extend(_beside_tools(thing, module, name))
        if is_foreign:
            if (thing := recogniser().object_of_module(module)) is not None:
                collected.add(self.build(thing, source))
            collected = _without_twins(collected)
        return Collected(without_covered(collected.tools), collected.problems)

    def _of_thing(
        self, thing: object, module: ModuleType, classes: "_Classes", made: Collection[int], source: str
    ) -> Collected:
        """Return the tools of an object in a module; most objects have none."""
        if not issubclass(type(thing), type):
            return self.build(thing, source) if _is_tool(thing, module) else Collected.nothing()
        cls: type = thing  # type: ignore[assignment]  # as the line above says
        if _is_own_tool_class(cls, module) and id(cls) not in made and classes.is_to_be_made(cls):
            return self._of_class(cls, source, "warning")
        return Collected.nothing()

    def of_member(self, thing: object, source: str) -> Collected:
        """Return the tools of an object that was named, or is in a collection that was named."""
        if not issubclass(type(thing), type):
            return self.build(thing, source)
        cls: type = thing  # type: ignore[assignment]  # as the line above says
        if self._looks and marked_methods(cls) and needed_arguments(cls) and not isabstract(cls):
            return _described(cls, source)
        return self._of_class(cls, source, "error")

    def _of_class(self, cls: type, source: str, severity: Severity) -> Collected:
        if id(cls) not in self._built or (severity == "error" and not self._built[id(cls)][1].tools):
            made = make_instance(cls, severity=severity)
            found = self.build(made.made, source) if isinstance(made, Instance) else Collected.nothing(made)
            for tool in found.tools:
                tool.found_at = "class"
            self._built[id(cls)] = cls, found
        return self._built[id(cls)][1]

    def build(self, thing: object, source: str) -> Collected:
        """Return the tools of an object; a function does not need to be marked."""
        if id(thing) not in self._built:
            found = _built(thing, source)
            if not issubclass(type(thing), Tool):
                for tool in found.tools:
                    tool.found_at = "object"
            self._built[id(thing)] = thing, found
        return self._built[id(thing)][1]


def _described(cls: type, source: str) -> Collected:
    """Return the tools of a class that cannot be created without arguments, for inspection."""
    try:
        return Collected(described_tools(cls, source), [])
    except InvalidTools as error:
        return Collected.nothing(*error.problems)


def _built(thing: object, source: str) -> Collected:
    if is_routine(thing) and not is_foreign_tool(thing):
        return _of_function(thing, source)
    tools, problems = build_tools(thing, source=source)
    return Collected([_defined_here(tool, source) for tool in tools], problems)


def _defined_here(tool: Tool, source: str) -> Tool:
    """Return a tool as defined in a module if the module has given it a new name."""
    if type(tool) is not RedescribedTool or tool.name in tool.spec.names[:1] or not tool.spec.names:
        return tool
    return RedescribedTool(tool, source=source, names=(tool.name, *tool.spec.names))


def _of_function(function: Any, source: str) -> Collected:
    """Return the tool of a function, marked or not."""
    try:
        tool, problems = build_function(function, {}, source=source)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - annotations, defaults and marks may raise anything
        message = f"the function {function.__name__!r} cannot be made a tool: {describe_error(error)}"
        return Collected.nothing(Problem(NOT_A_TOOL, message, place_of(function)))
    return Collected([] if tool is None else [tool], problems)


def _without_twins(collected: Collected) -> Collected:
    """Return the tools without duplicates that an object in the module, such as a server, has, too."""
    kept: dict[object, list[Tool]] = {}  # by name and by function, one of which twins have in common
    left = set()
    for tool in sorted(collected.tools, key=_is_second_choice):
        function = function_of(tool)
        keys = (tool.name, None if function is None else id(function))
        if tool.framework is None or not any(_are_twins(tool, other) for key in keys for other in kept.get(key, ())):
            left.add(id(tool))
            for key in keys:
                kept.setdefault(key, []).append(tool)
    return Collected([tool for tool in collected.tools if id(tool) in left], collected.problems)


def _is_second_choice(tool: Tool) -> bool:
    return not getattr(tool, "is_held", False) or function_of(tool) is None


def _are_twins(tool: Tool, other: Tool) -> bool:
    """Whether two tools are the same: servers can have the same function under different names.

    A server that has one of our tools lists it with the same name and description.
    """
    if other.framework is None:
        is_same = (tool.name, tool.spec.description) == (other.name, other.spec.description)
        return is_same and getattr(tool, "is_held", False)
    function = function_of(tool)
    is_same_function = function is not None and function is function_of(other)
    if tool.name != other.name:
        return is_same_function and not getattr(tool, "is_held", False)
    return is_same_function or tool.spec.definition == other.spec.definition


def place_found(found: Collected, module: ModuleType, name: str) -> Collected:
    """Return the result for a name in a module; tools and problems without a location get that of the name."""
    homeless: list[Any] = [tool for tool in found.tools if tool.framework is not None and tool.spec.location is None]
    if all(problem.location for problem in found.problems) and not homeless:
        return found
    place = place_of_name(module, name)
    for tool in homeless:
        is_own = vars(module).get(name) is tool.thing and place is not None and place.line is not None
        tool.spec = replace(tool.spec, location=(None if is_own else _place_elsewhere(tool, module)) or place)
    return Collected(found.tools, set_missing_locations(found.problems, place))


def _place_elsewhere(tool: Any, module: ModuleType) -> Location | None:
    """Return where another module, from which the object was imported, binds the object of a tool."""
    for other in list(sys.modules.values()):
        if type(other) is ModuleType and other is not module:
            for name, thing in list(vars(other).items()):
                if thing is tool.thing and (place := place_of_name(other, name)) and place.line is not None:
                    return place
    return None


def objections_to_group(thing: object, granted: Collection[str]) -> list[Problem]:
    """Return why a group of tools cannot be used, if the object is one."""
    groups = sys.modules.get("toolkit.disclosure.groups")  # without this module, nothing is a group
    return thing.problems(granted) if groups is not None and isinstance(thing, groups.ToolGroup) else []


def members_of(thing: object) -> Iterable[object]:
    """Return the members of a collection or group, or the object itself."""
    groups = sys.modules.get("toolkit.disclosure.groups")
    if groups is not None and isinstance(thing, groups.ToolGroup):
        return list(thing)
    if isinstance(thing, Mapping):
        return [member for member in thing.values() if is_foreign_tool(member)] or thing.values()
    if isinstance(thing, list | tuple | set | frozenset):
        return thing
    return [thing]


def _listed_in(thing: object, module: ModuleType) -> list[object]:
    """Return the objects in a collection that are meant to be tools; other members only count by name."""
    members = members_of(thing) if type(thing) in (*_LISTS, dict) else ()
    return [member for member in members if type(member) not in _PLAIN and _is_tool(member, module)]


def _beside_tools(thing: object, module: ModuleType, name: str) -> Iterator[Problem]:
    """Yield a warning for each object that a module lists among tools, but that is none; a function is one by name."""
    objects = members_of(thing) if type(thing) in _LISTS else ()
    objects = [one for one in objects if not issubclass(type(one), _NO_OBJECTS) and not may_be_foreign(one)]
    others = [one for one in objects if not _is_tool(one, module)]
    for one in others if len(others) < len(objects) else ():
        if is_routine(one):
            continue
        for problem in build_tools(one)[1]:
            message = f"in '{name}', {problem.message}"
            yield replace(problem, message=message, location=place_of_name(module, name), severity="warning")


def _may_be_named(thing: Any, names: Collection[str]) -> bool:
    """Whether an object in a module may be, or have, a tool with one of these names, without creating anything."""
    kind = type(thing)
    if issubclass(kind, Tool):
        return call_safely(lambda: thing.name in names, otherwise=True)
    if mark_of(thing) is not None:
        return call_safely(lambda: ((mark_of(thing) or {}).get("name") or thing.__name__) in names, otherwise=True)
    cls: type = thing if issubclass(kind, type) else kind
    unknown: list[object] = [*names]
    methods = call_safely(lambda: [_name_of_method(cls, method) for method in marked_methods(cls)], unknown)
    own = getattr_static(thing, "name", None)
    return any(method in names for method in methods) if methods else not is_text(own) or own in names


def _name_of_method(cls: type, method: str) -> object:
    member = getattr_static(cls, method)
    return (mark_of(getattr(member, "__func__", member)) or {}).get("name") or method


def _is_tool(thing: object, module: ModuleType) -> bool:
    """Whether an object in a module is meant to be a tool; objects that could be one only count by name."""
    if issubclass(type(thing), Tool) or mark_of(thing) is not None:
        return True
    if is_foreign_tool(thing):
        return True
    if issubclass(type(thing), ModuleType | FunctionType):
        return False
    return _makes_tools(type(thing), thing, module)


def is_foreign_tool(thing: object) -> bool:
    """Whether an object is a tool of another framework, or has such tools."""
    return may_be_foreign(thing) and recogniser().is_foreign(thing)


def is_declared(thing: object, module: ModuleType) -> bool:
    """Whether an object is declared to be a tool, or its instances are."""
    return _is_own_tool_class(thing, module) if isinstance(thing, type) else _is_tool(thing, module)


def _is_own_tool_class(cls: type, module: ModuleType) -> bool:
    if module_of_class(cls) != module.__name__ or isabstract(cls):
        return False
    if may_be_foreign_class(cls):
        found = recogniser().foreign_class(cls)
        return found is not None and found.is_tool
    return Tool in bases_of_class(cls) or _makes_tools(cls, cls, module)


def _makes_tools(cls: type, thing: object, module: ModuleType) -> bool:
    """Whether a class or an instance of it has tools: marked methods, or the attributes of a text tool.

    Many classes of other libraries have `name` and `execute`, so these also need a description.
    """
    if (origin := module_of_class(cls)) == "builtins":
        return False
    wanted = ("name", "execute") if origin == module.__name__ else ("name", "execute", "description")
    return all(getattr_static(thing, name, None) is not None for name in wanted) or bool(marked_methods(cls))


class _Classes(NamedTuple):
    """How the objects of a module use its classes, gathered once for all classes.

    Attributes:
        bases: The ids of classes with subclasses.
        returned: The words in the return annotations of tools, each with the ids of the classes whose methods have
            them; `None` stands for a function.
    """

    bases: frozenset[int]
    returned: Mapping[str, set[int | None]]

    @classmethod
    def of(cls, things: Iterable[Any]) -> "_Classes":
        bases: set[int] = set()
        returned: dict[str, set[int | None]] = {}
        for thing in things:
            if issubclass(type(thing), type):
                bases.update(id(base) for base in bases_of_class(thing)[1:])
                own = members_of_class(thing)
                for name in _marked_methods_of(thing):
                    if name in own:
                        _add_words(returned, own[name], id(thing))
            elif isinstance(thing, FunctionType) and mark_of(thing) is not None:
                _add_words(returned, thing, None)
        return cls(frozenset(bases), returned)

    def is_to_be_made(self, cls: type) -> bool:
        """Whether to create an instance of a class, to get its tools."""
        return not self._is_only_a_base(cls) and not self._is_returned(cls)

    def _is_only_a_base(self, cls: type) -> bool:
        """Whether a class has no `name`, and another class of the module is derived from it."""
        return id(cls) in self.bases and not isinstance(getattr(cls, "name", None), str)

    def _is_returned(self, cls: type) -> bool:
        """Whether a tool of the module returns instances of a class; methods of the class do not count."""
        return bool(self.returned.get(name_of_class(cls).rpartition(".")[2], set()) - {id(cls)})


def _marked_methods_of(cls: type) -> list[str]:
    nothing: list[str] = []
    return call_safely(lambda: marked_methods(cls), nothing)


def _add_words(returned: dict[str, set[int | None]], function: Any, owner: int | None) -> None:
    annotation = call_safely(lambda: str(getattr(function, "__annotations__", {}).get("return", "")), "")
    for word in re.findall(r"\w+", plain_text(annotation)):
        returned.setdefault(word, set()).add(owner)
