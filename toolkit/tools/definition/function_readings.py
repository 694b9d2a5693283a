"""Reads the definition of a tool from a function or the methods of a class, and reports all that is wrong with it."""

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from types import MethodType, NoneType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from toolkit.codes import MISSING_DESCRIPTION, NOT_A_TOOL, UNFIT_PARAMETER, UNTYPED_PARAMETER
from toolkit.errors import InvalidTools, raise_errors
from toolkit.problems import Problem, errors_among, set_missing_locations
from toolkit.tools.calls.foreign_values import kind_of
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import category_from_class, mark_of, marked_methods
from toolkit.tools.definition.names import Claim, name_collisions, name_problem
from toolkit.tools.definition.signatures import MISSING, Parameter, Signature, read_signature
from toolkit.tools.definition.spec_fields import option_problems
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError


class Form(NamedTuple):
    """A type as a JSON Schema and as a pydantic-core schema."""

    schema: dict[str, Any]
    core: dict[str, Any]


_SCALARS: dict[Any, Callable[[], Form]] = {
    str: lambda: Form({"type": "string"}, {"type": "str"}),
    int: lambda: Form({"type": "integer"}, {"type": "int"}),
    float: lambda: Form({"type": "number"}, {"type": "float"}),
    bool: lambda: Form({"type": "boolean"}, {"type": "bool"}),
    Any: lambda: Form({}, {"type": "any"}),
    list: lambda: Form({"type": "array", "items": {}}, {"type": "list"}),
    dict: lambda: Form({"type": "object", "additionalProperties": True}, {"type": "dict"}),
}


def form_of(annotation: Any) -> Form | None:
    """Return the form of a plain type, or `None` for any other type."""
    try:
        if annotation in _SCALARS:
            return _SCALARS[annotation]()
    except TypeError:  # the annotation is not hashable
        return None
    metadata = getattr(annotation, "__metadata__", None)
    if metadata is not None:
        return form_of(annotation.__origin__) if all(isinstance(extra, str) for extra in metadata) else None
    make = _GENERICS.get(get_origin(annotation))
    return make(get_args(annotation)) if make else None


def object_of(forms: Mapping[str, Form], required: Iterable[str]) -> tuple[dict[str, Any], Callable[[], Any]]:
    """Return the JSON Schema of an object with these members, and a function that makes its pydantic-core schema."""
    names = list(required)
    schema: dict[str, Any] = {"type": "object", "properties": {name: form.schema for name, form in forms.items()}}
    if names:
        schema["required"] = names
    fields = {
        name: {"type": "typed-dict-field", "schema": form.core, "required": name in names}
        for name, form in forms.items()
    }
    return schema, lambda: {"type": "typed-dict", "fields": fields, "config": {"coerce_numbers_to_str": True}}


def _list_of(arguments: tuple[Any, ...]) -> Form | None:
    item = form_of(arguments[0])
    if item is None:
        return None
    return Form({"type": "array", "items": item.schema}, {"type": "list", "items_schema": item.core})


def _mapping_of(arguments: tuple[Any, ...]) -> Form | None:
    key, value = arguments
    form = form_of(value) if key is str else None
    if form is None:
        return None
    core = {"type": "dict", "keys_schema": {"type": "str"}, "values_schema": form.core}
    return Form({"type": "object", "additionalProperties": form.schema or True}, core)


def _optional(arguments: tuple[Any, ...]) -> Form | None:
    """Return the form of `X | None`; unions of several other types are left to pydantic."""
    present = [argument for argument in arguments if argument is not type(None)]
    form = form_of(present[0]) if len(present) == 1 and len(arguments) == 2 else None  # noqa: PLR2004
    if form is None or present == [Any]:
        return None
    return Form({"anyOf": [form.schema, {"type": "null"}]}, {"type": "nullable", "schema": form.core})


def _choice_of(arguments: tuple[Any, ...]) -> Form | None:
    if not all(isinstance(choice, str) for choice in arguments):
        return None
    schema = {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    return Form({"type": "string", **schema}, {"type": "literal", "expected": list(arguments)})


_GENERICS: dict[Any, Callable[[tuple[Any, ...]], Form | None]] = {
    list: _list_of,
    dict: _mapping_of,
    Union: _optional,
    types.UnionType: _optional,
    Literal: _choice_of,
}


_PLAIN = (str, int, bool, NoneType)


def shape_of_parameters(name: str, parameters: Sequence[Parameter]) -> Shape:
    """Return the shape of a call's arguments: an object with a member for each parameter.

    Raises:
        UnfitTypeError: If the type of a parameter is not supported.
    """
    forms = {parameter.name: form_of(parameter.annotation) for parameter in parameters}
    if None in forms.values():
        return _shape_by_pydantic(name, parameters)
    required = [parameter.name for parameter in parameters if parameter.required]
    shape = Shape(*object_of(forms, required))  # type: ignore[arg-type]  # no form is None here
    _explain_all(shape, parameters)
    return shape


def _shape_by_pydantic(name: str, parameters: Sequence[Parameter]) -> Shape:
    from toolkit.tools.definition.pydantic_types import describe_enum_names, shape_of_members  # slow import

    shape = shape_of_members(name, parameters)
    _explain_all(shape, parameters)
    describe_enum_names(shape.schema)
    return shape


def shape_of_type(annotation: Any) -> Shape:
    """Return the shape of any type.

    Raises:
        UnfitTypeError: If the type is not supported for arguments.
    """
    from toolkit.tools.definition.pydantic_types import shape_of_annotation  # slow import

    return shape_of_annotation(annotation)


def output_schema(annotation: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of what a function returns, or `None` if its annotation does not describe it."""
    if annotation in (MISSING, None, type(None), Any, ToolResult):
        return None
    form = form_of(annotation)
    if form is not None:
        return form.schema
    from toolkit.tools.calls.attachments import holds_attachments  # plain types do not need it

    if holds_attachments(annotation):
        return None
    from toolkit.tools.definition.pydantic_types import serialized_schema  # slow import

    try:
        return serialized_schema(annotation)
    except UnfitTypeError:
        return None


def _explain_all(shape: Shape, parameters: Sequence[Parameter]) -> None:
    for parameter in parameters:
        _explain(shape.schema["properties"].get(parameter.sent_as, {}), parameter)


def _explain(schema: dict[str, Any], parameter: Parameter) -> None:
    """Add the description and the default of a parameter to its schema."""
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is MISSING:
        return
    if type(parameter.default) in _PLAIN or (type(parameter.default) is float and isfinite(parameter.default)):
        schema["default"] = parameter.default
        return
    from toolkit.tools.definition.pydantic_types import plain_default  # most defaults are plain

    plain_default(schema, parameter.default)


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
