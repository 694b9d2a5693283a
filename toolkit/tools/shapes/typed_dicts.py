"""Recreates `typing.TypedDict` classes with typing_extensions, since pydantic needs that before Python 3.12."""

import sys
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import typing_extensions

from toolkit.tools.shapes.shape_values import UnfitTypeError

_IS_NEEDED = sys.version_info < (3, 12)


def readable(annotation: Any) -> Any:
    """Return a type in which pydantic supports every `TypedDict`, except those that refer to themselves.

    Raises:
        UnfitTypeError: If an annotation of a `TypedDict` cannot be evaluated.
    """
    return _readable(annotation, ()) if _IS_NEEDED else annotation


def _readable(annotation: Any, around: tuple[Any, ...]) -> Any:
    if is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return annotation if annotation in around else _recreate(annotation, (*around, annotation))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return Annotated[_readable(arguments[0], around), *annotation.__metadata__]
    if not arguments or origin is Literal:
        return annotation
    parts = tuple(_readable(argument, around) for argument in arguments)
    if all(new is old for new, old in zip(parts, arguments, strict=True)):
        return annotation
    make: Any = Union if origin is UnionType else origin
    return make[parts[0] if len(parts) == 1 else parts]


def _recreate(standard: Any, around: tuple[Any, ...]) -> Any:
    members = {
        name: _presence(standard, name, _readable(annotation, around)) for name, annotation in _hints(standard).items()
    }
    make: Any = typing_extensions.TypedDict
    made = make(standard.__name__, members)
    made.__doc__ = standard.__doc__
    return made


def _hints(standard: Any) -> dict[str, Any]:
    try:
        return get_type_hints(standard, include_extras=True)
    except Exception as error:  # a quoted annotation is the user's code, which can raise anything
        raise UnfitTypeError(f"an annotation of '{standard.__name__}' cannot be read: {error}") from error


def _presence(standard: Any, name: str, annotation: Any) -> Any:
    if get_origin(annotation) in (Required, NotRequired):
        return annotation
    return Required[annotation] if name in standard.__required_keys__ else NotRequired[annotation]
