"""Reads the signature of a function: annotations, defaults, docstring, and the parameters that the context fills."""

import collections.abc
import inspect
import io
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import InitVar, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from toolkit.codes import UNFIT_PARAMETER, UNREADABLE_ANNOTATION
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.context import MemoryId, ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.docstrings import read_docstring
from toolkit.tools.secret_arguments import Veil

Injection = Literal["context", "memory_id", "memory_id_or_none"]

_QUALIFIERS = (Required, NotRequired, Final, ClassVar)
_PLAIN = frozenset({str, int, float, bool})
"""The most common types, which contain no markers, and which every model can send."""


def injection_of(annotation: Any) -> Injection | None:
    """Return what a parameter receives from the context, or `None` if it receives nothing from it."""
    if _is_plain(annotation):
        return None
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
    if _is_plain(annotation):
        return None
    for part in _nested_parts(annotation, {}):
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


def _is_plain(annotation: Any) -> bool:
    return type(annotation) is type and annotation in _PLAIN


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


def _nested_parts(annotation: Any, seen: dict[int, Any]) -> Iterator[Any]:
    """Yield an annotation, all its parts and their metadata."""
    if id(annotation) in seen:
        return
    seen[id(annotation)] = annotation  # keep a reference, so that the id is not reused
    yield annotation
    for part in _directly_in(annotation):
        yield from _nested_parts(part, seen)


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


def variadic_objection(names: Sequence[str]) -> tuple[str, str]:
    """Return the message and the hint about `*args` and `**kwargs`."""
    hint = "name each parameter, or take one 'list' or 'dict'"
    if len(names) == 1:
        return f"parameter '{names[0]}' has no fixed form, so a model cannot fill it", hint
    return f"parameters {' and '.join(map(repr, names))} have no fixed form, so a model cannot fill them", hint


def unfit_objection(name: str, what: str) -> tuple[str, str]:
    """Return the message and the hint about a parameter of an unsupported kind, such as `a callable`."""
    return f"parameter {name!r} is {what}, which no model can send", "take plain data instead"


MISSING: Any = inspect.Parameter.empty


class Parameter(NamedTuple):
    """A parameter that is filled by the arguments of a call.

    Attributes:
        name: The name in the function.
        annotation: The type with its constraints; `Any` without an annotation.
        description: The description, if there is one.
        default: The default value, or `MISSING`.
        typed: Whether the parameter has an annotation.
        alias: The name in calls, if a pydantic `Field` sets one.
        is_made: Whether a factory creates the default for each call.
    """

    name: str
    annotation: Any
    description: str | None
    default: Any
    typed: bool
    alias: str | None = None
    is_made: bool = False

    @property
    def sent_as(self) -> str:
        """The name in the schema and in calls."""
        return self.alias or self.name

    @property
    def required(self) -> bool:
        """Whether the parameter is required."""
        return self.default is MISSING


class Signature(NamedTuple):
    """The signature of a function.

    Attributes:
        parameters: The parameters that are filled by arguments, in order.
        injected: The parameters that are filled by the context, by name.
        positional: The names of positional-only parameters, in order.
        explicit_defaults: Functions that return the defaults which must be passed explicitly: those in a pydantic
            `Field`, and those of positional-only parameters.
        returns: The return annotation, or `MISSING`.
        description: The description in the docstring.
        is_async: Whether the function is a coroutine function.
        misplaced: A problem for each injection marker without effect, since it is inside another type.
    """

    parameters: tuple[Parameter, ...]
    injected: Mapping[str, Injection]
    positional: tuple[str, ...]
    explicit_defaults: Mapping[str, Callable[[], Any]]
    returns: Any
    description: str
    is_async: bool
    misplaced: tuple[Problem, ...] = ()


def read_signature(function: Callable[..., Any]) -> tuple[Signature, list[Problem]]:
    """Read the signature of a function; parameters that a tool cannot have are omitted and reported as problems."""
    problems: list[Problem] = []
    hints = _resolved_hints(function, problems)
    docstring = read_docstring(_docstring(function))
    parameters: list[Parameter] = []
    injected: dict[str, Injection] = {}
    positional: list[str] = []
    defaults: dict[str, Callable[[], Any]] = {}
    misplaced: list[Problem] = []
    raws = inspect.signature(function).parameters.values()
    variadic = {raw.name: f"{stars}{raw.name}" for raw in raws if (stars := _VARIADIC.get(raw.kind))}
    for raw in raws:
        annotation = hints.get(raw.name, MISSING)
        if raw.kind is raw.POSITIONAL_ONLY:
            positional.append(raw.name)
        injection = injection_of(annotation)
        if injection is not None and raw.kind not in _VARIADIC:
            injected[raw.name] = injection
            continue
        if found := misplaced_injection(f"parameter {raw.name!r}", annotation):
            misplaced.append(_unfit(function, raw.name, found))
            continue
        if raw.name in variadic:
            if raw.name == next(iter(variadic)):
                problems.append(_unfit(function, raw.name, variadic_objection([*variadic.values()])))
            continue
        if objection := _objection(raw, annotation):
            problems.append(_unfit(function, raw.name, objection))
            continue
        parameter, get_default = _parameter(raw, annotation, docstring.parameters.get(raw.name))
        if get_default is not None:
            defaults[raw.name] = get_default
        parameters.append(parameter)
    is_async = inspect.iscoroutinefunction(_callee(function))
    returns = hints.get("return", MISSING)
    signature = Signature(
        parameters=tuple(parameters),
        injected=injected,
        positional=tuple(positional),
        explicit_defaults=defaults,
        returns=returns,
        description=docstring.description,
        is_async=is_async,
        misplaced=tuple(misplaced),
    )
    return signature, [*problems, *misplaced]


def _unfit(function: Callable[..., Any], parameter: str, objection: tuple[str, str]) -> Problem:
    message, hint = objection
    return Problem(UNFIT_PARAMETER, message, place_of(function, parameter), hint=hint)


def _callee(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that runs in a call: inside partials, or the `__call__` of an object."""
    while isinstance(function, partial):
        function = function.func
    if inspect.isroutine(function):
        return function
    return type(function).__call__


def _docstring(function: Callable[..., Any]) -> str | None:
    return inspect.getdoc(function if inspect.isroutine(function) else _callee(function))


def _resolved_hints(function: Callable[..., Any], problems: list[Problem]) -> dict[str, Any]:
    callee = inspect.unwrap(_callee(function))
    own = getattr(callee, "__globals__", {})
    ours = {"ToolContext": ToolContext, "MemoryId": MemoryId}  # these may be imported only for type checkers
    known = {name: value for name, value in ours.items() if name not in own}
    try:
        return get_type_hints(callee, localns=known, include_extras=True)
    except Exception:  # noqa: BLE001 - annotations are the user's code
        return _hints_one_by_one(callee, known, problems)


def _hints_one_by_one(
    function: Callable[..., Any], known: Mapping[str, Any], problems: list[Problem]
) -> dict[str, Any]:  # fmt: skip
    hints: dict[str, Any] = {}
    for name, annotation in inspect.get_annotations(function).items():
        holder = type("Holder", (), {"__annotations__": {name: annotation}})
        names = {**getattr(function, "__globals__", {}), **known}
        try:
            hints |= get_type_hints(holder, globalns=names, localns=names, include_extras=True)
        except Exception as error:  # noqa: BLE001 - annotations are the user's code
            what = "the return value" if name == "return" else f"parameter {name!r}"
            message = f"the annotation of {what} cannot be read: {error}"
            hint = "import or define the name where the annotation can see it, outside 'if TYPE_CHECKING:'"
            problems.append(Problem(UNREADABLE_ANNOTATION, message, place_of(function, name), hint=hint))
            hints[name] = Any
    return hints


def _parameter(
    raw: inspect.Parameter, annotation: Any, documented: str | None
) -> tuple[Parameter, Callable[[], Any] | None]:
    """Return a parameter, and a function that returns its default if that must be passed explicitly."""
    default, get_default = raw.default, None
    typed = annotation is not MISSING
    annotation = annotation if typed else Any
    if _is_field(default):  # `limit: int = Field(10, ge=1)`
        annotation, default = Annotated[annotation, default], MISSING
    extras = getattr(annotation, "__metadata__", ())
    fields = [extra for extra in reversed(extras) if _is_field(extra)]
    giving = next((field for field in fields if not field.is_required()), None)
    if default is MISSING and giving is not None:
        get_default = partial(giving.get_default, call_default_factory=True)
        default = get_default()
    elif default is not MISSING and raw.kind is raw.POSITIONAL_ONLY:
        get_default = partial(_itself, default)
    described = [field.description for field in fields if field.description]
    alias = next((name for field in fields if isinstance(name := field.validation_alias or field.alias, str)), None)
    description = next(iter([*described, *texts_of(annotation)]), documented)
    is_made = get_default is not None and giving is not None and giving.default_factory is not None
    return Parameter(
        raw.name, annotation, description=description, default=default, typed=typed, alias=alias, is_made=is_made
    ), get_default


def texts_of(annotation: Any) -> list[str]:
    """Return the texts in `Annotated[T, "text"]`, which may be a part of `Annotated[T, "text"] | None`."""
    texts = [extra for extra in getattr(annotation, "__metadata__", ()) if isinstance(extra, str) and extra.strip()]
    if texts or get_origin(annotation) not in (Union, UnionType):
        return texts
    members = [part for part in get_args(annotation) if part is not NoneType]
    return texts_of(members[0]) if len(members) == 1 else []


def _itself(value: Any) -> Any:
    return value


def _is_field(value: object) -> bool:
    """Return whether a value is a pydantic `Field(…)`, which is impossible if pydantic was never imported."""
    fields = sys.modules.get("pydantic.fields")
    return fields is not None and isinstance(value, fields.FieldInfo)


_VARIADIC: Mapping[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
_FUTURES = (collections.abc.Awaitable, collections.abc.Coroutine)
_STREAMS = (
    collections.abc.Iterable,  # pydantic would validate its items only while the tool is running
    collections.abc.Iterator,
    collections.abc.Generator,
    collections.abc.AsyncIterator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncGenerator,
    typing.IO,
    typing.TextIO,
    typing.BinaryIO,
)


def _objection(raw: inspect.Parameter, annotation: Any) -> tuple[str, str] | None:
    """Return why a tool cannot have this parameter, and how to fix it, or `None` if it can."""
    if _is_plain(annotation):
        return None
    for part in _parts(annotation):
        kind = _unfit_kind(part)
        if kind:
            return unfit_objection(raw.name, kind)
    return None


def _parts(annotation: Any) -> list[Any]:
    """Return an annotation and all its parts, except those of a callable."""
    if get_origin(annotation) is collections.abc.Callable:
        return [annotation]
    return [annotation, *(part for argument in get_args(annotation) for part in _parts(argument))]


def _unfit_kind(annotation: Any) -> str | None:
    origin = get_origin(annotation) or annotation
    if origin is collections.abc.Callable or annotation is typing.Callable:
        return "a callable"
    if not isinstance(origin, type):
        return None
    if origin in _FUTURES or any(base.__name__ == "Future" for base in origin.__mro__):  # without importing asyncio
        return "a future"
    return "a stream" if origin in _STREAMS or issubclass(origin, io.IOBase) else None


def defaults_left(signature: Signature, given: Mapping[str, Any], veil: Veil) -> dict[str, Any]:
    """Return the defaults of the parameters that are not given, as plain data with secrets masked."""
    left = [one for one in signature.parameters if not one.required and one.name not in given]
    data = plain_data({one.sent_as: FROM_FACTORY if one.is_made else one.default for one in left})
    return veil.over(data)


FROM_FACTORY = "<created for each call>"
"""Shown for a default that comes from a factory, since it is unknown before the call."""
