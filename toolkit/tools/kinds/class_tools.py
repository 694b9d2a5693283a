"""Tools that are classes with a method `execute`, whose input is its parameters, one text, or a type."""

import inspect
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Generic, get_args, get_origin

from toolkit.codes import NOT_A_TOOL, ROOT_NOT_OBJECT, UNFIT_PARAMETER
from toolkit.errors import InvalidTools, ToolArgumentsError
from toolkit.problems import Location, Problem
from toolkit.running import call_function
from toolkit.tools.base import Tool, defer_or_raise
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.foreign_values import call_safely, short_repr
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of, place_of_caller
from toolkit.tools.definition.docstrings import read_docstring
from toolkit.tools.definition.function_readings import output_schema, shape_of_type
from toolkit.tools.definition.names import name_problem
from toolkit.tools.definition.signatures import Signature, injected_values, misplaced_injection, read_signature
from toolkit.tools.definition.spec import TEXT_INPUT, TEXT_PARAMETERS, ToolSpec
from toolkit.tools.definition.spec_fields import OPTIONS, option_problems
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError


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
        others = self._own_parameters[1:]
        named = [other.name for other in others if other.name == "context" or other.default is other.empty]
        free = [name for name in named if name not in signature.injected]
        if "context" in signature.injected.values() or not free:
            return signature
        return signature._replace(injected={**signature.injected, free[0]: "context"})

    @cached_property
    def _own_parameters(self) -> list[inspect.Parameter]:
        """The parameters of `execute`."""
        return list(inspect.signature(self.execute).parameters.values())

    def _injection_problems(self) -> list[Problem]:
        """Return a problem for each parameter of `execute` that is marked for injection but cannot be injected."""
        try:
            signature = self._signature
        except (ValueError, TypeError) as error:
            return [Problem(UNFIT_PARAMETER, f"the signature of 'execute' cannot be read: {error}", self.place)]
        first = self._own_parameters[0].name if self._own_parameters else ""
        if first not in signature.injected:
            return list(signature.misplaced)
        message = f"parameter {first!r} of 'execute' is the input, so it cannot come from the context"
        hint = "put parameters that come from the context after the input"
        return [*signature.misplaced, Problem(UNFIT_PARAMETER, message, place_of(self.execute, first), hint=hint)]

    execute: Any

    @cached_property
    def work_at_once(self) -> Callable[[Any], Any] | None:  # type: ignore[override,unused-ignore]
        """Calls `execute`; `None` if that is async or uses the context, or if a subclass overrides `perform`."""
        if self.uses_context or not self.calls_one_function:
            return None
        return lambda text: self.execute(text)  # noqa: PLW0108 - `execute` can be replaced later

    @property
    def calls_one_function(self) -> bool:  # type: ignore[override,unused-ignore]
        """Whether `execute` is not async, and no subclass overrides `perform`."""
        return not self.suspends and type(self).perform is ExecutingTool.perform

    def perform(self, parsed: Any, context: ToolContext) -> Coroutine[Any, Any, Any]:
        """Call `execute`."""
        given = injected_values(self.name, self._signature.injected, context) if self.uses_context else None
        execute = partial(self.execute, **given) if given else self.execute
        return call_function(execute, parsed, is_async=self.suspends)


class TextTool(ExecutingTool):
    """Base class of tools with one text as input: define a name, a description and `execute(text)`.

    Example:
        >>> class Shout(TextTool):
        ...     name = "shout"
        ...     description = "Says the input loudly."
        ...
        ...     def execute(self, text: str) -> str:
        ...         return text.upper()
        >>> Shout().run({"input": "ready"}).output
        'READY'

    Its arguments are always valid: if there is no usable `input`, the whole text as received is the input.
    """

    pipe = "text"
    result_of_nothing = ToolResult()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """A schema with one required string, `input`."""
        return TEXT_PARAMETERS

    def parse(self, arguments: Arguments) -> str:
        """Return the input: a string unchanged, any other value as JSON."""
        return text_given(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the input under its name, `input`."""
        return {TEXT_INPUT: parsed}


def text_given(arguments: Any) -> str:
    """Return the input of a call; if there is no usable `input`, return all arguments as received."""
    if isinstance(arguments, str):
        return _input_of_text(arguments)
    given = arguments.get(TEXT_INPUT) if isinstance(arguments, Mapping) else arguments
    if isinstance(given, str):
        return given
    if arguments is None:
        return ""
    return _as_text(arguments if given is None else given)


def _input_of_text(arguments: str) -> str:
    from pydantic_core import from_json

    try:
        data = from_json(arguments, allow_inf_nan=False)
    except ValueError:
        return arguments
    given = data.get(TEXT_INPUT) if isinstance(data, dict) else None
    if isinstance(given, str):
        return given
    return arguments if given is None else _as_text(given)


def _as_text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The input cannot be written as JSON: {error}") from error


class AdaptedTextTool(TextTool):
    """Makes a tool of an object with a name, a description and `execute(text)`."""

    def __init__(self, adapted: Any) -> None:
        """Adapt an object whose name and description are attributes or methods."""
        self.adapted = adapted
        self.name = _describe(adapted, "name")
        self.description = (
            _describe(adapted, "description") or read_docstring(vars(type(adapted)).get("__doc__")).description
        )
        for option in ("requires_approval", "read_only", "destructive", "idempotent", "open_world", "flow", "category"):
            if hasattr(adapted, option):
                setattr(self, option, getattr(adapted, option))
        self.execute = adapted.execute

    @property
    def written_as(self) -> type:
        """The class of the adapted object."""
        return type(self.adapted)


def _describe(adapted: Any, what: str) -> Any:
    value = getattr(adapted, what, "")
    return value() if callable(value) else value


def looks_like_text_tool(candidate: object) -> bool:
    """Return whether an object can be adapted, that is, whether it has `execute` and a name."""
    return call_safely(lambda: callable(getattr(candidate, "execute", None)) and hasattr(candidate, "name"), False)


if TYPE_CHECKING:
    from typing import Unpack

    from typing_extensions import TypeVar  # before Python 3.13 that of `typing` takes no default

    from toolkit.tools.definition.spec_fields import ToolOptions

    Input = TypeVar("Input", default=Any)
else:
    from typing import TypeVar

    Input = TypeVar("Input")


class TypedTool(ExecutingTool, Generic[Input]):
    """A tool whose input is a pydantic model, a dataclass or a TypedDict: define a name and `execute(input)`.

    Example:
        >>> from dataclasses import dataclass
        >>> from toolkit import TypedTool
        >>> @dataclass
        ... class Person:
        ...     name: str
        >>> class Greet(TypedTool[Person]):
        ...     name = "greet"
        ...     description = "Greets a person by name."
        ...
        ...     def execute(self, input: Person) -> str:
        ...         return f"Hello, {input.name}!"
        >>> Greet().run({"name": "Ada"}).output
        'Hello, Ada!'

    Or create one from a function: `TypedTool(name=…, description=…, input_type=Person, function=greet)`.
    """

    pipe = "json"
    result_of_nothing = ToolResult()
    ignores_unknown = True
    input_type: Any = None
    output_type: Any = None
    _function: Callable[..., Any] | None = None
    _unbuilt: Tool | None = None
    _made_at: Location | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Set the input type from the type argument."""
        super().__init_subclass__(**kwargs)
        for base in vars(cls).get("__orig_bases__", ()):
            arguments = get_args(base)
            if isinstance(get_origin(base), type) and issubclass(get_origin(base), TypedTool) and arguments:
                cls.input_type = arguments[0]

    def __init__(
        self,
        *,
        name: str | None = None,
        description: str | None = None,
        input_type: type[Input] | None = None,
        output_type: Any = None,
        function: Callable[..., Any] | None = None,
        **options: "Unpack[ToolOptions]",
    ) -> None:
        """Create a tool from a function; subclasses need none of these arguments.

        Args:
            name: The name of the tool; the name of the function by default.
            description: What the tool does and when to use it; the docstring of the function by default.
            input_type: The type of the input.
            output_type: The type of the returned value, for the output schema.
            function: The function to call, with the input and, optionally, the context as second parameter.
            **options: Any other option of `@tool`.

        Raises:
            InvalidTools: If an option is invalid; `problems` lists everything that is wrong.
        """
        self._function = function
        problems = option_problems(options, None)
        if function is not None or type(self) is TypedTool:
            problems += _function_problems(name, function)
        if problems:
            self._unbuilt = defer_or_raise(InvalidTools(problems=problems), function)
        if callable(function):
            self.execute = function
            self._made_at = place_of_caller()
            self.name = getattr(function, "__name__", "")
            self.description = read_docstring(getdoc(function)).description
        given = {"name": name, "description": description, "input_type": input_type, "output_type": output_type}
        for option, value in {**given, **options}.items():
            if value is not None:
                setattr(self, option, value)

    @property
    def written_as(self) -> type | Callable[..., Any]:
        """The function from which the tool was created, or else the class."""
        return self._function or type(self)

    @property
    def place(self) -> Location | None:
        """The location of the class or function; if the function is not in a file, where the tool was created."""
        return super().place or self._made_at

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override,unused-ignore]  # cached, since it is immutable
        """The specification.

        Raises:
            InvalidTools: If the tool is not valid; `problems` lists everything that is wrong.
        """
        return super().spec if self._unbuilt is None else self._unbuilt.spec

    @cached_property
    def _shape(self) -> Shape:
        place = self.place
        if self.input_type is None:
            message, hint = f"tool {self.name!r} has no input type", "write class …(TypedTool[Model])"
            raise InvalidTools(problems=[Problem(UNFIT_PARAMETER, message, place, hint=hint)])
        if misplaced := misplaced_injection(f"the input of {self.name!r}", self.input_type):
            message, hint = misplaced
            raise InvalidTools(problems=[Problem(UNFIT_PARAMETER, message, place, hint=hint)])
        try:
            return shape_of_type(self.input_type)
        except UnfitTypeError as error:
            message = f"the input of {self.name!r} cannot be written as JSON: {error}"
            raise InvalidTools(problems=[Problem(UNFIT_PARAMETER, message, place)]) from error

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The schema of the input type, without the docstring of the type, which is not written for models."""
        return {key: value for key, value in self._shape.schema.items() if key != "description"}

    @property
    def output_schema(self) -> Mapping[str, Any] | None:
        """The schema of the returned value, if known."""
        return output_schema(self.output_type or read_signature(self.execute)[0].returns)

    def parse(self, arguments: Arguments) -> Any:
        """Return the input as an instance of its type."""
        return self._shape.read(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the input as plain data, with secrets masked."""
        data = plain_data(parsed)
        return self.veil.over(data)


def _function_problems(name: str | None, function: object) -> list[Problem]:
    if callable(function):
        return []
    given = "has no function" if function is None else f"has a function that cannot be called: {short_repr(function)}"
    hint = "pass the function to call: TypedTool(…, function=greet)"
    return [Problem(NOT_A_TOOL, f"tool {name!r} {given}", place_of_caller(), hint=hint)]
