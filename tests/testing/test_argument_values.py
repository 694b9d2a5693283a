"""Values made from a schema are valid, and mutated ones break one keyword; the package `jsonschema` agrees."""

from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator

from tests.volumes import examples
from toolkit.schemas.validation import Validator  # private
from toolkit.testing.argument_values import ArgumentMaker  # private
from toolkit.testing.pattern_samples import samples_of  # private
from toolkit.testing.shrinking import smallest  # private

EVERYTHING = {
    "type": "object",
    "properties": {
        "word": {"type": "string", "minLength": 2, "maxLength": 5},
        "code": {"type": "string", "pattern": r"^[A-Z]{2}-\d+$"},
        "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
        "step": {"type": "integer", "multipleOf": 3},
        "names": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "mode": {"enum": ["a", "b", 3]},
        "fixed": {"const": {"a": 1}},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "minItems": 1, "maxItems": 2},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}], "items": False},
        "open": {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1},
        "both": {"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 3}]},
    },
    "required": ["word", "code", "tags"],
    "$defs": {
        "tag": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "inner": {"$ref": "#/$defs/tag"}},
            "required": ["name"],
        }
    },
}


def test_every_keyword_is_reached_by_valid_values_and_by_broken_ones():
    maker = ArgumentMaker(EVERYTHING, "0")
    valid = maker.valid(200)
    theirs = Draft202012Validator(EVERYTHING)
    assert [one for one in valid if not theirs.is_valid(one)] == []
    assert {name for one in valid for name in one} == set(EVERYTHING["properties"])
    assert {len(one["word"]) for one in valid} >= {2, 5}
    assert {one["count"] for one in valid if "count" in one} >= {1, 5, 9}
    assert {one["when"] for one in valid if "when" in one} >= {None, "2024-02-29"}
    assert {len(one["tags"]) for one in valid} == {1, 2}
    broken = maker.broken(valid[:2])
    assert [one for one in broken if theirs.is_valid(one.arguments)] == []
    assert {one.breaks for one in broken} >= {
        *("required of word", "minLength of word", "maxLength of word", "type of word", "pattern of code"),
        *("minimum of count", "exclusiveMaximum of count", "multipleOf of step", "exclusiveMinimum of share"),
        *(
            "maximum of share",
            "anyOf of when",
            "enum of mode",
            "const of fixed",
            "minItems of tags",
            "maxItems of tags",
        ),
        *("uniqueItems of names", "type of tags.0", "required of tags.0.name"),
    }


def test_the_same_seed_gives_the_same_values_and_another_seed_other_ones():
    first, again, other = (ArgumentMaker(EVERYTHING, seed).valid(100) for seed in ("0", "0", "1"))
    assert first == again
    assert first != other
    assert first[:30] == other[:30]  # single values come first, and are no matter of chance


scalars = st.one_of(
    st.builds(
        lambda low, more: {"type": "string", "minLength": low, "maxLength": low + more},
        st.integers(0, 40),
        st.integers(0, 40),
    ),
    st.builds(
        lambda kind, low, more: {"type": kind, "minimum": low, "maximum": low + more},
        st.sampled_from(["integer", "number"]),
        st.integers(-1000, 1000),
        st.integers(0, 1000),
    ),
    st.sampled_from(
        [{"type": "boolean"}, {"type": "null"}, {"enum": ["a", 1, None]}, {"const": [1]}, {"type": ["string", "null"]}]
    ),
)
schemas = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(lambda items, low: {"type": "array", "items": items, "minItems": low}, inner, st.integers(0, 3)),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(
            lambda members: {"type": "object", "properties": members, "required": sorted(members)[:1]},
            st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=examples(500), deadline=None)
@given(st.dictionaries(st.sampled_from(["x", "y", "z"]), schemas, min_size=1, max_size=3))
def test_schemas_of_every_shape_have_valid_values_and_broken_ones(members):
    schema = {"type": "object", "properties": members, "required": sorted(members)[:1]}
    maker, theirs = ArgumentMaker(schema, "0"), Draft202012Validator(schema)
    valid = maker.valid(20)
    assert valid
    assert all(theirs.is_valid(one) for one in valid)
    judge = Validator(schema)
    for one in maker.broken(valid[:2]):
        assert not theirs.is_valid(one.arguments)
        assert len(judge.misfits(one.arguments)) == 1


def test_patterns_have_samples_that_match():
    patterns = [
        *(r"^[A-Z]{2}-\d+$", r"\d{4}-\d{2}-\d{2}", r"^(red|green)(:[a-f]+)?$", r"^[^/]+$", r"^\S+@\S+\.\w{2,3}$"),
        *(r"^a.c$", r"^(?:x|y){3}$", r"^#[0-9a-fA-F]{6}$", r"^v?\d+(\.\d+)*$", ""),
    ]
    assert [pattern for pattern in patterns if not samples_of(pattern)] == []
    assert samples_of("(") == []


def test_the_smallest_failing_input_is_found():
    def fails(arguments):
        return len(arguments.get("text", "")) >= 3 and any(one > 4 for one in arguments.get("numbers", []))

    large = {"text": "a long text", "numbers": [1, 50, 7, 3], "other": {"a": [1]}}
    found = smallest(large, fails, 300)
    assert (len(found.pop("text")), found) == (3, {"numbers": [6]})
    assert smallest(large, fails, 0) == large
