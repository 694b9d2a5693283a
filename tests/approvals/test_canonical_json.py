"""The text of a record is the same for whoever writes it, and whoever reads it and writes it again."""

import json
from types import MappingProxyType

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.approvals.audit_log import canonical_json  # private

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates()
NAMES = st.text() | st.integers() | st.floats() | st.booleans() | st.none()
DATA = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(NAMES, inner)
        | st.dictionaries(st.text(), inner).map(MappingProxyType)
    ),
    max_leaves=10,
)


@settings(deadline=None, max_examples=examples(5_000))
@given(record=st.dictionaries(st.text(), DATA))
def test_what_was_read_has_the_same_text(record):
    text = canonical_json(record)
    assert canonical_json(json.loads(text)) == text


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"b": 1, "a": {"d": None, "c": [1.5, "ä"]}}, r'{"a":{"c":[1.5,"\u00e4"],"d":null},"b":1}'),
        ({"a": {10: "ten", 9: "nine", "9": "text"}}, '{"a":{"10":"ten","9":"text"}}'),
        ({"a": {True: 1, "b": {2}}}, '{"a":{"b":"{2}","true":1}}'),
        ({"a": (1, MappingProxyType({"c": 2, "b": 1}))}, '{"a":[1,{"b":1,"c":2}]}'),
    ],
)
def test_names_are_sorted_as_texts_and_all_else_is_written_as_text(record, text):
    assert canonical_json(record) == text
