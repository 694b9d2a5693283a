"""Mistral: the Chat Completions API, in the format of OpenAI."""

from toolkit.dialects.declarations import CHECKED, WORD, Dialect
from toolkit.dialects.openai import CHAT, write_function
from toolkit.dialects.provider_limits import Limit, Limits, Source

_NAME = Source("https://github.com/Kochava-Studios/witsy/issues/164", CHECKED)
_REFERENCES = Source("https://github.com/pydantic/pydantic-ai/issues/10243", CHECKED)
_STRICT = Source("mistralai 3.7.0, extra/utils/_pydantic_helper.py", CHECKED)

_LIMITS = Limits(
    title="Mistral",
    name=Limit(WORD, "a name has only letters, digits, underscores and hyphens", _NAME),
    name_length=Limit(64, "a name has at most 64 characters", _NAME),
    references=Limit("none", "some models send a string instead of a value described by a $ref", _REFERENCES),
)

_STRICT_LIMITS = _LIMITS._replace(
    title="Mistral, strict",
    base="mistral",
    closed=Limit(True, "every object must have additionalProperties: false", _STRICT),
)

DIALECTS = (
    Dialect(
        name="mistral",
        provider="mistral",
        write=write_function,
        limits=_LIMITS,
        strict_limits=_STRICT_LIMITS,
        forms=(CHAT,),
        lists=("tools",),
    ),
)
