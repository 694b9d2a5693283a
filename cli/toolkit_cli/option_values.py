"""Option values: a command that takes what was typed as one value, whose fields declare its options."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_origin


def spread(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command as Typer reads it: with a parameter for each field of its one value that declares an option.

    A field declares one by its type, `Annotated[…, typer.Option(…)]`, or several that commands share, as another value
    of this kind; other fields keep their defaults. A command that takes its options one by one stays as it is.
    """
    only, *others = signature(command).parameters.values()
    fields: Any = only.annotation
    if others or not _is_value(fields):
        return command

    @wraps(command)
    def spread_out(**typed: Any) -> int:
        return command(_make(fields, typed))

    options = [*_options_in(fields)]
    spread_out.__signature__ = Signature(options)  # type: ignore[attr-defined]  # what `inspect` asks for first
    spread_out.__annotations__ = {option.name: option.annotation for option in options}
    return spread_out


def _is_value(kind: Any) -> bool:
    return hasattr(kind, "_fields")


def _options_in(fields: Any) -> Iterator[Parameter]:
    for name, kind in fields.__annotations__.items():
        if _is_value(kind):
            yield from _options_in(kind)
        elif get_origin(kind) is Annotated:
            default = fields._field_defaults.get(name, Parameter.empty)
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _make(fields: Any, typed: Mapping[str, Any]) -> Any:
    """Return the value of what was typed, with the values inside it."""
    inner = {name: _make(kind, typed) for name, kind in fields.__annotations__.items() if _is_value(kind)}
    return fields(**inner, **{name: typed[name] for name in fields._fields if name in typed})
