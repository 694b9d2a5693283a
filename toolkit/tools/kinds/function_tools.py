"""Tools that are functions or methods, with a schema that is derived from the signature."""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from types import NoneType
from typing import Any, Unpack

from toolkit.errors import ConfigurationError, InvalidTools
from toolkit.problems import Problem, errors_among
from toolkit.running import call_function
from toolkit.tools.base import Tool, defer_or_raise
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.function_readings import methods_of, read_function
from toolkit.tools.definition.signatures import Signature, defaults_left, injected_values
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.definition.spec_fields import MarkOptions
from toolkit.tools.outcomes import NOTHING_RETURNED
from toolkit.tools.secret_arguments import members_of
from toolkit.tools.shapes.shape_values import Shape


class FunctionTool(Tool):
    """A tool that calls a function or method, sync or async."""

    ignores_unknown = True

    def __init__(self, function: Callable[..., Any], signature: Signature, shape: Shape, spec: ToolSpec) -> None:
        """Create the tool from its parts; use `build_function`, which reports what is wrong."""
        self.function = function
        self._signature = signature
        self._shape = shape
        self.spec = spec
        self._aliases = {parameter.name: parameter.alias for parameter in signature.parameters if parameter.alias}
        self._call = _caller(function, signature)
        self.result_of_nothing = ToolResult(NOTHING_RETURNED) if signature.returns is NoneType else None
        self._is_filled = bool(signature.injected or signature.explicit_defaults)
        self.suspends = signature.is_async
        self.uses_context = "context" in signature.injected.values()
        self.calls_one_function = type(self) is FunctionTool and not self.suspends
        self.work_at_once = self._call if self.calls_one_function and not self._is_filled else None

    @property
    def holders(self) -> tuple[object, ...]:
        """The defaults of the function, the object that it is bound to, and the variables that it uses."""
        return references_of(self.function)

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments by parameter name, converted to the annotated types."""
        return self._shape.read(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data under the names in the schema, with secrets masked."""
        data = plain_data(parsed)
        if self._aliases:
            data = {self._aliases.get(name, name): value for name, value in data.items()}
        return self.veil.over(data)

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the function's own defaults for omitted parameters."""
        return defaults_left(self._signature, parsed, self.veil)

    def perform(self, parsed: Any, context: ToolContext) -> Coroutine[Any, Any, Any]:
        """Call the function."""
        given = self._fill(parsed, context) if self._is_filled else parsed
        return call_function(self._call, given, is_async=self.suspends)

    def _fill(self, parsed: dict[str, Any], context: ToolContext) -> dict[str, Any]:
        """Return the arguments with injected values and with the defaults that are declared in a `Field`."""
        filled = dict(parsed)
        for name, default in self._signature.explicit_defaults.items():
            if name not in filled:
                filled[name] = default()
        return filled | injected_values(self.name, self._signature.injected, context)


def references_of(function: Callable[..., Any]) -> tuple[object, ...]:
    """Return what a function refers to: its defaults, the object it is bound to, and the variables that it uses."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    code, variables = getattr(plain, "__code__", None), getattr(plain, "__globals__", {})
    used = [variables[name] for name in getattr(code, "co_names", ()) if name in variables]
    bound = [getattr(function, name, None) for name in ("__self__", "args", "keywords")]
    around = inspect.getclosurevars(plain).nonlocals if inspect.isfunction(plain) else {"itself": plain}
    return (getattr(plain, "__defaults__", None), getattr(plain, "__kwdefaults__", None), *bound, dict(around), used)


def _caller(function: Callable[..., Any], signature: Signature) -> Callable[[dict[str, Any]], Any]:
    if not signature.positional:
        return lambda given: function(**given)

    def call(given: dict[str, Any]) -> Any:
        rest = dict(given)  # a copy, since the call may be retried with the same arguments
        first = [rest.pop(name) for name in signature.positional]
        return function(*first, **rest)

    return call


def from_function(function: Callable[..., Any], **options: Unpack[MarkOptions]) -> Tool:
    """Create a tool from any function, marked or not.

    Example:
        >>> from toolkit import from_function
        >>> def add(first: int, second: int) -> int:
        ...     '''Add two numbers.'''
        ...     return first + second
        >>> from_function(add, name="plus").run({"first": 1, "second": 2}).output
        '3'

    Args:
        function: A function, bound method, partial or callable object, sync or async.
        **options: The options of `@tool`; they take precedence over the function's own mark.

    Raises:
        InvalidTools: If the function is not a valid tool; `problems` lists everything that is wrong.
    """
    tool, problems = build_function(function, options)
    return defer_or_raise(InvalidTools(problems=errors_among(problems)), function) if tool is None else tool


def build_function(
    function: Callable[..., Any], options: Mapping[str, Any], *, source: str | None = None
) -> tuple[FunctionTool | None, list[Problem]]:
    """Create a tool from a function, and return all problems with it; never raises."""
    reading, problems = read_function(function, options, source=source)
    if reading is None:
        return None, problems
    return FunctionTool(function, reading.signature, reading.shape, ToolSpec(**reading.fields)), problems


class DescribedTool(Tool):
    """A marked method of a class of which there is no object: it can be inspected, but not called."""

    suspends = False
    uses_context = False

    def __init__(self, spec: ToolSpec, function: Callable[..., Any] | None = None) -> None:
        """Create it from its specification and, if known, the method that is never called."""
        self.spec = spec
        self.function = function

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments, which are not validated."""
        return (members_of(arguments) or {}) if isinstance(arguments, str) else dict(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments with secrets masked."""
        return self.veil.over(dict(parsed))

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Raise an exception, since there is no object.

        Raises:
            ConfigurationError: Always.
        """
        raise ConfigurationError(f"'{self.name}' is a method of a class, and needs an object of it")


def described_tools(cls: type, source: str) -> list[Tool]:
    """Return the tools of a class's marked methods for inspection, without creating an object of the class.

    Raises:
        InvalidTools: If a method is not a valid tool; `problems` lists everything that is wrong.
    """
    return [
        DescribedTool(ToolSpec(**{**reading.fields, "source": source}), method) for method, reading in methods_of(cls)
    ]
