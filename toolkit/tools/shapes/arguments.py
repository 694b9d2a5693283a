"""Arguments: from what a caller sent to what the work wants."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolkit.tools.exact_numbers import digits_to_lose, loads

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


def read_arguments(shape: "Shape", arguments: str | Mapping[str, Any], optional: frozenset[str]) -> Any:
    """Return arguments in their shape.

    Args:
        shape: What they must look like.
        arguments: JSON text of an object, or a mapping; blank text means no arguments.
        optional: The members that may be left out; null stands for nothing there, where it is not allowed itself.

    Raises:
        ToolArgumentsError: Naming every member that is missing or wrong.
    """
    try:
        if not isinstance(arguments, str):
            return shape.validate_data(arguments)
        if "." in arguments and shape.keeps_digits and digits_to_lose(arguments):
            with suppress(ValueError):  # what is wrong is reported for the text itself
                return shape.validate_data(loads(arguments))
        return shape.validate_text(arguments)
    except ValueError as error:  # pydantic's ValidationError is one; only what is wrong pays for its import
        from toolkit.tools.shapes.objections import read_again  # noqa: PLC0415

        return read_again(shape, arguments, optional, error)
