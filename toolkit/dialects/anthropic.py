"""Anthropic: the Messages API, with and without strict mode."""

from dataclasses import replace
from typing import Any

from toolkit.dialects.declarations import CHECKED, STRICT_SHAPE, WORD, Dialect, Draft, Form
from toolkit.dialects.provider_limits import Limit, Limits, Source

_TOOLS = Source(
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools", CHECKED
)  # fmt: skip
_ROOT = Source("https://github.com/anthropics/claude-code/issues/44788", CHECKED)
_STRICT = Source("anthropic 2.12.0, lib/_parse/_transform.py", CHECKED)
_BUDGET = Source("https://platform.claude.com/docs/en/build-with-claude/structured-outputs", CHECKED)

_LIMITS = Limits(
    title="Anthropic",
    name=Limit(WORD, "a name has only letters, digits, underscores and hyphens", _TOOLS),
    name_length=Limit(128, "a name has at most 128 characters", _TOOLS),
    name_length_sure=Limit(64, "older versions accept at most 64 characters", _TOOLS),
    root=Limit(frozenset({"anyOf", "oneOf", "allOf"}), "the root is one object: no anyOf, oneOf or allOf", _ROOT),
)

STRICT_LIMITS = _LIMITS._replace(
    title="Anthropic, strict",
    base="anthropic",
    keywords=Limit(
        STRICT_SHAPE | {"const", "minItems", "format"}, "strict mode supports a subset of JSON Schema", _STRICT
    ),
    formats=Limit(
        frozenset({"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}),
        "strict mode supports a few formats",
        _STRICT,
    ),
    types_wanted=Limit(True, "strict mode needs the type of every value", _STRICT),
    one_type=Limit(True, "several types are an anyOf", _STRICT),
    enum_types=Limit(
        frozenset({"string", "integer", "number", "boolean", "null"}),
        "enum values are not lists or objects",
        _STRICT,
    ),
    min_items=Limit((0, 1), "minItems is 0 or 1", _STRICT),
    closed=Limit(True, "every object must have additionalProperties: false", _STRICT),
    references=Limit("alone", "keywords next to a $ref are ignored", _STRICT),
    recursion=Limit("never", "a schema cannot refer to itself", _BUDGET),
    strict_tools=Limit(20, "a request has at most 20 strict tools", _BUDGET),
    optional_parameters=Limit(24, "the strict tools have at most 24 optional parameters together", _BUDGET),
    union_parameters=Limit(16, "the strict tools have at most 16 parameters with several types together", _BUDGET),
)


def _write(draft: Draft) -> dict[str, Any]:
    examples = {"input_examples": [dict(example) for example in draft.spec.examples]} if draft.spec.examples else {}
    strict = {"strict": True} if draft.strict else {}
    return draft.described | {"input_schema": draft.parameters} | examples | strict


_ANTHROPIC = Dialect(
    name="anthropic",
    provider="anthropic",
    write=_write,
    limits=_LIMITS,
    strict_limits=STRICT_LIMITS,
    forms=(Form("anthropic", "/input_schema", "", ("/input_schema",)),),
    lists=("tools",),
)
DIALECTS = (_ANTHROPIC, replace(_ANTHROPIC, name="anthropic-strict", is_strict=True))
