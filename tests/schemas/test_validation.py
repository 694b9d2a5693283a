"""One validator judges data by a JSON Schema, wherever that is needed."""

import json
import re

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from tests.volumes import examples
from toolkit import Tool, ToolSpec
from toolkit.approvals.matchers import KEYWORDS, fault_of, fits_schema  # private
from toolkit.errors import ToolArgumentsError
from toolkit.lint.clues.schema_values import misfit_of_arguments, misfit_of_value  # private
from toolkit.mcp.serving.catalogs import Definition  # private
from toolkit.redactors.redactor import Redactor  # private
from toolkit.regex_checks import TooMuchWorkError  # private
from toolkit.schemas.keywords import DRAFTS  # private
from toolkit.schemas.validation import CHECKS, Validator, same_data  # private
from toolkit.tools.foreign.elicitations import Form  # private
from toolkit.tools.foreign.schema_tools import output_mismatch, shape_of_arguments  # private
from toolkit_cli.main import application

BOTH, OLD, NEW = ("draft-07", "2020-12"), ("draft-07",), ("2020-12",)
KINDS = {"a": 1, "b": "x"}

CASES = [  # drafts, schema, valid, invalid
    (BOTH, {"type": "integer"}, 1.0, 1.5),
    (BOTH, {"type": ["string", "null"]}, None, 1),
    (BOTH, {"const": 1}, 1.0, True),
    (BOTH, {"enum": [{"a": [1]}, "x"]}, {"a": [1.0]}, {"a": [True]}),
    (BOTH, {"minimum": 1}, 1, 0.5),
    (BOTH, {"maximum": 1}, "5", 2),
    (BOTH, {"exclusiveMinimum": 1}, 2, 1),
    (BOTH, {"exclusiveMaximum": 1}, 0, 1),
    (BOTH, {"multipleOf": 0.01}, 19.99, 19.995),
    (BOTH, {"minLength": 2}, "💡💡", "💡"),
    (BOTH, {"maxLength": 1}, "💡", "ab"),
    (BOTH, {"pattern": "b$"}, "ab", "b\n"),
    (BOTH, {"minItems": 1}, [0], []),
    (BOTH, {"maxItems": 1}, {"a": 1, "b": 2}, [1, 2]),
    (BOTH, {"uniqueItems": True}, [1, True, "1", [1], [True]], [{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]),
    (BOTH, {"items": {"type": "integer"}}, [1, 2], [1, "2"]),
    (OLD, {"items": [{"type": "integer"}], "additionalItems": {"type": "string"}}, [1, "2"], [1, 2]),
    (NEW, {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, [1, "2"], [1, 2]),
    (BOTH, {"contains": {"type": "integer"}}, ["a", 1], ["a"]),
    (NEW, {"contains": {"type": "integer"}, "minContains": 2}, [1, 2, "a"], [1, "a"]),
    (NEW, {"contains": {"type": "integer"}, "maxContains": 1}, [1, "a"], [1, 2]),
    (NEW, {"prefixItems": [True], "unevaluatedItems": False}, [1], [1, 2]),
    (BOTH, {"minProperties": 1}, {"a": 1}, {}),
    (BOTH, {"maxProperties": 1}, {"a": 1}, KINDS),
    (BOTH, {"required": ["a"]}, {"a": None}, {"b": 1}),
    (BOTH, {"properties": {"a": {"type": "integer"}}}, KINDS, {"a": "1"}),
    (BOTH, {"patternProperties": {"^a": {"type": "integer"}}}, KINDS, {"ab": "1"}),
    (BOTH, {"properties": {"a": {}}, "additionalProperties": {"type": "string"}}, KINDS, {"b": 1}),
    (BOTH, {"propertyNames": {"maxLength": 1}}, KINDS, {"ab": 1}),
    (NEW, {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": False}, {"a": 1}, KINDS),
    (OLD, {"dependencies": {"a": ["b"], "c": {"minProperties": 2}}}, KINDS, {"a": 1}),
    (NEW, {"dependentRequired": {"a": ["b"]}}, KINDS, {"a": 1}),
    (NEW, {"dependentSchemas": {"a": {"minProperties": 2}}}, KINDS, {"a": 1}),
    (BOTH, {"allOf": [{"minimum": 1}, {"maximum": 2}]}, 1, 3),
    (BOTH, {"anyOf": [{"minimum": 3}, {"type": "string"}]}, "x", 1),
    (BOTH, {"oneOf": [{"minimum": 1}, {"maximum": 2}]}, 0, 1.5),
    (BOTH, {"not": {"type": "integer"}}, "1", 1),
    (BOTH, {"if": {"minimum": 5}, "then": {"multipleOf": 2}, "else": {"multipleOf": 3}}, 6, 7),
    (OLD, {"$ref": "#/definitions/a", "definitions": {"a": {"type": "string"}}, "type": "integer"}, "x", 1),
    (NEW, {"$ref": "#a", "$defs": {"a": {"$anchor": "a", "type": "string"}}, "minLength": 1}, "x", ""),
    (NEW, {"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a", "type": "string"}}}, "x", 1),
    (BOTH, {"$id": "https://a.test/x/", "allOf": [{"$ref": "y"}], "definitions": {"y": {"$id": "y", "type": "null"}}}, None, 1),
    (BOTH, False, ..., 1),
]  # fmt: skip


@pytest.mark.parametrize(("draft", "schema", "valid", "invalid"), [
    pytest.param(draft, *case, id=f"{draft} {json.dumps(case[0])}") for drafts, *case in CASES for draft in drafts
])  # fmt: skip
def test_every_keyword_is_applied(draft, schema, valid, invalid):
    validator = Validator(schema, draft=draft)
    assert valid is ... or validator.accepts(valid)
    assert not validator.accepts(invalid)


@pytest.mark.parametrize("draft", BOTH)
def test_every_keyword_that_the_validator_knows_has_a_case(draft):
    used = {
        word for drafts, schema, *_ in CASES if draft in drafts and schema for word in json.dumps(schema).split('"')
    }
    assert {word for word in CHECKS if word in DRAFTS[draft]} - used <= {"$recursiveRef", "dependencies"}


BROKEN = {
    "allOf": ({"allOf": [{"minimum": 5}]}, 1),
    "oneOf": ({"oneOf": [{"type": "integer"}, {"minimum": 1}]}, 1),
    "uniqueItems": ({"type": "array", "uniqueItems": True}, [1, 1]),
    "prefixItems": ({"type": "array", "prefixItems": [{"type": "integer"}]}, ["x"]),
    "minProperties": ({"type": "object", "minProperties": 2}, {"a": 1}),
    "patternProperties": ({"type": "object", "patternProperties": {"^a": {"type": "integer"}}}, {"ab": "x"}),
    "propertyNames": ({"type": "object", "propertyNames": {"pattern": "^a"}}, {"b": 1}),
    "contains": ({"type": "array", "contains": {"type": "integer"}}, ["x"]),
    "dependentRequired": ({"type": "object", "dependentRequired": {"a": ["b"]}}, {"a": 1}),
    "not": ({"not": {"type": "integer"}}, 1),
    "if": ({"if": {"minimum": 5}, "then": {"maximum": 9}}, 10),
}
MESSAGES = {
    "allOf": "should be greater than or equal to 5, not 1",
    "oneOf": "should match only one of the schemas in 'oneOf', not 1",
    "uniqueItems": "list should have no item twice",
    "minProperties": "should have at least 2 members, not 1",
    "contains": "list should have an item as 'contains' describes",
    "not": "should not match the schema in 'not', not 1",
    "if": "should be less than or equal to 9, not 10",
}


@pytest.mark.parametrize("keyword", BROKEN)
def test_tool_made_by_hand_refuses_what_breaks_its_schema(keyword, tmp_path):
    schema, value = BROKEN[keyword]
    parameters = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    source = f"from toolkit import Tool\n\ntake = Tool.create('take', 'Take.', {parameters!r}, lambda value: 'taken')\n"
    (tmp_path / "tools.py").write_text(source, "utf-8")
    result = CliRunner().invoke(application(), ["run", f"{tmp_path / 'tools.py'}:take", json.dumps({"value": value})])
    assert (result.exit_code, result.stdout) == (2, "")
    assert MESSAGES.get(keyword, "") in result.stderr
    assert "value" in result.stderr


# ------------------------------------------------------------------------------------- schemas that mean harm


def test_reference_without_an_end_is_not_followed_forever():
    for schema in ({"$ref": "#"}, {"anyOf": [{"$ref": "#"}]}, {"not": {"$ref": "#"}}):
        with pytest.raises(TooMuchWorkError):
            Validator(schema).accepts(1)
    looping = {"type": "object", "properties": {"x": {"$ref": "#/properties/x"}}}
    refused = Tool.create("t", "T.", looping, lambda x=0: x).run({"x": 1})
    assert refused.error_code == "invalid_arguments"


def test_reference_that_doubles_each_time_is_judged_once():
    chain = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    validator = Validator({"$ref": "#/$defs/d0", "$defs": {**chain, "d60": {"type": "integer"}}})
    assert validator.accepts(1)
    assert len(Validator({**validator.root.node, "$ref": "#/$defs/d58"}).misfits("x")) == 4


@pytest.mark.parametrize("reference", ["http://127.0.0.1:9/x", "file:///etc/hostname", "other.json", "#/$defs/none"])
def test_nothing_outside_the_schema_is_fetched(reference):
    with pytest.raises(ValueError, match=re.escape(f"it does not define {reference!r}")):
        Validator({"properties": {"a": {"$ref": reference}}})


def test_pattern_of_a_stranger_takes_linear_time():
    blowup = Validator({"pattern": "^(a+)+$"}, foreign=True)
    assert not blowup.accepts("a" * 5_000 + "b")
    assert Validator({"pattern": "^(?=(a+)+$)(?!x)"}, foreign=True).accepts("b")  # cannot be checked in linear time
    assert not Validator({"pattern": "^(?!x)"}).accepts("x")  # our own author may look ahead


def test_data_without_an_end_and_deep_schemas_are_refused():
    data: dict = {}
    data["a"] = data
    tree = {"type": "object", "properties": {"a": {"$ref": "#"}}}
    with pytest.raises(TooMuchWorkError):
        Validator(tree).accepts(data)
    deep: dict = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert shape_error(tree, deep) == (
        "The arguments cannot be checked: they are nested too deeply, contain themselves, or take too long to be checked"
    )
    assert output_mismatch(deep, tree) is not None


def shape_error(schema, data):
    with pytest.raises(ToolArgumentsError) as caught:
        shape_of_arguments(schema).read(data)
    return str(caught.value)


def test_many_different_items_and_huge_numbers_are_no_trouble():
    assert Validator({"uniqueItems": True}).accepts([{"a": [n]} for n in range(50_000)])
    assert not Validator({"maximum": 10**400, "multipleOf": 3}).accepts(10**500)
    assert Validator({"multipleOf": 1e-300}).accepts(1e300)


# ------------------------------------------------------------------------- every place gives the same answer

VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 2, 1.5, "", "a", "b", "1", "aa"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=2)
SIMPLE: list[dict] = [
    {"type": st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])},
    {"enum": st.lists(VALUES, min_size=1, max_size=3)},
    {"const": VALUES},
    *({word: st.integers(0, 2)} for word in ("minimum", "exclusiveMaximum", "minLength", "maxItems", "minProperties")),
    {"pattern": st.sampled_from(["a", "^b", "^(a|1)$"])},
    {"uniqueItems": st.booleans()},
    {"required": NAMES},
    {"dependentRequired": st.dictionaries(st.sampled_from(["a", "b"]), NAMES, max_size=1)},
]


def deeper(inner):
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    patterned = st.dictionaries(st.sampled_from(["^a", "b|c"]), inner, max_size=2)
    words = {
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("not", "if", "then", "items", "contains", "propertyNames", "additionalProperties"), inner),
        **dict.fromkeys(("unevaluatedProperties", "unevaluatedItems"), inner),
        "properties": named,
        "patternProperties": patterned,
        "dependentSchemas": named,
    }
    chosen = st.lists(st.sampled_from(sorted(words)), unique=True, min_size=1, max_size=3)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: words[name] for name in names}))


SCHEMAS = st.recursive(st.one_of(st.booleans(), *(st.fixed_dictionaries(one) for one in SIMPLE)), deeper, max_leaves=5)


@settings(max_examples=examples(5_000), deadline=None)
@given(SCHEMAS, VALUES)
def test_validator_agrees_with_another_implementation(schema, value):
    assert Validator(schema).accepts(value) is jsonschema.Draft202012Validator(schema).is_valid(value)


@settings(max_examples=examples(3_000), deadline=None)
@given(SCHEMAS, VALUES)
def test_every_place_that_judges_a_value_gives_the_answer_of_the_validator(schema, value):
    whole = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    data = {"value": value}
    is_valid = Validator(whole).accepts(data)
    assert (misfit_of_arguments(data, whole) is None) is is_valid
    assert (misfit_of_value(value, schema if isinstance(schema, dict) else {"allOf": [schema]}, {}) is None) is is_valid
    assert (output_mismatch(data, whole) is None) is is_valid
    served = Definition(ToolSpec("tool", "A tool.", output_schema=whole), Redactor())
    assert (served.fault_of(data) is None) is is_valid
    made = Tool.create("tool", "A tool.", whole, lambda value: {"value": value})
    for read in (
        lambda: made.run(data).structured,
        lambda: Form(whole).read(data),
        lambda: shape_of_arguments(whole).read(data),
    ):
        if is_valid:
            assert same_data(read(), data)
        else:
            corrected = attempt(read)  # what is corrected is valid
            assert corrected is None or Validator(whole).accepts(corrected)
    if fault_of(whole) is None:
        fit = fits_schema(Validator(whole), data)
        assert fit in ({"yes", "doubt"} if is_valid else {"no", "doubt"})


def attempt(read):
    try:
        return read()
    except ToolArgumentsError:
        return None


def test_policies_use_only_keywords_that_the_validator_applies():
    assert set(KEYWORDS) <= set(CHECKS)
