"""Repairing: one pass over malformed JSON that a model sent as arguments; never over JSON that parses."""

import re

_TEXT_OR_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_FENCE = "```"


def repaired(text: str) -> str:
    """Return the text with its commonest faults mended, if that makes it a JSON object; else return it as it came.

    Mended are a code fence round the whole, quotation marks round the whole with escaped ones inside, and commas
    before a closing bracket.
    """
    if not text.strip() or _is_json(text):
        return text
    mended = _mend(text)
    return mended if _is_json(mended, dict) else text


def _mend(text: str) -> str:
    mended = _unfenced(text.strip())
    if mended.startswith('"') and mended.endswith('"') and mended[1:2] == "{":
        mended = mended[1:-1].replace('\\"', '"')
    return _TEXT_OR_TRAILING_COMMA.sub(lambda match: match[1] or "", mended)


def _unfenced(text: str) -> str:
    if not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    first, _, rest = text.partition("\n")
    return rest.removesuffix(_FENCE).strip() if first.strip() in (_FENCE, f"{_FENCE}json") else text


def _is_json(text: str, kind: type = object) -> bool:
    from pydantic_core import from_json

    try:
        return isinstance(from_json(text, allow_inf_nan=False), kind)
    except ValueError:
        return False
