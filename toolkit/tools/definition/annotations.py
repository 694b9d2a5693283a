"""Converts Python types to shapes: plain types at once, all others with pydantic."""

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from types import NoneType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from toolkit.tools.calls.results import ToolResult
from toolkit.tools.definition.signatures import MISSING, Parameter
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
