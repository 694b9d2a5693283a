"""The table of dialects: their modules in this room, and their names, which are known without importing any of them."""

from collections.abc import Mapping
from typing import Final

DIALECT_MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "openai": ("openai", "openai-strict"),
    "anthropic": ("anthropic", "anthropic-strict"),
    "gemini": ("gemini",),
    "bedrock": ("bedrock",),
    "mistral": ("mistral",),
    "ollama": ("ollama",),
    "mcp": ("mcp",),
    "json_schema": ("json-schema",),
}
"""The names of the dialects in each module, whose `DIALECTS` are these."""

PROVIDER_MODULES: Final[Mapping[str, str]] = {"portable": "portable", "llama_cpp": "llama-cpp"}
"""The name of the provider in each module that has no dialect of its own, whose `PROVIDER` it is."""

DIALECTS: Final = tuple(name for names in DIALECT_MODULES.values() for name in names)
"""The names of the dialects."""

PROVIDER_DIALECTS: Final = tuple(name for name in DIALECTS if name != "json-schema")
"""The names of the dialects that a provider has."""
