"""The Model Context Protocol: the definitions that a server lists."""

from typing import Any

from toolkit.codes import OPEN_OBJECT, ROOT_NOT_OBJECT
from toolkit.dialects.declarations import CHECKED, Dialect, Draft, Form
from toolkit.dialects.fitting import fit
from toolkit.dialects.provider_limits import Limit, Limits, Source
from toolkit.tools.definition.spec import MCP_HINTS

_2025 = Source("https://modelcontextprotocol.io/specification/2025-11-25/server/tools", CHECKED)
_2026 = Source("https://modelcontextprotocol.io/specification/2026-07-28/server/tools", CHECKED)

_LIMITS = Limits(
    title="MCP",
    name=Limit(r"[A-Za-z0-9_.-]+", "a name has only letters, digits, and _ - .", _2025),
    name_length=Limit(128, "a name has at most 128 characters", _2025),
    output=Limit("object", "the output is described only if it is one object", _2025),
    closed_if_empty=Limit(True, "a tool without parameters should not allow any", _2026),
)


def _write(draft: Draft) -> dict[str, Any]:
    spec, limits = draft.spec, draft.limits.stated()
    definition = draft.described | {"inputSchema": draft.parameters}
    if not spec.properties and "additionalProperties" not in spec.parameters:
        definition["inputSchema"]["additionalProperties"] = False
        draft.notes.changed("/parameters", "closed: it has no parameters", limits["closed_if_empty"], OPEN_OBJECT)
    promised = spec.promised_output
    if promised is not None and promised.get("type") == "object":
        definition["outputSchema"] = fit(promised, Limits("JSON Schema"), "/output_schema", draft.notes)
    elif promised is not None:
        draft.notes.changed(
            "/output_schema", "left out: the result is not an object", limits["output"], ROOT_NOT_OBJECT
        )
    hints = {hint: getattr(spec, mark) for hint, mark in MCP_HINTS.items() if getattr(spec, mark) is not None}
    return definition | ({"annotations": hints} if hints else {})


DIALECTS = (
    Dialect(
        name="mcp",
        provider="mcp",
        write=_write,
        limits=_LIMITS,
        forms=(Form("mcp", "/inputSchema", "", ("/inputSchema/json", "/inputSchema")),),
        lists=("tools", "result"),
    ),
)
