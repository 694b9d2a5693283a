"""The patterns of a stranger's schema are measured before anybody compiles them."""

import pytest
from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolkit.schemas.faults import MOST_WORK, pattern_fault, work_of  # private
from toolkit.tools.shapes.schema_shapes import shape_of_schema  # private

HUGE = [
    r"\w{9999}",
    "(a{999}){999}",
    r"((\p{L}{9}){9}){99}",
    "(" * 50 + "a" + "{9}){9}" * 25 + ")" * 25,
]
COMMON = [
    r"^\d{4}-\d{2}-\d{2}$",
    r"^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$",
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}\.[A-Za-z]{2,24}$",
    r"^(?:[A-Za-z0-9+/]{4}){0,256}$",
    r"^#(?:[0-9a-fA-F]{3}){1,2}$",
    "^a{10000}$",
]


@pytest.mark.parametrize("pattern", HUGE)
def test_pattern_that_takes_long_to_compile_is_refused_with_the_reason(pattern):
    schema = {"type": "object", "properties": {"text": {"anyOf": [{"type": "string", "pattern": pattern}]}}}
    with pytest.raises(ValueError, match="its patterns are too large to be checked, such as"):
        shape_of_schema(schema, foreign=True)


def test_many_patterns_count_together():
    one = r"\w{99}"
    assert pattern_fault({"properties": {"one": {"pattern": one}}}) is None
    many = {f"p{index}": {"pattern": f"{one}{index}"} for index in range(1 + MOST_WORK // work_of(one))}
    assert pattern_fault({"properties": many}) == "its patterns are too large to be checked, such as '\\\\w{99}10'"


@pytest.mark.parametrize("pattern", COMMON)
def test_common_pattern_is_checked(pattern):
    assert pattern_fault({"properties": {"text": {"pattern": pattern}}}) is None


@pytest.mark.parametrize("pattern", [r"\w{9999}", r"(\w{30}){30}"])
def test_what_is_refused_could_not_be_compiled(pattern):
    with pytest.raises(SchemaError, match="size limit"):
        SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
