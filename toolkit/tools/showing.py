"""Showing: arguments as plain data, as a reviewer, a rule and a record see them."""

from typing import Any

from toolkit.errors import ToolArgumentsError


def plain_data(parsed: Any) -> dict[str, Any]:
    """Return parsed arguments as plain JSON data; secrets stay hidden, and what has no form in JSON is named by type.

    Raises:
        ToolArgumentsError: If they are nested too deeply, or contain themselves.
    """
    from pydantic_core import to_jsonable_python

    try:
        data: dict[str, Any] = to_jsonable_python(
            parsed, fallback=lambda value: f"<{type(value).__name__}>", inf_nan_mode="strings", bytes_mode="base64"
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The arguments cannot be shown: {error}") from error
    return data
