"""OpenAI: the Chat Completions and Responses APIs, with and without strict mode."""

from dataclasses import replace
from typing import Any

from toolkit.dialects.declarations import CHECKED, STRICT_SHAPE, WORD, Dialect, Draft, Form
from toolkit.dialects.provider_limits import Limit, Limits, Source

_TYPES = Source("openai 3.54.0, types/shared_params/function_definition.py", CHECKED)
_COUNT = Source("https://github.com/zed-industries/zed/issues/42393", CHECKED)
_TOOLS = Source("https://developers.openai.com/api/docs/guides/tools-tool-search", CHECKED)
_ROOT = Source("https://github.com/langchain-ai/langchainjs/issues/9804", CHECKED)
_ITEMS = Source("https://github.com/sigoden/aichat/pull/1049", CHECKED)
_STRICT = Source("https://developers.openai.com/api/docs/guides/structured-outputs", CHECKED)

_LIMITS = Limits(
    title="OpenAI",
    name=Limit(WORD, "a name has only letters, digits, underscores and hyphens", _TYPES),
    name_length=Limit(64, "a name has at most 64 characters", _TYPES),
    tools=Limit(128, "a request has at most 128 tools", _COUNT),
    tools_advised=Limit(20, "fewer than 20 tools are recommended", _TOOLS),
    root=Limit(
        frozenset({"anyOf", "oneOf", "allOf", "not", "enum", "const"}),
        "the root is one object: no anyOf, oneOf, allOf, not, enum or const",
        _ROOT,
    ),
    items_wanted=Limit(True, "an array must describe its items", _ITEMS),
)

_STRICT_LIMITS = _LIMITS._replace(
    title="OpenAI, strict",
    base="openai",
    keywords=Limit(
        STRICT_SHAPE
        | {"const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
           "pattern", "format"},
        "strict mode supports a subset of JSON Schema",
        _STRICT,
    ),
    formats=Limit(
        frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
        "strict mode supports a few formats",
        _STRICT,
    ),
    types_wanted=Limit(True, "strict mode needs the type of every value", _STRICT),
    look_around=Limit(False, "patterns cannot look ahead or behind", _STRICT),
    closed=Limit(True, "every object must have additionalProperties: false", _STRICT),
    all_required=Limit(True, "every property must be required", _STRICT),
    references=Limit("alone", "a $ref cannot have other keywords next to it", _STRICT),
    depth=Limit(10, "objects are nested at most 10 levels deep", _STRICT),
    properties=Limit(5000, "a tool has at most 5000 properties", _STRICT),
    enum_values=Limit(1000, "a tool has at most 1000 values in its enums", _STRICT),
    long_enum=Limit(15000, "an enum of more than 250 values has at most 15000 characters", _STRICT),
    characters=Limit(120000, "names and values have at most 120000 characters together", _STRICT),
)  # fmt: skip


def write_function(draft: Draft) -> dict[str, Any]:
    """Write a definition for the Chat Completions API, which others have adopted."""
    strict = {"strict": True} if draft.strict else {"strict": False} if draft.spec.strict is False else {}
    return {"type": "function", "function": draft.described | {"parameters": draft.parameters} | strict}


CHAT = Form("openai", "/function", "/function", ("/function/parameters",))
_RESPONSES = Form("openai-responses", "/type", "", ("/parameters",), kind="function")
_OPENAI = Dialect(
    name="openai",
    provider="openai",
    write=write_function,
    limits=_LIMITS,
    strict_limits=_STRICT_LIMITS,
    forms=(CHAT, _RESPONSES),
    lists=("tools", "functions"),
)
DIALECTS = (_OPENAI, replace(_OPENAI, name="openai-strict", is_strict=True))
