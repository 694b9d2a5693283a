"""Token costs: what the definition of a tool costs in every request, as an estimate.

Counted are the characters of the definition in a provider's own form, as compact JSON, by four to a token. The real
figure depends on the model's own vocabulary, and lies near it for English text.
"""

import json
from typing import Any

from toolkit.dialects.clients import CLIENTS
from toolkit.lint.definitions import ToolDefinition

CHARACTERS_OF_A_TOKEN = 4
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)
_DIALECT_OF = {"portable": "openai", "llama-cpp": "openai"} | dict.fromkeys(CLIENTS, "mcp")


def tokens_of(tool: ToolDefinition, provider: str) -> int:
    """Return about how many tokens a tool's definition costs with a provider.

    Raises:
        ValueError: If only the tool's source was read.
    """
    return tokens_of_data(tool.exported(_DIALECT_OF.get(provider, provider)).definition)


def tokens_of_data(data: Any) -> int:
    """Return about how many tokens a definition costs that is sent as it stands."""
    return -(-len(_COMPACT.encode(data)) // CHARACTERS_OF_A_TOKEN)
