"""Tools with a handwritten JSON Schema and a function that takes the arguments by keyword."""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property, partial
from typing import Any

from toolkit.codes import ROOT_NOT_OBJECT, UNFIT_PARAMETER
from toolkit.errors import InvalidTools
from toolkit.freezing import freeze
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.running import call_function
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.names import name_problem
from toolkit.tools.definition.signatures import Signature, defaults_left, injected_values, read_signature
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.definition.spec_fields import option_problems, plain_fields
from toolkit.tools.secret_arguments import Veil
from toolkit.tools.shapes.schema_shapes import shape_of_schema
from toolkit.tools.shapes.shape_values import Shape


class HandmadeWork:
    """Implements the hooks of a tool with a function and a handwritten JSON Schema."""

    def __init__(self, function: Callable[..., Any], signature: Signature, shape: Shape, spec: ToolSpec) -> None:
        """Create it from its parts; use `read_handmade`, which reports what is wrong."""
        self.spec = spec
        self.suspends = signature.is_async
        self.uses_context = bool(signature.injected)
        self._function = function
        self._signature = signature
        self._shape = shape
        self._taken = {parameter.name for parameter in signature.parameters}
        self._takes_any = _takes_any(function)

    @cached_property
    def veil(self) -> Veil:
        """Masks the secrets among the arguments."""
        return Veil(self.spec.parameters)

    def parse(self, arguments: str | Mapping[str, Any]) -> Any:
        """Return the arguments by name, validated against the schema."""
        read: dict[str, Any] = self._shape.read(arguments)
        return read if self._takes_any else {name: one for name, one in read.items() if name in self._taken}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data, with secrets masked."""
        return self.veil.over(plain_data(parsed))

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Return the function's own defaults for omitted parameters of the schema."""
        left = defaults_left(self._signature, parsed, self.veil)
        return {name: value for name, value in left.items() if name in self.spec.properties}

    def perform(self, parsed: Any, context: ToolContext) -> Coroutine[Any, Any, Any]:
        """Call the function."""
        given = {**parsed, **injected_values(self.spec.name, self._signature.injected, context)}
        return call_function(partial(self._function, **given), is_async=self.suspends)


def read_handmade(
    name: str,
    description: str,
    parameters: Mapping[str, Any],
    function: Callable[..., Any],
    options: Mapping[str, Any],
) -> HandmadeWork:
    """Check the arguments of `Tool.create` and return the implementation of the tool.

    Raises:
        InvalidTools: If the tool is not valid; `problems` lists everything that is wrong.
    """
    place = place_of(function)
    given = {**options, "description": description}
    problems = [*filter(None, [name_problem(name, place)]), *option_problems(given, place)]
    fields, unfit = plain_fields({"parameters": parameters}, place)
    if unfit:
        raise InvalidTools(problems=[*problems, *unfit])
    parameters = freeze(fields["parameters"])
    if parameters.get("type") != "object":
        message = f"the parameters of {name!r} must be a JSON Schema of type 'object'"
        problems.append(Problem(ROOT_NOT_OBJECT, message, place))
    shape = _shape(parameters, place, problems)
    signature = _signature(function, place, problems)
    if shape is not None and signature is not None:
        problems += _disagreements(parameters, function, signature, place)
    if shape is None or signature is None or problems:
        raise InvalidTools(problems=problems)
    return HandmadeWork(function, signature, shape, ToolSpec(name, description, parameters, location=place, **options))


def _shape(parameters: Mapping[str, Any], place: Location | None, problems: list[Problem]) -> Shape | None:
    try:
        return shape_of_schema(parameters)
    except ValueError as error:
        problems.append(Problem(ROOT_NOT_OBJECT, str(error), place))
        return None


def _signature(function: Callable[..., Any], place: Location | None, problems: list[Problem]) -> Signature | None:
    try:
        signature = read_signature(function)[0]
    except (ValueError, TypeError) as error:
        problems.append(Problem(UNFIT_PARAMETER, f"the signature of the function cannot be read: {error}", place))
        return None
    problems += signature.misplaced
    return signature


def _disagreements(
    parameters: Mapping[str, Any], function: Callable[..., Any], signature: Signature, place: Location | None
) -> list[Problem]:
    """Return a problem for each parameter on which the schema and the function disagree."""
    properties, required = parameters.get("properties", {}), parameters.get("required", ())
    taken = {parameter.name for parameter in signature.parameters}
    problems = [
        Problem(ROOT_NOT_OBJECT, f"parameter {name!r} comes from the context, so it must not be in the schema", place,
                hint=f"remove {name!r} from the schema")
        for name in properties if name in signature.injected
    ]  # fmt: skip
    problems += [] if _takes_any(function) else [
        Problem(ROOT_NOT_OBJECT, f"parameter {name!r} of the schema is not a parameter of the function", place,
                hint=did_you_mean(name, taken))
        for name in properties if name not in taken and name not in signature.injected
    ]  # fmt: skip
    problems += [
        Problem(ROOT_NOT_OBJECT, f"the function requires {parameter.name!r}, but the schema does not", place)
        for parameter in signature.parameters if parameter.required and parameter.name not in required
    ]  # fmt: skip
    return problems


def _takes_any(function: Callable[..., Any]) -> bool:
    return any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
