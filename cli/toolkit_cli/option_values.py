"""Lets a command take its options as one value, whose fields declare them."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_origin


def spread(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with a parameter for each option, as Typer needs it.

    A field declares an option by its type, `Annotated[…, typer.Option(…)]`. A field can also hold another such value
    with options that several commands share. Other fields keep their defaults. A command whose parameters are options
    already is returned unchanged.
    """
    only, *others = signature(command).parameters.values()
    fields: Any = only.annotation
    if others or not _is_value(fields):
        return command

    @wraps(command)
    def spread_out(**typed: Any) -> int:
        return command(_make(fields, typed))

    options = [*_options_in(fields)]
    spread_out.__signature__ = Signature(options)  # type: ignore[attr-defined]  # `inspect` looks here first
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
    """Build the value from the parsed options, with its nested values."""
    inner = {name: _make(kind, typed) for name, kind in fields.__annotations__.items() if _is_value(kind)}
    return fields(**inner, **{name: typed[name] for name in fields._fields if name in typed})
