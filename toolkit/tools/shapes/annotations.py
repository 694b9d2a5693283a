"""Converts Python types to shapes.

Plain types are converted without pydantic, which halves the start-up time of a program; all others go through pydantic.
The results are the same.
"""

from collections.abc import Sequence
from math import isfinite
from types import NoneType
from typing import Any

from toolkit.tools.results import ToolResult
from toolkit.tools.shapes.plain_types import form_of, object_of
from toolkit.tools.shapes.shape_values import Shape, UnfitTypeError
from toolkit.tools.signatures import MISSING, Parameter

_PLAIN = (str, int, bool, NoneType)


def shape_of_parameters(name: str, parameters: Sequence[Parameter]) -> Shape:
    """Return the shape of a call's arguments: an object with a member for each parameter.

    Raises:
        UnfitTypeError: If the type of a parameter is not supported.
    """
    forms = {parameter.name: form_of(parameter.annotation) for parameter in parameters}
    if None in forms.values():
        return _shape_by_pydantic(name, parameters)
    required = [parameter.name for parameter in parameters if parameter.required]
    shape = Shape(*object_of(forms, required))  # type: ignore[arg-type]  # no form is None here
    _explain_all(shape, parameters)
    return shape


def _shape_by_pydantic(name: str, parameters: Sequence[Parameter]) -> Shape:
    from toolkit.tools.shapes.pydantic_types import describe_enum_names, shape_of_members  # noqa: PLC0415 - slow import

    shape = shape_of_members(name, parameters)
    _explain_all(shape, parameters)
    describe_enum_names(shape.schema)
    return shape


def shape_of_type(annotation: Any) -> Shape:
    """Return the shape of any type.

    Raises:
        UnfitTypeError: If the type is not supported for arguments.
    """
    from toolkit.tools.shapes.pydantic_types import shape_of_annotation  # noqa: PLC0415 - slow import

    return shape_of_annotation(annotation)


def output_schema(annotation: Any) -> dict[str, Any] | None:
    """Return the JSON Schema of what a function returns, or `None` if its annotation does not describe it."""
    if annotation in (MISSING, None, type(None), Any, ToolResult):
        return None
    form = form_of(annotation)
    if form is not None:
        return form.schema
    from toolkit.tools.attachments import holds_attachments  # noqa: PLC0415 - plain types do not need it

    if holds_attachments(annotation):
        return None
    from toolkit.tools.shapes.pydantic_types import serialized_schema  # noqa: PLC0415 - slow import

    try:
        return serialized_schema(annotation)
    except UnfitTypeError:
        return None


def _explain_all(shape: Shape, parameters: Sequence[Parameter]) -> None:
    for parameter in parameters:
        _explain(shape.schema["properties"].get(parameter.sent_as, {}), parameter)


def _explain(schema: dict[str, Any], parameter: Parameter) -> None:
    """Add the description and the default of a parameter to its schema."""
    if parameter.description:
        schema["description"] = parameter.description
    if parameter.default is MISSING:
        return
    if type(parameter.default) in _PLAIN or (type(parameter.default) is float and isfinite(parameter.default)):
        schema["default"] = parameter.default
        return
    from toolkit.tools.shapes.pydantic_types import plain_default  # noqa: PLC0415 - most defaults are plain

    plain_default(schema, parameter.default)
