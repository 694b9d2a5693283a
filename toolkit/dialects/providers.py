"""Lists the limits of each provider, with their sources and the days they were checked."""

from toolkit.dialects.clients import CLIENTS
from toolkit.dialects.provider_limits import Limit, Limits, Source

_NOVEMBER = "2026-11-22"

_OPENAI_TYPES = Source("openai 3.54.0, types/shared_params/function_definition.py", _NOVEMBER)
_OPENAI_COUNT = Source("https://github.com/zed-industries/zed/issues/42393", _NOVEMBER)
_OPENAI_TOOLS = Source("https://developers.openai.com/api/docs/guides/tools-tool-search", _NOVEMBER)
_OPENAI_ROOT = Source("https://github.com/langchain-ai/langchainjs/issues/9804", _NOVEMBER)
_OPENAI_ITEMS = Source("https://github.com/sigoden/aichat/pull/1049", _NOVEMBER)
_OPENAI_STRICT = Source("https://developers.openai.com/api/docs/guides/structured-outputs", _NOVEMBER)
_ANTHROPIC_TOOLS = Source(
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools", _NOVEMBER
)  # fmt: skip
_ANTHROPIC_ROOT = Source("https://github.com/anthropics/claude-code/issues/44788", _NOVEMBER)
_ANTHROPIC_STRICT = Source("anthropic 2.12.0, lib/_parse/_transform.py", _NOVEMBER)
_ANTHROPIC_BUDGET = Source("https://platform.claude.com/docs/en/build-with-claude/structured-outputs", _NOVEMBER)
_GEMINI_TYPES = Source("google-genai 3.4.0, types.py: FunctionDeclaration, Schema", _NOVEMBER)
_GEMINI_JSON = Source("google-genai 3.4.0, types.py: response_json_schema", _NOVEMBER)
_GEMINI_TOOLS = Source("google-genai 3.4.0, types.py: Tool.function_declarations", _NOVEMBER)
_GEMINI_ENUM = Source("https://github.com/decolua/9router/pull/380", _NOVEMBER)
_GEMINI_FORMAT = Source("pydantic-ai 2.68.0, profiles/google.py", _NOVEMBER)
_BEDROCK = Source("botocore 1.44.5, bedrock-runtime/service-2.json: ToolSpecification", _NOVEMBER)
_MISTRAL_NAME = Source("https://github.com/Kochava-Studios/witsy/issues/164", _NOVEMBER)
_MISTRAL_REFERENCES = Source("https://github.com/pydantic/pydantic-ai/issues/10243", _NOVEMBER)
_MISTRAL_STRICT = Source("mistralai 3.7.0, extra/utils/_pydantic_helper.py", _NOVEMBER)
_OLLAMA = Source("ollama 0.6.3, _types.py: Tool", _NOVEMBER)
_MCP_2025 = Source("https://modelcontextprotocol.io/specification/2025-11-25/server/tools", _NOVEMBER)
_MCP_2026 = Source("https://modelcontextprotocol.io/specification/2026-07-28/server/tools", _NOVEMBER)
_LLAMA_CPP = Source("https://github.com/ggml-org/llama.cpp/issues/25895", _NOVEMBER)
_PORTABLE = Source("what all providers here accept", _NOVEMBER)

_WORD = r"[a-zA-Z0-9_-]+"
_SHAPE = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs"}
)

_OPENAI = Limits(
    title="OpenAI",
    name=Limit(_WORD, "a name has only letters, digits, underscores and hyphens", _OPENAI_TYPES),
    name_length=Limit(64, "a name has at most 64 characters", _OPENAI_TYPES),
    tools=Limit(128, "a request has at most 128 tools", _OPENAI_COUNT),
    tools_advised=Limit(20, "fewer than 20 tools are recommended", _OPENAI_TOOLS),
    root=Limit(
        frozenset({"anyOf", "oneOf", "allOf", "not", "enum", "const"}),
        "the root is one object: no anyOf, oneOf, allOf, not, enum or const",
        _OPENAI_ROOT,
    ),
    items_wanted=Limit(True, "an array must describe its items", _OPENAI_ITEMS),
)

_OPENAI_STRICTLY = _OPENAI._replace(
    title="OpenAI, strict",
    keywords=Limit(
        _SHAPE
        | {"const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
           "pattern", "format"},
        "strict mode supports a subset of JSON Schema",
        _OPENAI_STRICT,
    ),
    formats=Limit(
        frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}),
        "strict mode supports a few formats",
        _OPENAI_STRICT,
    ),
    types_wanted=Limit(True, "strict mode needs the type of every value", _OPENAI_STRICT),
    look_around=Limit(False, "patterns cannot look ahead or behind", _OPENAI_STRICT),
    closed=Limit(True, "every object must have additionalProperties: false", _OPENAI_STRICT),
    all_required=Limit(True, "every property must be required", _OPENAI_STRICT),
    references=Limit("alone", "a $ref cannot have other keywords next to it", _OPENAI_STRICT),
    depth=Limit(10, "objects are nested at most 10 levels deep", _OPENAI_STRICT),
    properties=Limit(5000, "a tool has at most 5000 properties", _OPENAI_STRICT),
    enum_values=Limit(1000, "a tool has at most 1000 values in its enums", _OPENAI_STRICT),
    long_enum=Limit(15000, "an enum of more than 250 values has at most 15000 characters", _OPENAI_STRICT),
    characters=Limit(120000, "names and values have at most 120000 characters together", _OPENAI_STRICT),
)  # fmt: skip

_ANTHROPIC = Limits(
    title="Anthropic",
    name=Limit(_WORD, "a name has only letters, digits, underscores and hyphens", _ANTHROPIC_TOOLS),
    name_length=Limit(128, "a name has at most 128 characters", _ANTHROPIC_TOOLS),
    name_length_sure=Limit(64, "older versions accept at most 64 characters", _ANTHROPIC_TOOLS),
    root=Limit(
        frozenset({"anyOf", "oneOf", "allOf"}), "the root is one object: no anyOf, oneOf or allOf", _ANTHROPIC_ROOT
    ),
)

_ANTHROPIC_STRICTLY = _ANTHROPIC._replace(
    title="Anthropic, strict",
    keywords=Limit(
        _SHAPE | {"const", "minItems", "format"}, "strict mode supports a subset of JSON Schema", _ANTHROPIC_STRICT
    ),
    formats=Limit(
        frozenset({"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}),
        "strict mode supports a few formats",
        _ANTHROPIC_STRICT,
    ),
    types_wanted=Limit(True, "strict mode needs the type of every value", _ANTHROPIC_STRICT),
    one_type=Limit(True, "several types are an anyOf", _ANTHROPIC_STRICT),
    enum_types=Limit(
        frozenset({"string", "integer", "number", "boolean", "null"}),
        "enum values are not lists or objects",
        _ANTHROPIC_STRICT,
    ),
    min_items=Limit((0, 1), "minItems is 0 or 1", _ANTHROPIC_STRICT),
    closed=Limit(True, "every object must have additionalProperties: false", _ANTHROPIC_STRICT),
    references=Limit("alone", "keywords next to a $ref are ignored", _ANTHROPIC_STRICT),
    recursion=Limit("never", "a schema cannot refer to itself", _ANTHROPIC_BUDGET),
    strict_tools=Limit(20, "a request has at most 20 strict tools", _ANTHROPIC_BUDGET),
    optional_parameters=Limit(24, "the strict tools have at most 24 optional parameters together", _ANTHROPIC_BUDGET),
    union_parameters=Limit(
        16, "the strict tools have at most 16 parameters with several types together", _ANTHROPIC_BUDGET
    ),
)

_GEMINI = Limits(
    title="Gemini",
    name=Limit(
        r"[a-zA-Z_][a-zA-Z0-9_.:-]*",
        "a name starts with a letter or underscore, then letters, digits, and _ . : -",
        _GEMINI_TYPES,
    ),
    name_length=Limit(128, "a name has at most 128 characters", _GEMINI_TYPES),
    name_length_sure=Limit(64, "older versions accept at most 64 characters", _GEMINI_TYPES),
    parameter_name=Limit(
        r"[a-zA-Z_][a-zA-Z0-9_]{0,63}",
        "a parameter's name starts with a letter or underscore, then letters, digits and underscores, at most 64",
        _GEMINI_TYPES,
    ),
    tools=Limit(512, "a request has at most 512 function declarations", _GEMINI_TOOLS),
    keywords=Limit(
        frozenset(
            {"type", "description", "nullable", "properties", "required", "items", "enum", "anyOf", "minimum",
             "maximum", "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "pattern",
             "propertyOrdering"}
        ),
        "parameters are a subset of OpenAPI 3.0",
        _GEMINI_TYPES,
    ),
    formats=Limit(frozenset(), "most formats are refused", _GEMINI_FORMAT),
    items_wanted=Limit(True, "an array must describe its items", _GEMINI_TYPES),
    types_wanted=Limit(True, "every value needs a type", _GEMINI_TYPES),
    one_type=Limit(True, "type is one name; null is written as nullable", _GEMINI_TYPES),
    enum_types=Limit(frozenset({"string"}), "enum values are strings", _GEMINI_ENUM),
    references=Limit("none", "parameters have no $ref", _GEMINI_TYPES),
    recursion=Limit("optional", "a schema may refer to itself only in optional properties", _GEMINI_JSON),
)  # fmt: skip

_GEMINI_AS_JSON_SCHEMA = _GEMINI._replace(
    title="Gemini, parametersJsonSchema",
    keywords=Limit(
        frozenset(
            {"type", "description", "properties", "required", "additionalProperties", "items", "prefixItems", "enum",
             "anyOf", "oneOf", "minimum", "maximum", "minItems", "maxItems", "propertyOrdering", "$ref", "$defs"}
        ),
        "parametersJsonSchema supports a subset of JSON Schema",
        _GEMINI_JSON,
    ),
    types_wanted=None,
    one_type=None,
    enum_types=Limit(frozenset({"string", "integer", "number"}), "enum values are strings or numbers", _GEMINI_JSON),
    references=Limit("alone", "a $ref cannot have other keywords next to it", _GEMINI_JSON),
)  # fmt: skip

_BEDROCK_PLAIN = Limits(
    title="Bedrock",
    name=Limit(_WORD, "a name has only letters, digits, underscores and hyphens", _BEDROCK),
    name_length=Limit(64, "a name has at most 64 characters", _BEDROCK),
)

_BEDROCK_STRICTLY = _ANTHROPIC_STRICTLY._replace(
    title="Bedrock, strict",
    name=_BEDROCK_PLAIN.name,
    name_length=_BEDROCK_PLAIN.name_length,
    name_length_sure=None,
)

_MISTRAL = Limits(
    title="Mistral",
    name=Limit(_WORD, "a name has only letters, digits, underscores and hyphens", _MISTRAL_NAME),
    name_length=Limit(64, "a name has at most 64 characters", _MISTRAL_NAME),
    references=Limit("none", "some models send a string instead of a value described by a $ref", _MISTRAL_REFERENCES),
)

_MISTRAL_STRICTLY = _MISTRAL._replace(
    title="Mistral, strict",
    closed=Limit(True, "every object must have additionalProperties: false", _MISTRAL_STRICT),
)

_OLLAMA_PLAIN = Limits(
    title="Ollama",
    keywords=Limit(
        frozenset({"type", "items", "description", "enum"}),
        "only the type, items, description and enum of a parameter arrive",
        _OLLAMA,
    ),
    references=Limit("none", "a parameter that is a $ref arrives without its type", _OLLAMA),
    recursion=Limit("never", "a schema cannot refer to itself", _OLLAMA),
)

_MCP = Limits(
    title="MCP",
    name=Limit(r"[A-Za-z0-9_.-]+", "a name has only letters, digits, and _ - .", _MCP_2025),
    name_length=Limit(128, "a name has at most 128 characters", _MCP_2025),
    output=Limit("object", "the output is described only if it is one object", _MCP_2025),
    closed_if_empty=Limit(True, "a tool without parameters should not allow any", _MCP_2026),
)

LIMITS: dict[str, Limits] = {
    "openai": _OPENAI,
    "openai-strict": _OPENAI_STRICTLY,
    "anthropic": _ANTHROPIC,
    "anthropic-strict": _ANTHROPIC_STRICTLY,
    "gemini": _GEMINI,
    "gemini-json-schema": _GEMINI_AS_JSON_SCHEMA,
    "bedrock": _BEDROCK_PLAIN,
    "bedrock-strict": _BEDROCK_STRICTLY,
    "mistral": _MISTRAL,
    "mistral-strict": _MISTRAL_STRICTLY,
    "ollama": _OLLAMA_PLAIN,
    "mcp": _MCP,
    "json-schema": Limits(title="JSON Schema"),
    "portable": Limits(
        title="Portable",
        name=Limit(
            r"[a-zA-Z_][a-zA-Z0-9_-]*",
            "a name starts with a letter or underscore, then letters, digits, underscores and hyphens",
            _PORTABLE,
        ),
        name_length=Limit(64, "a name has at most 64 characters", _PORTABLE),
        parameter_name=Limit(
            r"[A-Za-z_][A-Za-z0-9_]{0,63}",
            "a parameter's name starts with a letter or underscore, then letters, digits and underscores, at most 64",
            _PORTABLE,
        ),
        tools=Limit(128, "a request has at most 128 tools", _PORTABLE),
        tools_advised=Limit(20, "fewer than 20 tools are recommended", _PORTABLE),
    ),
    "llama-cpp": Limits(
        title="llama.cpp",
        nested_pattern=Limit(False, "a pattern inside the items of an array breaks the grammar", _LLAMA_CPP),
    ),
    **CLIENTS,
}
"""The limits of each provider.

Besides the dialects, these are `gemini-json-schema`, the other form in which Gemini accepts parameters;
`bedrock-strict` and `mistral-strict`, for tools that require it; `portable`, which every provider accepts; `llama-cpp`,
which accepts the dialect of OpenAI; and the clients of MCP servers.
"""
