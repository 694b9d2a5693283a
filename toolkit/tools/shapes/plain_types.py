"""Converts strings, numbers, booleans, and lists, mappings and choices of them to schemas, without pydantic.

If a signature has only these types, its JSON Schema and its pydantic-core schema come from the table below, with the
same result as with pydantic. All other types go through pydantic.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin


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
