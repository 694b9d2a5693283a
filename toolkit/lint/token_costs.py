"""Token costs: what the definition of a tool costs in every request, as an estimate.

Counted are the characters of the definition in a provider's own form, as compact JSON, by four to a token. The real
figure depends on the model's own vocabulary, and lies near it for English text.
"""

import json
from collections.abc import Iterable
from typing import Any

from toolkit import dialects
from toolkit.tools.spec import ToolSpec

CHARACTERS_OF_A_TOKEN = 4
_DIALECT_OF = {"portable": "openai", "llama-cpp": "openai"}


def tokens_of(spec: ToolSpec, provider: str) -> int:
    """Return about how many tokens a tool's definition costs with a provider."""
    return tokens_of_data(dialects.export(spec, _DIALECT_OF.get(provider, provider)).definition)


def tokens_of_all(specs: Iterable[ToolSpec], provider: str) -> int:
    """Return about how many tokens the definitions of several tools cost together."""
    return sum(tokens_of(spec, provider) for spec in specs)


def tokens_of_data(data: Any) -> int:
    """Return about how many tokens a definition costs that is sent as it stands."""
    return -(-len(json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)) // CHARACTERS_OF_A_TOKEN)
