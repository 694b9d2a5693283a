"""Shape values: a shape is what a value must look like, once as a validator and once as a JSON Schema."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator


class UnfitTypeError(Exception):
    """A type that no argument can have: it cannot be validated, or not be described to a model."""


class Shape:
    """What a value must look like: `schema` is for a model, and the validator, made when first used, checks it."""

    def __init__(self, schema: dict[str, Any], core: Callable[[], Any]) -> None:
        """Keep the JSON Schema, and the way to the schema for pydantic-core."""
        self.schema = schema
        self._core = core

    @cached_property
    def _validator(self) -> "SchemaValidator":
        from pydantic_core import SchemaValidator

        from toolkit.tools.shapes.leniency import with_our_rules  # noqa: PLC0415 - as pydantic is

        schema = with_our_rules(self._core())
        try:  # a model's own ready validator would bring pydantic's rules back
            return SchemaValidator(schema, None, _use_prebuilt=False)
        except TypeError:  # pydantic 2.12 and older cannot be asked for that
            return SchemaValidator(schema, None)

    @cached_property
    def keeps_digits(self) -> bool:
        """Whether something in it wants more of a number than a float has: its digits, or how it was written."""
        return keeps_digits(self._core())

    @cached_property
    def validate_text(self) -> Callable[[str], Any]:
        """Reads JSON text and returns the value, or raises pydantic's ValidationError."""
        return self._validator.validate_json

    @cached_property
    def validate_data(self) -> Callable[[Any], Any]:
        """Reads plain data and returns the value, or raises pydantic's ValidationError."""
        return self._validator.validate_python


def keeps_digits(core: Any) -> bool:
    """Return whether there is a decimal, or text that a number may stand for, in a schema for pydantic-core."""
    if isinstance(core, list | tuple):
        return any(keeps_digits(part) for part in core)
    if not isinstance(core, dict):
        return False
    if core.get("type") in ("decimal", "str"):
        return True
    return any(keeps_digits(part) for key, part in core.items() if key not in _WITHOUT_NUMBERS)


_WITHOUT_NUMBERS = {"keys_schema", "metadata", "serialization", "default", "cls", "config"}
