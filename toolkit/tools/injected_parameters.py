"""Finds the parameters that receive values from the context instead of the model, and markers without effect."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import InitVar, is_dataclass
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NewType,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from toolkit.errors import ConfigurationError
from toolkit.tools.context import MemoryId, ToolContext

Injection = Literal["context", "memory_id", "memory_id_or_none"]

_QUALIFIERS = (Required, NotRequired, Final, ClassVar)
_PLAIN = frozenset({str, int, float, bool, NoneType})
"""The most common types, which contain no markers."""


def injection_of(annotation: Any) -> Injection | None:
    """Return what a parameter receives from the context, or `None` if it receives nothing from it."""
    kinds = set(_kinds(annotation, is_marked=False))
    if kinds <= {"context", None} and "context" in kinds:
        return "context"
    if kinds == {"memory_id", None}:
        return "memory_id_or_none"
    return "memory_id" if kinds == {"memory_id"} else None


def misplaced_injection(what: str, annotation: Any) -> tuple[str, str] | None:
    """Return why a marker in a type has no effect, and how to fix it, or `None` if there is no marker.

    A marker has no effect inside something that a model writes: in a list, in a field, or in a union with other types.

    Args:
        what: What has the type, for the message: `parameter 'owner'`.
        annotation: The type.
    """
    if type(annotation) is type and annotation in _PLAIN:
        return None
    for part in _parts(annotation, {}):
        if _is_memory_mark(part):
            return (
                f"{what} has MemoryId inside a type that the model fills",
                "use a separate parameter, Annotated[str, MemoryId], or read context.memory_id",
            )
        if isinstance(part, type) and issubclass(part, ToolContext):
            return (
                f"{what} has ToolContext inside a type that the model fills",
                "use a separate parameter: context: ToolContext",
            )
    return None


def injected_values(tool: str, injections: Mapping[str, Injection], context: ToolContext) -> dict[str, Any]:
    """Return the values from the context for a function, by parameter.

    Raises:
        ConfigurationError: If a memory id is required and the context has none.
    """
    if context.memory_id is None and "memory_id" in injections.values():
        message = f"tool {tool!r} needs a memory id, but the context has none"
        raise ConfigurationError(f"{message}; write ToolContext(memory_id=…), or --memory-id on the command line")
    return {name: context if kind == "context" else context.memory_id for name, kind in injections.items()}


def _kinds(annotation: Any, *, is_marked: bool) -> Iterator[str | None]:
    """Yield what fills each member of a union: "context", "memory_id", None for `None`, or "call"."""
    annotation, marks = _resolve(annotation)
    is_marked = is_marked or any(map(_is_memory_mark, marks))
    if get_origin(annotation) in (Union, UnionType):
        for member in get_args(annotation):
            yield from _kinds(member, is_marked=is_marked)
    elif annotation in (None, NoneType):
        yield None
    elif is_marked:
        yield "memory_id"
    else:
        yield "context" if annotation is ToolContext else "call"


def _resolve(annotation: Any) -> tuple[Any, list[Any]]:
    """Return a type with `Annotated`, aliases, qualifiers and `NewType` resolved, and the collected metadata."""
    marks: list[Any] = []
    while True:
        if hasattr(annotation, "__metadata__"):
            marks += annotation.__metadata__
            annotation = annotation.__origin__
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif get_origin(annotation) in _QUALIFIERS:
            annotation = get_args(annotation)[0]
        elif (value := _alias_value(annotation)) is not None:
            annotation = value
        else:
            return annotation, marks


def _alias_value(annotation: Any) -> Any:
    """Return the value of a type alias (`type Owner = …`), or `None` if this is no alias or cannot be evaluated."""
    alias = get_origin(annotation) or annotation
    if type(alias).__name__ != "TypeAliasType":
        return None
    try:
        return alias.__value__
    except Exception:  # noqa: BLE001 - the value of an alias is the user's code, evaluated here
        return None


def _is_memory_mark(extra: Any) -> bool:
    return isinstance(extra, MemoryId) or (isinstance(extra, type) and issubclass(extra, MemoryId))


def _parts(annotation: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield an annotation, all its parts and their metadata."""
    if id(annotation) in seen:
        return
    seen[id(annotation)] = annotation  # keep a reference, so that the id is not reused
    yield annotation
    for part in _directly_in(annotation):
        yield from _parts(part, seen)


def _directly_in(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        return
    yield from getattr(annotation, "__metadata__", ())
    yield from get_args(annotation)
    yield get_origin(annotation)
    yield _alias_value(annotation)
    match annotation:
        case NewType():
            yield annotation.__supertype__
        case TypeVar():
            yield from (annotation.__bound__, *annotation.__constraints__, getattr(annotation, "__default__", None))
        case InitVar():
            yield annotation.type
        case list():  # the parameters of a callable
            yield from annotation
        case type():
            yield from _fields_of(annotation)


def _fields_of(cls: type) -> Iterator[Any]:
    """Yield the type and the metadata of each field of a class."""
    if hasattr(cls, "__pydantic_fields__"):
        yield from _pydantic_fields_of(cls)
    elif is_dataclass(cls) or hasattr(cls, "__total__") or hasattr(cls, "_fields"):  # __total__: any typed dict
        yield from (hint for hint in _hints(cls).values() if get_origin(hint) is not ClassVar)
        yield getattr(cls, "__extra_items__", None)


def _pydantic_fields_of(cls: Any) -> Iterator[Any]:
    if not getattr(cls, "__pydantic_fields_complete__", True):
        with suppress(Exception):  # undefined names are reported when the schema is built
            cls.model_rebuild(raise_errors=False)
    for field in cls.__pydantic_fields__.values():
        yield from (field.annotation, *field.metadata)
    yield _hints(cls).get("__pydantic_extra__")


def _hints(cls: type) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # noqa: BLE001 - annotations are the user's code; pydantic reports those that it cannot evaluate
        return {}
