"""The short way for plain types gives what the long way through pydantic gives, in schema and in judgement."""

from typing import Annotated, Any, Literal, Optional

from hypothesis import given, strategies as st
from pydantic_core import ValidationError, to_json

from toolkit.tools.definition.function_readings import form_of, object_of  # private
from toolkit.tools.definition.pydantic_types import shape_of_members  # private
from toolkit.tools.definition.signatures import MISSING, Parameter  # private
from toolkit.tools.shapes.shape_values import Shape  # private

_choices = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=3, unique=True)

annotations: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([str, int, float, bool, Any, list, dict]) | _choices.map(lambda names: Literal[tuple(names)]),
    lambda inner: st.one_of(
        inner.map(lambda item: list[item]),  # type: ignore[valid-type]
        inner.map(lambda item: dict[str, item]),  # type: ignore[valid-type]
        inner.filter(lambda item: item is not Any).map(lambda item: Optional[item]),  # noqa: UP045 - some types know no `|`
        inner.map(lambda item: Annotated[item, "what it is"]),
    ),
    max_leaves=3,
)

values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["5", " 5 ", "5.0", "5.5", "1e3", "true", "a", "b", ""])
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=3),
    max_leaves=4,
)


def plain_shape(parameter: Parameter) -> Shape | None:
    form = form_of(parameter.annotation)
    required = [parameter.name] if parameter.required else []
    return Shape(*object_of({parameter.name: form}, required)) if form else None


def judgement(shape: Shape, data: Any) -> Any:
    try:
        from_data: Any = repr(shape.validate_data(data))
    except ValidationError as error:
        from_data = sorted(detail["type"] for detail in error.errors())
    try:
        return from_data, repr(shape.validate_text(to_json(data).decode()))
    except ValidationError as error:
        return from_data, sorted(detail["type"] for detail in error.errors())


@given(annotations, st.booleans(), st.lists(values, min_size=1, max_size=8))
def test_plain_types_are_described_and_judged_as_pydantic_does(
    annotation: Any, required: bool, candidates: list[Any]
) -> None:
    parameter = Parameter("it", annotation, None, MISSING if required else None, typed=True)
    short = plain_shape(parameter)
    if short is None:
        return
    long = shape_of_members("call", [parameter])
    long.schema["properties"]["it"].pop("description", None)  # what a text beside the type says is added to both
    assert short.schema == long.schema
    for data in [{}, *({"it": value} for value in candidates)]:
        assert judgement(short, data) == judgement(long, data)


def test_what_is_not_plain_is_left_to_pydantic() -> None:
    for annotation in (int | str, tuple[int, ...], set[str], Literal[1, "a"], dict[int, str], bytes, Annotated[int, 5]):
        assert form_of(annotation) is None, annotation
