"""Option values: a command that takes what was typed as one value, whose fields declare its options."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_origin


def spread(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command as Typer reads it: with a parameter for each field of its one value that declares an option.

    A field declares one by its type, `Annotated[…, typer.Option(…)]`; other fields keep their defaults. A command that
    takes its options one by one stays as it is.
    """
    only, *others = signature(command).parameters.values()
    fields: Any = only.annotation
    if others or not hasattr(fields, "_fields"):
        return command

    @wraps(command)
    def spread_out(**typed: Any) -> int:
        return command(fields(**typed))

    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=_default_of(fields, name), annotation=kind)
        for name, kind in fields.__annotations__.items()
        if get_origin(kind) is Annotated
    ]
    spread_out.__signature__ = Signature(options)  # type: ignore[attr-defined]  # what `inspect` asks for first
    spread_out.__annotations__ = {option.name: option.annotation for option in options}
    return spread_out


def _default_of(fields: Any, name: str) -> Any:
    return fields._field_defaults.get(name, Parameter.empty)
