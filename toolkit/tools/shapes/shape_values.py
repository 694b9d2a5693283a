"""A shape is a JSON Schema with the validator for it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.tools.calls.json_data import digits_to_lose, loads

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator


class UnfitTypeError(Exception):
    """A type is not supported for arguments: pydantic cannot validate it, or cannot describe it as a JSON Schema."""


class Shape:
    """Describes what a value must look like: `schema` is for a model, and the validator is built on first use."""

    def __init__(self, schema: dict[str, Any], core: Callable[[], Any]) -> None:
        """Create a shape.

        Args:
            schema: The JSON Schema.
            core: Returns the matching pydantic-core schema.
        """
        self.schema = schema
        self._core = core

    def read(self, arguments: str | Mapping[str, Any], *, drops_nulls: bool = True) -> Any:
        """Parse and validate arguments.

        Args:
            arguments: A mapping, or a JSON object as a string; a blank string means no arguments.
            drops_nulls: Whether null counts as omitted for the optional members whose schema does not allow null.

        Raises:
            ToolArgumentsError: If the arguments are not valid; the message lists every missing or wrong member.
        """
        try:
            if not isinstance(arguments, str):
                return self.validate_data(arguments)
            if "." in arguments and self.keeps_digits and digits_to_lose(arguments):
                with suppress(ValueError):  # validating the text below reports what is wrong
                    return self.validate_data(loads(arguments))
            return self.validate_text(arguments)
        except ValueError as error:  # base class of pydantic's ValidationError, which takes time to import
            from toolkit.tools.shapes.objections import validate_again

            return validate_again(self, arguments, error, drops_nulls=drops_nulls)

    @cached_property
    def optional(self) -> frozenset[str]:
        """The names of the members that are not required."""
        return frozenset(self.schema.get("properties", ())) - frozenset(self.schema.get("required", ()))

    @cached_property
    def _validator(self) -> "SchemaValidator":
        from pydantic_core import SchemaValidator

        from toolkit.tools.shapes.leniency import with_our_rules  # needed only with pydantic

        schema = with_our_rules(self._core())
        try:  # the prebuilt validator of a model would use pydantic's own rules
            return SchemaValidator(schema, None, _use_prebuilt=False)
        except TypeError:  # pydantic 2.12 and older do not have this option
            return SchemaValidator(schema, None)

    @cached_property
    def keeps_digits(self) -> bool:
        """Whether a part of the value needs all digits of a number, which a float would lose."""
        return keeps_digits(self._core())

    @cached_property
    def validate_text(self) -> Callable[[str], Any]:
        """A function that parses and validates JSON text; it raises pydantic's `ValidationError`."""
        return self._validator.validate_json

    @cached_property
    def validate_data(self) -> Callable[[Any], Any]:
        """A function that validates plain data; it raises pydantic's `ValidationError`."""
        return self._validator.validate_python


def keeps_digits(core: Any) -> bool:
    """Return whether a pydantic-core schema contains a decimal, or a string, for which a number may be sent."""
    if isinstance(core, list | tuple):
        return any(keeps_digits(part) for part in core)
    if not isinstance(core, dict):
        return False
    if core.get("type") in ("decimal", "str"):
        return True
    return any(keeps_digits(part) for key, part in core.items() if key not in _WITHOUT_NUMBERS)


_WITHOUT_NUMBERS = {"keys_schema", "metadata", "serialization", "default", "cls", "config"}
