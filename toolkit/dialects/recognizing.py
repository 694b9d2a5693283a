"""Recognizes definitions in any provider's format, and locates their parts."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from toolkit.dialects.schema_parts import child
from toolkit.tools.spec import ToolSpec

Form = Literal["openai", "openai-responses", "anthropic", "gemini", "bedrock", "mcp", "plain"]

FORM_OF = {
    "openai": ("openai", "openai-responses"),
    "openai-strict": ("openai", "openai-responses"),
    "anthropic": ("anthropic",),
    "anthropic-strict": ("anthropic",),
    "gemini": ("gemini",),
    "bedrock": ("bedrock",),
    "mistral": ("openai",),
    "ollama": ("openai",),
    "llama-cpp": ("openai",),
    "mcp": ("mcp",),
}
"""The formats of definitions that a provider accepts unchanged."""


class Recognized(NamedTuple):
    """A definition that was written for a provider.

    Attributes:
        form: Its format; `plain` is a name, a description and parameters that do not show any provider.
        inner: The JSON pointer to the object that has the name, empty if it is the definition itself.
        schema: The JSON pointer to the JSON Schema of the parameters, even if there is none.
        name: Its name; empty if it has none.
        description: Its description; empty if it has none.
        parameters: The JSON Schema of its parameters; that of an object if there is none.
        strict: Whether it asks for strict mode.
    """

    form: Form
    inner: str
    schema: str
    name: str
    description: str
    parameters: Mapping[str, Any]
    strict: bool | None

    @property
    def spec(self) -> ToolSpec:
        """The specification of a tool defined in this way, even if something is wrong with the definition."""
        return ToolSpec(
            self.name if self.name.strip() else "unnamed",
            self.description,
            {**self.parameters, "type": "object"},
            strict=self.strict,
        )


def definitions_in(document: Any, pointer: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the definitions of tools in a JSON document, each with its JSON pointer.

    The document may be one definition, a list of them, or an object that has such a list under `tools`,
    `functionDeclarations` or `functions`.
    """
    if isinstance(document, list):
        for index, inner in enumerate(document):
            yield from definitions_in(inner, child(pointer, str(index)))
    elif isinstance(document, Mapping):
        lists = [key for key in _LISTS if isinstance(document.get(key), list)]
        for key in lists:
            yield from definitions_in(document[key], child(pointer, key))
        if not lists:
            yield pointer, document


def recognize(definition: Mapping[str, Any]) -> Recognized | None:
    """Return the content of a definition in any provider's format, or None if the format is unknown."""
    for form, inner, schema, sign in _FORMS:
        if _find(definition, sign) is not None and isinstance(_find(definition, inner), Mapping):
            return _recognized(definition, form, inner, schema)
    return None


_LISTS = ("tools", "functionDeclarations", "function_declarations", "functions")
_FORMS: tuple[tuple[Form, str, str, str], ...] = (
    ("openai", "/function", "/function/parameters", "/function"),
    ("bedrock", "/toolSpec", "/toolSpec/inputSchema/json", "/toolSpec"),
    ("anthropic", "", "/input_schema", "/input_schema"),
    ("mcp", "", "/inputSchema", "/inputSchema"),
    ("gemini", "", "/parametersJsonSchema", "/parametersJsonSchema"),
    ("openai-responses", "", "/parameters", "/type"),
    ("plain", "", "/parameters", "/parameters"),
    ("plain", "", "/parameters", "/name"),
)


def _find(definition: Mapping[str, Any], pointer: str) -> Any:
    found: Any = definition
    for step in pointer.split("/")[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _recognized(definition: Mapping[str, Any], form: Form, inner: str, schema: str) -> Recognized:
    about = _find(definition, inner)
    parameters = _find(definition, schema)
    strict = about.get("strict")
    return Recognized(
        form,
        inner,
        schema=schema,
        name=_text(about.get("name")),
        description=_text(about.get("description")),
        parameters=parameters if isinstance(parameters, Mapping) else {"type": "object"},
        strict=strict if isinstance(strict, bool) else None,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
