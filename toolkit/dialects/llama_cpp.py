"""llama.cpp: the server, which makes a grammar of each tool in the format of OpenAI."""

from toolkit.dialects.declarations import CHECKED, Provider
from toolkit.dialects.openai import CHAT
from toolkit.dialects.provider_limits import Limit, Limits, Source

_ISSUE = Source("https://github.com/ggml-org/llama.cpp/issues/25895", CHECKED)

PROVIDER = Provider(
    "llama-cpp",
    Limits(
        title="llama.cpp",
        nested_pattern=Limit(False, "a pattern inside the items of an array breaks the grammar", _ISSUE),
    ),
    dialect="openai",
    forms=(CHAT,),
)
