"""Dialects: one specification, written as each provider takes it; what was changed, and what cannot be said there.

    export(spec, "openai-strict").definition       what the request carries
    objections(spec, "anthropic-strict")           what the provider will refuse, and no export can mend
    providers.LIMITS["gemini"].name_length         what is known of a provider, with its source

Each name is loaded when it is first used, so that knowing which dialects there are costs nothing.
"""

from typing import TYPE_CHECKING, Any

from toolkit.dialects.names import DIALECTS

if TYPE_CHECKING:
    from toolkit.dialects.changes import Change, Objection
    from toolkit.dialects.conformance import PROVIDERS, objections, request_objections
    from toolkit.dialects.exporting import Export, export, request_tools

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

_HOMES = {
    "Change": "changes",
    "Objection": "changes",
    "PROVIDERS": "conformance",
    "objections": "conformance",
    "request_objections": "conformance",
    "Export": "exporting",
    "export": "exporting",
    "request_tools": "exporting",
}


def __getattr__(name: str) -> Any:
    """Load a name from its home."""
    from importlib import import_module  # noqa: PLC0415

    if name not in _HOMES:
        message = f"module 'toolkit.dialects' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"toolkit.dialects.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
