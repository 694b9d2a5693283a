"""Tools that are classes with a name, a description, options and a method `execute`."""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial
from typing import Any

from toolkit.codes import NOT_A_TOOL, ROOT_NOT_OBJECT, UNFIT_PARAMETER
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.running import call_function
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.definition_places import place_of
from toolkit.tools.docstrings import read_docstring
from toolkit.tools.injected_parameters import injected_values
from toolkit.tools.names import name_problem
from toolkit.tools.signatures import Signature, read_signature
from toolkit.tools.spec import ToolSpec
from toolkit.tools.spec_fields import OPTIONS, option_problems


class ExecutingTool(Tool):
    """A tool that is implemented by a method `execute`, sync or async, with the context as optional second parameter.

    Options of `ToolSpec` are class attributes, or are set in `__init__`, before the tool is first used.
    """

    name: str = ""  # type: ignore[assignment,unused-ignore]  # set by subclasses; elsewhere it comes from the specification
    description: str = ""  # type: ignore[assignment,unused-ignore]
    source: str | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Use the docstring of a class with `execute` as its description, unless it has one."""
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        if "description" not in own and own.get("__doc__") and callable(getattr(cls, "execute", None)):
            cls.description = read_docstring(cls.__doc__).description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments."""
        raise NotImplementedError

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema of the returned value, if known."""
        return None

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override,unused-ignore]  # cached, since it is immutable
        """The specification, built from the attributes of the class.

        Raises:
            InvalidTools: If the class is not a valid tool; `problems` lists everything that is wrong.
        """
        place = self.place if self.source is None else None
        given = {option: getattr(self, option) for option in OPTIONS if hasattr(self, option)}
        problems = option_problems(given, place)
        name, description = given.pop("name"), given.pop("description")
        if trouble := name_problem(name, place):
            problems.append(trouble)
        if not callable(getattr(self, "execute", None)):
            hint = "write def execute(self, …) in its class"
            raise InvalidTools(
                problems=[*problems, Problem(NOT_A_TOOL, f"tool {name!r} has no 'execute'", place, hint=hint)]
            )
        problems += self._injection_problems()
        parameters = self.parameters
        if parameters.get("type") != "object":
            problems.append(
                Problem(ROOT_NOT_OBJECT, f"the input of {name!r} must be an object with named fields", place)
            )
        if problems:
            raise InvalidTools(problems=problems)
        return ToolSpec(
            name,
            description,
            parameters,
            output_schema=self.output_schema,
            source=self.source or (place.file if place else None),
            location=place,
            **given,
        )  # fmt: skip

    @property
    def written_as(self) -> type | Callable[..., Any]:
        """The class or function in the author's code that defines the tool."""
        return type(self)

    @property
    def place(self) -> Location | None:
        """The location of the definition."""
        return place_of(self.written_as)

    @cached_property
    def suspends(self) -> bool:  # type: ignore[override,unused-ignore]
        """Whether `execute` is async."""
        return inspect.iscoroutinefunction(self.execute)

    @cached_property
    def uses_context(self) -> bool:  # type: ignore[override,unused-ignore]
        """Whether `execute` has a parameter that the context fills."""
        return bool(self._signature.injected)

    @cached_property
    def _signature(self) -> Signature:
        """The signature of `execute`; an otherwise unfilled second parameter receives the context whatever its type."""
        signature = read_signature(self.execute)[0]
        others = list(inspect.signature(self.execute).parameters.values())[1:]
        named = [other.name for other in others if other.name == "context" or other.default is other.empty]
        free = [name for name in named if name not in signature.injected]
        if "context" in signature.injected.values() or not free:
            return signature
        return signature._replace(injected={**signature.injected, free[0]: "context"})

    def _injection_problems(self) -> list[Problem]:
        """Return a problem for each parameter of `execute` that is marked for injection but cannot be injected."""
        try:
            signature = self._signature
        except (ValueError, TypeError) as error:
            return [Problem(UNFIT_PARAMETER, f"the signature of 'execute' cannot be read: {error}", self.place)]
        first = next(iter(inspect.signature(self.execute).parameters), "")
        if first not in signature.injected:
            return list(signature.misplaced)
        message = f"parameter {first!r} of 'execute' is the input, so it cannot come from the context"
        hint = "put parameters that come from the context after the input"
        return [*signature.misplaced, Problem(UNFIT_PARAMETER, message, place_of(self.execute, first), hint=hint)]

    execute: Any

    @cached_property
    def work_at_once(self) -> Callable[[Any], Any] | None:  # type: ignore[override,unused-ignore]
        """Calls `execute`; `None` if that is async or uses the context, or if a subclass overrides `perform`."""
        if self.suspends or self.uses_context or type(self).perform is not ExecutingTool.perform:
            return None
        return lambda text: self.execute(text)  # noqa: PLW0108 - `execute` can be replaced later

    def perform(self, parsed: Any, context: ToolContext) -> Coroutine[Any, Any, Any]:
        """Call `execute`."""
        given = injected_values(self.name, self._signature.injected, context) if self.uses_context else None
        execute = partial(self.execute, **given) if given else self.execute
        return call_function(execute, parsed, is_async=self.suspends)
