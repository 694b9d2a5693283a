"""Amazon Bedrock: the Converse API, whose strict mode is that of Anthropic."""

from typing import Any

from toolkit.dialects.anthropic import STRICT_LIMITS as ANTHROPIC_STRICT_LIMITS
from toolkit.dialects.declarations import CHECKED, WORD, Dialect, Draft, Form
from toolkit.dialects.provider_limits import Limit, Limits, Source

_TYPES = Source("botocore 1.44.5, bedrock-runtime/service-2.json: ToolSpecification", CHECKED)

_LIMITS = Limits(
    title="Bedrock",
    name=Limit(WORD, "a name has only letters, digits, underscores and hyphens", _TYPES),
    name_length=Limit(64, "a name has at most 64 characters", _TYPES),
)

_STRICT_LIMITS = ANTHROPIC_STRICT_LIMITS._replace(
    title="Bedrock, strict",
    base="anthropic-strict",
    name=_LIMITS.name,
    name_length=_LIMITS.name_length,
    name_length_sure=None,
)


def _write(draft: Draft) -> dict[str, Any]:
    strict = {"strict": True} if draft.strict else {}
    return {"toolSpec": draft.described | {"inputSchema": {"json": draft.parameters}} | strict}


DIALECTS = (
    Dialect(
        name="bedrock",
        provider="bedrock",
        write=_write,
        limits=_LIMITS,
        strict_limits=_STRICT_LIMITS,
        forms=(Form("bedrock", "/toolSpec", "/toolSpec", ("/toolSpec/inputSchema/json", "/toolSpec/inputSchema")),),
        lists=("toolConfig", "tools"),
        hosted=frozenset({"cachePoint", "systemTool"}),
    ),
)
