"""Parses and validates the arguments of a call."""

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolkit.tools.json_data import digits_to_lose, loads

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


def read_arguments(shape: "Shape", arguments: str | Mapping[str, Any], *, drops_nulls: bool = True) -> Any:
    """Validate arguments against a shape.

    Args:
        shape: The shape of valid arguments.
        arguments: A mapping, or a JSON object as a string; a blank string means no arguments.
        drops_nulls: Whether null counts as omitted for the optional members whose schema does not allow null.

    Raises:
        ToolArgumentsError: If the arguments are not valid; the message lists every missing or wrong member.
    """
    try:
        if not isinstance(arguments, str):
            return shape.validate_data(arguments)
        if "." in arguments and shape.keeps_digits and digits_to_lose(arguments):
            with suppress(ValueError):  # validating the text below reports what is wrong
                return shape.validate_data(loads(arguments))
        return shape.validate_text(arguments)
    except ValueError as error:  # base class of pydantic's ValidationError, which takes time to import
        from toolkit.tools.shapes.objections import validate_again

        return validate_again(shape, arguments, error, drops_nulls=drops_nulls)
