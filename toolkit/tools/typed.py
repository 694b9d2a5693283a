"""Tools whose input is a user-defined type, from which the schema is derived."""

from collections.abc import Callable, Mapping
from functools import cached_property
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Generic, get_args, get_origin

from toolkit.codes import NOT_A_TOOL, UNFIT_PARAMETER
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.tools.base import Tool, defer_or_raise
from toolkit.tools.callees import Arguments
from toolkit.tools.class_tools import ExecutingTool
from toolkit.tools.definition_places import place_of_caller
from toolkit.tools.docstrings import read_docstring
from toolkit.tools.foreign_values import short_repr
from toolkit.tools.injected_parameters import misplaced_injection
from toolkit.tools.json_data import plain_data
from toolkit.tools.results import ToolResult
from toolkit.tools.shapes.annotations import output_schema, shape_of_type
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError
from toolkit.tools.signatures import read_signature
from toolkit.tools.spec import ToolSpec
from toolkit.tools.spec_fields import option_problems

if TYPE_CHECKING:
    from typing import Unpack

    from typing_extensions import TypeVar  # before Python 3.13 that of `typing` takes no default

    from toolkit.tools.spec_fields import ToolOptions

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
