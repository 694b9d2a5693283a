"""Estimates the cost of a tool's definition in tokens, which every request has to pay.

The estimate is the number of characters of the definition in a provider's format, as compact JSON, divided by four. The
exact cost depends on the model's vocabulary; for English text, it is close.
"""

import json
from typing import Any

from toolkit.dialects.providers import dialect_for
from toolkit.lint.definitions import ToolDefinition

CHARACTERS_OF_A_TOKEN = 4
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def tokens_of(tool: ToolDefinition, provider: str) -> int:
    """Return the approximate number of tokens of a tool's definition for a provider.

    Raises:
        ValueError: If only the tool's source was read.
    """
    return tokens_of_data(tool.exported(dialect_for(provider)).definition)


def tokens_of_data(data: Any) -> int:
    """Return the approximate number of tokens of a definition that is sent as it is."""
    return -(-len(_COMPACT.encode(data)) // CHARACTERS_OF_A_TOKEN)
