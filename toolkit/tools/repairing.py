"""Repairing: one pass over malformed JSON that a model sent as arguments; never over JSON that parses."""

import re

_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


def repaired(text: str) -> str:
    """Return the text with its commonest faults mended, if that makes it JSON; else return it as it came.

    Mended are a code fence round the whole, quotation marks round the whole with escaped ones inside, and commas
    before a closing bracket.
    """
    if not text.strip() or _is_json(text):
        return text
    mended = _mend(text)
    return mended if _is_json(mended) else text


def _mend(text: str) -> str:
    fenced = _FENCE.match(text)
    mended = (fenced[1] if fenced else text).strip()
    if mended.startswith('"') and mended.endswith('"') and mended[1:2] in "{[":
        mended = mended[1:-1].replace('\\"', '"')
    return _TRAILING_COMMA.sub("", mended)


def _is_json(text: str) -> bool:
    from pydantic_core import from_json

    try:
        from_json(text, allow_inf_nan=False)
    except ValueError:
        return False
    return True
