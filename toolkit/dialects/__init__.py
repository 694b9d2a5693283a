"""Dialects: one specification, written as each provider takes it; what was changed, and what cannot be said there.

export(spec, "openai-strict").definition       what the request carries
objections(spec, "anthropic-strict")           what the provider will refuse, and no export can mend
limits.LIMITS["gemini"].name_length            what is known of a provider, with its source
"""

from toolkit.dialects.changes import Change, Objection
from toolkit.dialects.conformance import PROVIDERS, objections, request_objections
from toolkit.dialects.exporting import DIALECTS, Export, export, request_tools

__all__ = [
    "DIALECTS",
    "PROVIDERS",
    "Change",
    "Export",
    "Objection",
    "export",
    "objections",
    "request_objections",
    "request_tools",
]
