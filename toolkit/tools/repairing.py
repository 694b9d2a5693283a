"""Repairs the JSON that a model has sent as arguments."""

import re
from typing import Any

_TEXT_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_FENCE = "```"


def repaired(text: str) -> str:
    """Fix common mistakes in a text if the result is a JSON object; otherwise return it unchanged.

    These are: a code fence around the text, an object that was serialized twice, quotation marks around an object with
    escaped quotation marks in it, and trailing commas.
    """
    if not text.strip():
        return text
    data = json_in(text)
    if data is NO_JSON:
        mended = _mend(text)
    elif isinstance(data, str):
        mended = data
    else:
        return text
    return mended if isinstance(json_in(mended), dict) else text


def _mend(text: str) -> str:
    mended = _remove_fence(text.strip())
    if mended.startswith('"') and mended.endswith('"') and mended[1:2] == "{":
        mended = mended[1:-1].replace('\\"', '"')
    return _TEXT_OR_TRAILING_COMMA.sub(lambda match: match[1] or "", mended)


def _remove_fence(text: str) -> str:
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    first, _, rest = text.partition("\n")
    return rest.removesuffix(_FENCE).strip() if first.strip() in (_FENCE, f"{_FENCE}json") else text


NO_JSON = object()
"""Returned for a text that is not JSON."""


def json_in(text: str) -> Any:
    """Parse JSON without the numbers that it cannot represent, or return `NO_JSON`."""
    from pydantic_core import from_json

    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return NO_JSON
