"""Reads the definition of a tool from a function or the methods of a class, and reports all that is wrong with it."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import MethodType
from typing import Any, NamedTuple

from toolkit.codes import MISSING_DESCRIPTION, NOT_A_TOOL, UNFIT_PARAMETER, UNTYPED_PARAMETER
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Problem, errors_among, set_missing_locations
from toolkit.tools.calls.foreign_values import kind_of
from toolkit.tools.definition.annotations import output_schema, shape_of_parameters
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import category_from_class, mark_of, marked_methods
from toolkit.tools.definition.names import Claim, name_collisions, name_problem
from toolkit.tools.definition.signatures import Signature, read_signature
from toolkit.tools.definition.spec_fields import option_problems
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError


class FunctionReading(NamedTuple):
    """The definition of a tool, read from a function.

    Attributes:
        signature: The signature of the function.
        shape: The shape of the arguments of a call.
        fields: The fields of the tool's specification.
    """

    signature: Signature
    shape: Shape
    fields: Mapping[str, Any]


def read_function(
    function: Callable[..., Any], options: Mapping[str, Any], *, source: str | None = None
) -> tuple[FunctionReading | None, list[Problem]]:
    """Read the definition of a tool from a function, and return all problems with it; never raises.

    Args:
        function: A function, bound method, partial or callable object.
        options: The options of `@tool`; they take precedence over the function's own mark.
        source: The source of the tool, if it is not the function's own file.
    """
    options = {**(mark_of(function) or {}), **options}
    name = options.get("name") or getattr(function, "__name__", "")
    problems = option_problems(options, None)
    if trouble := name_problem(name):
        problems.append(trouble)
    try:
        signature, unreadable = read_signature(function)
    except (ValueError, TypeError) as error:
        problems.append(Problem(UNFIT_PARAMETER, f"the signature of {name!r} cannot be read: {error}"))
        return None, _place(problems, function)
    problems += [*unreadable, *_clashing_names(function, signature)]
    shape, unfit = _shape(function, str(name), signature)
    problems += [*unfit, *_omissions(function, name, signature, options)]
    if shape is None or errors_among(problems):
        return None, _place(problems, function)
    fields = _fields(str(name), signature, shape, options) | {"source": source or _file_of(function)}
    return FunctionReading(signature, shape, fields), _place(problems, function)


def _shape(function: Callable[..., Any], name: str, signature: Signature) -> tuple[Shape | None, list[Problem]]:
    try:
        return shape_of_parameters(name, signature.parameters), []
    except UnfitTypeError as error:
        return None, _unfit_parameters(function, signature, error)


def _clashing_names(function: Callable[..., Any], signature: Signature) -> list[Problem]:
    """Return a problem for each alias that is also the alias of an earlier parameter, or the name of another one."""
    problems = []
    for position, parameter in enumerate(signature.parameters):
        before, others = signature.parameters[:position], [one for one in signature.parameters if one is not parameter]
        clash = next((one for one in before if one.alias and one.alias == parameter.alias), None)
        clash = clash or next((one for one in others if one.name == parameter.alias), None)
        if clash is not None:
            message = (
                f"the alias {parameter.alias!r} of parameter {parameter.name!r} also refers to parameter {clash.name!r}"
            )
            place = place_of(function, parameter.name)
            problems.append(Problem(UNFIT_PARAMETER, message, place, hint="give it another alias"))
    return problems


def _place(problems: list[Problem], function: Callable[..., Any]) -> list[Problem]:
    """Return the problems, with the location of the function for those that have none."""
    if all(problem.location is not None for problem in problems):
        return problems
    place = place_of(function)
    return set_missing_locations(problems, place)


def _unfit_parameters(function: Callable[..., Any], signature: Signature, whole: Exception) -> list[Problem]:
    """Return a problem for each parameter whose type cannot be described to a model."""
    problems = []
    for parameter in signature.parameters:
        try:
            shape_of_parameters("one", [parameter])
        except UnfitTypeError as error:
            message = f"parameter {parameter.name!r} cannot be written as JSON: {error}"
            hint = "use plain types, a dataclass, a TypedDict or a pydantic model"
            problems.append(Problem(UNFIT_PARAMETER, message, place_of(function, parameter.name), hint=hint))
    return problems or [Problem(UNFIT_PARAMETER, f"the parameters cannot be written as JSON: {whole}")]


def _omissions(
    function: Callable[..., Any], name: object, signature: Signature, options: Mapping[str, Any]
) -> list[Problem]:
    """Return a warning for a missing description and for each parameter without a type."""
    problems = []
    if not (options.get("description") or signature.description):
        message, hint = f"tool {name!r} has no description", "write a docstring: what it does and when to use it"
        problems.append(Problem(MISSING_DESCRIPTION, message, severity="warning", hint=hint))
    for parameter in signature.parameters:
        if not parameter.typed:
            message, hint = (
                f"parameter {parameter.name!r} of {name!r} has no type",
                f"annotate it: {parameter.name}: str",
            )
            place = place_of(function, parameter.name)
            problems.append(Problem(UNTYPED_PARAMETER, message, place, severity="warning", hint=hint))
    return problems


def _fields(name: str, signature: Signature, shape: Shape, options: Mapping[str, Any]) -> dict[str, Any]:
    given = {key: value for key, value in options.items() if value is not None}
    return given | {
        "name": name,
        "description": options.get("description") or signature.description,
        "parameters": shape.schema,
        "output_schema": output_schema(signature.returns),
    }


def _file_of(function: Callable[..., Any]) -> str | None:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_filename if code is not None else None


def read_methods(cls: object) -> list[FunctionReading]:
    """Read the definitions of the tools that the marked methods of a class define.

    Raises:
        InvalidTools: If a method is not a valid tool, or this is not a class; `problems` lists everything that is
            wrong.
    """
    return [reading for _, reading in methods_of(cls)]


def methods_of(cls: object) -> list[tuple[Callable[..., Any], FunctionReading]]:
    """Return the marked methods of a class, bound to nothing, with the definitions of the tools; see `read_methods`."""
    if not isinstance(cls, type):
        message = f"an object of type {kind_of(cls)!r} is not a class"
        raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint="for an object, write from_object(…)")])
    methods = [_bound_to_nothing(cls, name) for name in marked_methods(cls)]
    read = [(method, *read_function(method, category_from_class(cls, method))) for method in methods]
    good = [(method, reading) for method, reading, _ in read if reading is not None]
    claims = [_claim(method, reading) for method, reading in good]
    raise_errors(InvalidTools, [*(problem for *_, found in read for problem in found), *name_collisions(claims)])
    return good


def _claim(method: Any, reading: FunctionReading) -> Claim:
    return Claim(reading.fields["name"], reading.fields["source"], partial(place_of, inspect.unwrap(method)))


def _bound_to_nothing(cls: type, name: str) -> Any:
    """Return a method bound to a placeholder, so that its signature is that of a bound method; it cannot be called."""
    member = inspect.getattr_static(cls, name)
    return getattr(cls, name) if isinstance(member, staticmethod | classmethod) else MethodType(member, object())
