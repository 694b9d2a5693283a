"""One more item in a list of a document: it is there at the end, and everything else is as it was."""

import pytest
from hypothesis import example, given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents.document_reader import parse_document  # private
from toolkit.documents.dumping import (
    as_yaml,  # private
    with_item,  # private
)
from toolkit.documents.nodes import plain  # private

ITEM = {"tool": "fetch", "where": {"url": "https://a.example/"}}
LINE = "{tool: fetch, where: {url: 'https://a.example/'}}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"allow:\n  - {LINE}\n"),
        ("# mine\n", f"# mine\nallow:\n  - {LINE}\n"),
        ("deny: []", f"deny: []\nallow:\n  - {LINE}\n"),
        ("allow:\n- {tool: a} # one\n# two\ndeny: []\n", f"allow:\n- {{tool: a}} # one\n- {LINE}\n# two\ndeny: []\n"),
        ("allow:\n    - tool: a\n      because: |\n        why\n\ndeny: []\n", None),
        ("allow:\n  - tool: a  # here\n    where:\n      x: 1\n# end\n", f"allow:\n  - tool: a  # here\n    where:\n      x: 1\n  - {LINE}\n# end\n"),
        ("allow: []\n", f"allow: [{LINE}]\n"),
        ("allow: [{tool: a}]  # all\n", f"allow: [{{tool: a}}, {LINE}]  # all\n"),
        ("allow:\ndeny: []\n", None),
        ("allow: null # none\n", f"allow: [{LINE}] # none\n"),
        ("{deny: []}", f"{{deny: [], allow: [{LINE}]}}"),
        ("{}", f"{{allow: [{LINE}]}}"),
        ("allow:\r\n  - {tool: a}\r\n# end\r\n", f"allow:\r\n  - {{tool: a}}\r\n  - {LINE}\r\n# end\r\n"),
    ],
)  # fmt: skip
def test_an_item_is_added_and_everything_else_is_left(before, after):
    found = with_item(before, "allow", ITEM)
    assert after is None or found == after
    assert data_of(found) == added(data_of(before), ITEM)


def data_of(text):
    root, problems = parse_document(text, "f")
    assert root is not None
    assert problems == []
    return plain(root)


def added(data, item):
    return {**(data or {}), "allow": [*((data or {}).get("allow") or []), item]}


DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab #:-'\"{}[],\n\té*&!", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab-:", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(3_000), deadline=None)
@example(others={}, listed=None, item=":[", comment="")
@example(others={}, listed=[], item="a, b", comment="")
@given(st.dictionaries(st.sampled_from(["a", "b", "deny"]), DATA), st.none() | st.lists(DATA, max_size=3), DATA, st.sampled_from(["", "# end\n"]))  # fmt: skip
def test_whatever_a_document_holds_it_holds_one_item_more(others, listed, item, comment):
    data = others if listed is None else {**others, "allow": listed}
    before = as_yaml(data) + comment
    found = with_item(before, "allow", item)
    assert data_of(found) == added(data_of(before), item)
    assert {line for line in before.splitlines() if line not in found.splitlines()} <= {"allow: []", "{}"}


@pytest.mark.parametrize("text", ["[1]", "text", "allow: 1\n", "allow: {a: 1}\n"])
def test_what_has_no_such_list_is_left_alone(text):
    with pytest.raises(ValueError, match="not a"):
        with_item(text, "allow", ITEM)
