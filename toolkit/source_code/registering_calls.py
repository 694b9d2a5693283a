"""Find the tools that calls register: of functions, methods, lambdas and models that they are given."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from toolkit.source_code.call_scopes import (
    copied_from,
    is_named_by_attribute,
    is_parameter,
    is_received,
    iterated,
)
from toolkit.source_code.class_tools import given_in_init, is_model
from toolkit.source_code.constants import value_in
from toolkit.source_code.defining_calls import DefiningCalls
from toolkit.source_code.file_views import FileView, as_function
from toolkit.source_code.held_functions import HeldFunctions
from toolkit.source_code.list_elements import Expression
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.loops import Turn
from toolkit.source_code.meanings import Defined, Object
from toolkit.source_code.registered_names import named_behind, set_later
from toolkit.source_code.registrations import Registered
from toolkit.source_code.registry_calls import FUNCTION_PARTS, REGISTERING
from toolkit.source_code.source_files import last_name
from toolkit.source_code.syntax_nodes import placed
from toolkit.source_code.wrappers import wrapped_by
from toolkit.source_code.written_calls import argument_of
from toolkit.source_code.written_tools import WrittenTool
from toolkit.tools.foreign.source_marks import OUR_MARKS, Registration, Way

_NAMES = {"name", "tool_name"}
_NAMED = {"name", "description"}
"""The arguments that may be constants; a function or a schema cannot be one."""
_MAKERS_OF_OTHERS = ("Tool", "from_function")
"""How the names of functions end that make tools in frameworks that we do not know."""


class RegisteringCalls:
    """Finds the tools that the calls in a file register."""

    def __init__(self, view: FileView) -> None:
        self._view = view
        self._finders = view.finders
        self._source = view.source
        self._definitions = DefiningCalls(view)
        self._lists = HeldFunctions(view)
        self._inner: set[ast.Call] = set()
        """The calls that return what registers a tool: `tool(…)` of `tool(…)(function)`."""

    def of_call(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a call registers: of a function that it is given, of a list, or of its own arguments."""
        if isinstance(call.func, ast.Call):
            yield from self._marked(call, call.func, names)
            return
        if call in self._inner:
            return
        found = self._finders.registrations.of_call(self._source, call.func, names)
        if found is None:
            made = [*self._made(call, names)]
            yield from made or self._of_others(call, names)
            named = self._finders.instances.made_by(self._source, call, names)
            yield from () if named is None else [self._view.tool(named.marks, "class", call, name=named.name)]
            return
        if not self._is_of_no_model(call, found):
            yield from self._by_way(call, found, names)

    def _by_way(self, call: ast.Call, found: Registered, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a call registers in the way of its registration."""
        registration = found.registration
        match registration.way:
            case "mark":
                given = [one for one in call.args[:2] if not _is_text(one)]
                if given and (len(call.args) == 1 or not _is_text(call.args[-1])):
                    yield from self._registered(call, found, given[0], names, kind="call", is_sure=False)
            case "function":
                function = argument_of(call, registration.function)
                yield from self._registered(call, found, function, names, kind=found.kind, is_sure=False)
            case "definition":
                yield from self._definitions.defined_by(call, found, names)
            case "holder":
                yield from self._lists.held_by(call, found, names)
            case "routes":
                self._view.leave_open(call, found, names)

    def _of_others(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools of a call of which nothing else is known, by its name or `tools=[…]`."""
        parts = (one for one in call.keywords if one.arg in _NAMED or not isinstance(one.value, ast.Constant))
        given = {one.arg for one in parts if one.arg is not None}
        ways: list[tuple[Way, ...]] = [("definition", "function")] if _makes_tools(call) else []
        ways += [("holder",)] if "tools" in given else []
        for way in ways:
            found = self._finders.registrations.of_others(self._source, call.func, names, given=given, ways=way)
            if found is not None:
                yield from self._by_way(call, found, names)

    def _is_of_no_model(self, call: ast.Call, found: Registered) -> bool:
        """Whether no model sees what a call registers: its whole app is for people only, or an argument hides this."""
        words = found.marks.only_with
        if words and not self._finders.is_mentioned_with(self._source, words):
            return True
        given = ((argument_of(call, [name]), value) for name, value in found.registration.hidden_by)
        return any(isinstance(one, ast.Constant) and one.value == value for one, value in given)

    def _marked(self, call: ast.Call, mark: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tool of `mark(…)(function)`."""
        found = self._finders.registrations.of_decorator(self._source, mark, names) if call.args else None
        if found is not None:
            self._inner.add(mark)
            factories = self._finders.factories.of_call(self._source, mark.func, names)
            self._view.named += [factory.mark for factory in factories]
            yield from self._registered(call, found, call.args[0], names, kind="call")

    def _registered(
        self,
        call: ast.Call,
        found: Registered,
        given: ast.expr | None,
        names: LocalNames | None,
        *,
        kind: str,
        is_sure: bool = True,
    ) -> Iterator[WrittenTool]:
        """Yield the tools that a call creates from a function; unknown functions only count if certain."""
        if given is None or is_parameter(given, names):  # what it registers is seen where the function is called
            return
        if in_turns := [*self._in_turns(call, found, given, names, kind=kind)]:
            yield from in_turns
            return
        copied = self._unwrapped(given, names)
        is_copy = copied is not given and is_parameter(copied, names)
        defined = [] if is_copy else self._behind(copied, names)
        for one, made in defined:
            if self._is_passed_on(one, call, found) or self._is_closure(one, call, found, names):
                continue
            name = self._name_of(call, found, one, made, names)
            yield self._of_function(call, found, one, kind=kind, name=name, scope=names)
        registration = found.registration
        named = argument_of(call, [place for place in registration.name if isinstance(place, str)])
        if not defined and (model := self._model(copied, names)) is not None:
            name = model.node.name if named is None else self._finders.constants.text(self._source, named, names)
            yield self._of_function(call, found, model, kind=kind, name=name, scope=names)
            return
        method = None if defined else self._method_of_another(found, copied, names)
        name = None if defined else self._view.name(call, registration, method, names)
        is_known = bool(defined or name) or isinstance(given, ast.Lambda) or is_copy
        if not is_known and self._is_left_open(call, found, copied, names):
            return
        is_shown = is_sure or is_copy or named is not None or method is not None or isinstance(given, ast.Lambda)
        if not defined and is_shown:
            yield self._view.tool(
                found.marks,
                kind,
                call,
                name=name,
                mark=call,
                registration=registration,
                function=given if isinstance(given, ast.Lambda) else None,
                within=found.within,
                scope=names,
            )

    def _in_turns(
        self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None, *, kind: str
    ) -> Iterator[WrittenTool]:
        """Yield the tools that a call registers in a loop, one for each turn whose function the source shows."""
        known = set()
        registration = found.registration
        if argument_of(call, registration.name) in call.args[:1]:  # the function, with its name behind it
            registration = named_behind(registration)
        for turn, taken in self._finders.loops.turns_behind(self._source, given, names):
            for one in self._functions_in(turn, taken, names):
                if one in known or self._view.is_marked(one) or self._is_passed_on(one, call, found):
                    continue
                if self._is_closure(one, call, found, names):
                    continue
                known.add(one)
                name = self._name_in_turn(turn, call, registration, self._finders.held.name_of(one), names)
                yield self._of_function(call, found, one, kind=kind, name=name, scope=names)

    def _name_in_turn(
        self, turn: Turn, call: ast.Call, registration: Registration, otherwise: str | None, names: LocalNames | None
    ) -> str | None:
        """Return the name that a call in a loop gives to a tool in a turn; `otherwise` is that of its function."""
        name = argument_of(call, registration.name)
        if name is not None:
            if self._finders.names.is_of_function(Expression(self._source, name, names)):
                return otherwise
            named = turn.value(name) or Expression(self._source, turn.filled(name), names)
            if (text := self._finders.constants.text(*named)) is not None:
                return text
        return self._view.name(call, registration, otherwise, names)

    def _functions_in(self, turn: Turn, given: ast.expr, names: LocalNames | None) -> list[Defined]:
        """Return the functions that an expression in a loop stands for in a turn: `row`, or `getattr(module, name)`."""
        if (value := turn.value(given)) is not None:
            return self._view.functions(value.node, value.names, value.source)
        match given:
            case ast.Call() if (copied := self._finders.meanings.copied_by(self._source, given, names)) is not None:
                return self._functions_in(turn, copied, names)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, *_]) if (
                named := turn.value(name)
            ) is not None:
                if (attribute := self._finders.constants.text(*named)) is not None:
                    return self._view.functions(placed(ast.Attribute(owner, attribute, ast.Load()), given), names)
        return []

    def _of_function(
        self, call: ast.Call, found: Registered, one: Defined, *, kind: str, name: str | None, scope: LocalNames | None
    ) -> WrittenTool:
        is_here = one.source.path == self._source.path
        return self._view.tool(
            found.marks,
            kind,
            one.node if is_here else call,
            name=name,
            mark=call,
            registration=found.registration,
            function=as_function(one.node),
            home=one.source.path,
            within=found.within,
            scope=scope,
        )

    def _behind(self, given: ast.expr, names: LocalNames | None) -> list[tuple[Defined, Object | None]]:
        """Return the functions that an expression may be, each with the object whose method it is, if that is known."""
        owners = self._finders.meanings.of(self._source, given.value, names) if isinstance(given, ast.Attribute) else ()
        made = [one for one in dict.fromkeys(owners) if isinstance(one, Object)]
        if made and isinstance(given, ast.Attribute):
            methods = ((one, self._finders.meanings.method_of(one, given.attr)) for one in made)
            return [(method, one) for one, method in methods if method is not None]
        return [(one, None) for one in self._view.functions(given, names)]

    def _model(self, given: ast.expr, names: LocalNames | None) -> Defined | None:
        """Return the class of pydantic whose fields are the parameters: `tool(Question)`."""
        found = (one for one in self._finders.meanings.of(self._source, given, names) if isinstance(one, Defined))
        return next((one for one in found if is_model(self._finders.constants, one)), None)

    def _method_of_another(self, found: Registered, given: ast.expr, names: LocalNames | None) -> str | None:
        """Return the name of a method of an object that the project does not define: `from_function(client.ping)`.

        What `add_tool` receives may be an object with any name, and so may the function of an object.
        """
        if not isinstance(given, ast.Attribute) or given.attr in FUNCTION_PARTS or found.kind in REGISTERING:
            return None
        root = given.value
        while isinstance(root, ast.Attribute):
            root = root.value
        is_turn = isinstance(root, ast.Name) and bool(iterated(self._source, root.id, names))
        is_own = isinstance(root, ast.Name) and root.id in ("self", "cls")
        return given.attr if isinstance(root, ast.Name) and not (is_turn or is_own) else None

    def _unwrapped(self, given: ast.expr, names: LocalNames | None) -> ast.expr:
        """Return the function that a function copies with `functools.wraps`, or any other expression unchanged."""
        copied = (
            wrapped_by(one.node) for one in self._view.functions(given, names) if one.source.path == self._source.path
        )
        return next(filter(None, copied), given)

    def _name_of(
        self, call: ast.Call, found: Registered, one: Defined, made: Object | None, names: LocalNames | None
    ) -> str | None:
        """Return the name in a call that registers a function; `one.name` of a method of `one` is in its class."""
        name = argument_of(call, found.registration.name)
        if made is not None and isinstance(name, ast.Attribute) and name.attr in _NAMES:
            value = value_in(made.node, name.attr) or given_in_init(made.node, name.attr)
            return None if value is None else self._finders.constants.text(made.source, value)
        if (later := set_later(self._source, call, names)) is not None:
            return self._finders.constants.text(self._source, later)
        return self._view.name(call, found.registration, self._finders.held.name_of(one), names)

    def _is_left_open(self, call: ast.Call, found: Registered, given: ast.expr, names: LocalNames | None) -> bool:
        """Note a call that may register any number of tools, and return whether it is in a loop over them."""
        self._view.note(call, found, given, names)
        variables = (part.id for part in ast.walk(given) if isinstance(part, ast.Name))
        copied = copied_from(call, found.registration)
        named = copied is not None and is_received(self._source, copied.id, names)
        return (
            named
            or is_named_by_attribute(call, found.registration)
            or any(iterated(self._source, one, names) for one in variables)
        )

    def _is_closure(self, one: Defined, call: ast.Call, found: Registered, names: LocalNames | None) -> bool:
        """Note a call for an inner function that is named after what the outer one receives, and return whether it is.

        Such a function is a tool each time that the outer one is called.
        """
        copied = copied_from(call, found.registration)
        if copied is None or names is None or not is_received(self._source, copied.id, names):
            return False
        is_inner = names.find(one.node.name) is not None
        if is_inner:
            self._view.leave_open(call, found, names)
        return is_inner

    def _made(self, call: ast.Call, names: LocalNames | None) -> Iterator[WrittenTool]:
        """Yield the tools that a function of the project makes of the arguments of a call."""
        factories = self._finders.factories
        made = [*factories.of_call(self._source, call.func, names), *factories.of_mapped(self._source, call, names)]
        for factory in made:
            found = factory.registered
            if found.registration.way == "holder":
                held = [*self._lists.held_by(call, found, names)]
                self._view.named += [factory.mark] if held else []
                yield from held
                continue
            if found.registration.way == "function":
                given = argument_of(call, found.registration.function)
                tools = [*self._registered(call, found, given, names, kind=found.kind, is_sure=False)]
            elif factory.function is not None:
                home = factory.function.source.path
                function = as_function(factory.function.node)
                tools = [replace(self._definitions.definition(call, found, names), function=function, home=home)]
            else:
                tools = [self._definitions.definition(call, found, names)]
            named = [one for one in tools if one.name is not None]
            self._view.named += [factory.mark] if named else []
            yield from named

    def _is_passed_on(self, defined: Defined, call: ast.Call, found: Registered) -> bool:
        """Whether a call registers what a decorator of its framework has made a tool, with the same name."""
        is_plain = found.registration.way == "function" and argument_of(call, found.registration.name) is None
        return found.marks is not OUR_MARKS and is_plain and self._view.is_marked(defined, found.marks)


def _makes_tools(call: ast.Call) -> bool:
    """Whether the name of a function that is called says that it makes tools, whatever package it is from."""
    return last_name(call.func).endswith(_MAKERS_OF_OTHERS)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.JoinedStr)
