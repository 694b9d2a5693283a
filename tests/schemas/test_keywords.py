"""The table of keywords says of each draft what the draft's own metaschema says."""

import pytest

from tests.schemas.metaschemas import HOLDING, VALIDATORS, keywords_of
from toolkit.schemas import DRAFTS

VALUES = [
    None, True, 0, 1, -1, 1.5, "x", "string", "object", [], ["string"], ["a", "b"], ["a", "a"],
    ["string", "string"], [1], [{}], [{}, 1], {}, {"a": {}},
    {"a": True}, {"a": ["b"]}, {"a": [1]}, {"a": 1},
]  # fmt: skip
FORGOTTEN = {"$ref", "writeOnly"}  # by the metaschemas of draft 4 and of draft 7
OF_OLD = {"$recursiveRef", "$recursiveAnchor"}  # the newest metaschema still knows their form, to refuse other uses


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_same_keywords_hold_schemas_in_the_same_way(draft):
    held = {name: keyword.form.holds for name, keyword in DRAFTS[draft].items() if keyword.form.holds != "nothing"}
    assert held == HOLDING[draft]


@pytest.mark.parametrize("draft", DRAFTS)
def test_no_keyword_of_a_draft_is_unknown(draft):
    assert set(keywords_of(draft)) - OF_OLD <= {*DRAFTS[draft], *(OF_OLD if draft == "2020-12" else ())}
    assert set(DRAFTS[draft]) - FORGOTTEN <= set(keywords_of(draft))


STRICTER = {("enum", "[]"): "providers refuse a list without values"}
LOOSER = {
    ("exclusiveMinimum", "True"): "alone it means nothing in draft 4, and harms nobody",
    ("exclusiveMaximum", "True"): "the same",
    **{("enum", repr(twice)): "newer drafts only advise against it" for twice in (["a", "a"], ["string", "string"])},
    ("required", "[]"): "draft 4 wants one name at least, and every reader takes none",
}


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("draft", DRAFTS)
def test_values_are_judged_as_the_metaschema_judges_them(draft):
    different = set()
    for name in DRAFTS[draft].keys() & keywords_of(draft).keys():
        keyword = DRAFTS[draft][name]
        for value in VALUES:
            theirs = VALIDATORS[draft](VALIDATORS[draft].META_SCHEMA).is_valid({name: value})
            if theirs and not keyword.form.fits(value):
                different.add((name, repr(value), "stricter"))
            if not theirs and keyword.form.fits(value) and not _stands_further_inside(draft, name, value):
                different.add((name, repr(value), "looser"))
    assert different <= {(*at, "stricter") for at in STRICTER} | {(*at, "looser") for at in LOOSER}


def _stands_further_inside(draft, name, value):
    """Whether it is a schema inside the value that is wrong, or true or false as a schema in a draft without them."""
    held = DRAFTS[draft][name].form.holds
    return held != "nothing" and draft == "draft-04" and "True" in repr(value)
