"""Converts arguments to plain data for reviewers, rules and records."""

from collections.abc import Mapping
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.tools.exact_numbers import dumps


def plain_data(parsed: Any) -> dict[str, Any]:
    """Convert parsed arguments to plain JSON data; objects that JSON cannot represent become the name of their type.

    Values of secret types stay masked.

    Raises:
        ToolArgumentsError: If the arguments are nested too deeply, or contain themselves.
    """
    from pydantic_core import from_json, to_json

    try:
        text = to_json(
            parsed, fallback=lambda value: f"<{type(value).__name__}>", inf_nan_mode="strings", bytes_mode="base64"
        )  # fmt: skip
        data: dict[str, Any] = from_json(text)
    except (ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The arguments cannot be shown: {error}") from error
    return data


def is_type_alone(text: str) -> bool:
    """Return whether a text is a type name that `plain_data` has written for an object without a JSON form."""
    return text.startswith("<") and text.endswith(">") and text[1:-1].isidentifier()


def freeze_as_json(arguments: str | Mapping[str, Any]) -> str:
    """Return arguments as JSON text, so that they can no longer change; the text contains secrets.

    Raises:
        ToolArgumentsError: If the arguments cannot be serialized as JSON.
    """
    if isinstance(arguments, str):
        return arguments
    try:
        return dumps(dict(arguments), default=_as_json)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The arguments cannot be written as JSON: {error}") from error


def _as_json(value: Any) -> Any:
    from pydantic_core import to_jsonable_python

    if hasattr(value, "get_secret_value"):
        return value.get_secret_value()
    return dict(value) if isinstance(value, Mapping) else to_jsonable_python(value, bytes_mode="base64")
