"""Whatever stands in a definition, linting it comes to an end with findings, and never with an exception."""

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit.lint import PROVIDERS, LintSettings, check
from toolkit.settings import Configuration

TEXTS = st.text(max_size=12) | st.sampled_from(
    [
        "",
        "string",
        "object",
        "array",
        "#",
        "#/$defs/a",
        "#/nowhere",
        "id",
        "\u200b",
        "IMPORTANT: you must",
        "one of `a`, `b`",
    ]
)
PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
ANYTHING = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))
ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "default", "const")
MANY = ("anyOf", "oneOf", "allOf", "prefixItems", "enum", "examples", "required", "type")
NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
TOLD = ("title", "description", "format", "pattern", "$ref", "type", "minimum", "maxLength", "minItems", "x-mcp-header")


def schemas_of(inner):
    """Return what is nearly a schema, in which any keyword may hold something else than it should."""
    fields = {
        **dict.fromkeys(ONE, inner | ANYTHING),
        **{key: st.lists(inner | PLAIN, max_size=3) | ANYTHING for key in MANY},
        **{key: st.dictionaries(TEXTS, inner | PLAIN, max_size=3) | ANYTHING for key in NAMED},
        **dict.fromkeys(TOLD, PLAIN),
    }
    return st.fixed_dictionaries({}, optional=fields)


SCHEMAS = st.recursive(PLAIN, schemas_of, max_leaves=8)
DEFINITIONS = st.fixed_dictionaries(
    {"name": TEXTS},
    optional={
        "description": PLAIN,
        "title": PLAIN,
        "type": TEXTS,
        "strict": PLAIN,
        "input_schema": SCHEMAS,
        "inputSchema": SCHEMAS,
        "parameters": SCHEMAS,
        "outputSchema": SCHEMAS,
        "annotations": st.dictionaries(st.sampled_from(["readOnlyHint", "destructiveHint", "title"]), PLAIN) | ANYTHING,
        "input_examples": st.lists(ANYTHING, max_size=2) | ANYTHING,
    },
)


@settings(
    max_examples=examples(60, everyday=3),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(DEFINITIONS | ANYTHING, max_size=3))
def test_no_definition_breaks_a_rule(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("any") / "tools.json"
    Path(file).write_text(json.dumps(data), "utf-8")
    found = check([str(file)], Configuration(), settings=LintSettings(providers=PROVIDERS))
    assert all(problem.message and problem.code for problem in found)
    assert all(problem.code == "TK004" or problem.location.line for problem in found if problem.location)
