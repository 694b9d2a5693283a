"""Typed dicts: before Python 3.12 pydantic reads only those of typing_extensions, so standard ones are made anew."""

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

_MADE_ANEW = sys.version_info < (3, 12)


def readable(annotation: Any) -> Any:
    """Return the same type with each standard `TypedDict` in it, unless it refers to itself, as one pydantic reads.

    Raises:
        UnfitTypeError: If one of them has an annotation that cannot be read.
    """
    return _readable(annotation, ()) if _MADE_ANEW else annotation


def _readable(annotation: Any, around: tuple[Any, ...]) -> Any:
    if is_typeddict(annotation) and type(annotation).__module__ == "typing":
        return annotation if annotation in around else _anew(annotation, (*around, annotation))
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


def _anew(standard: Any, around: tuple[Any, ...]) -> Any:
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
    except Exception as error:  # an annotation in quotes is foreign code, and may raise anything
        raise UnfitTypeError(f"an annotation of '{standard.__name__}' cannot be read: {error}") from error


def _presence(standard: Any, name: str, annotation: Any) -> Any:
    if get_origin(annotation) in (Required, NotRequired):
        return annotation
    return Required[annotation] if name in standard.__required_keys__ else NotRequired[annotation]
