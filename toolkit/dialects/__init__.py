"""Writes a tool's specification as each provider accepts it, and reports changes and what cannot be expressed.

export(spec, "openai-strict").definition       the definition in the request
objections(spec, "anthropic-strict")           what the provider refuses, and no export can fix
LIMITS["gemini"].name_length                   a limit of a provider, with its source
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.dialects.client_results import RESULTS as RESULTS, received as received
    from toolkit.dialects.clients import CLIENTS as CLIENTS
    from toolkit.dialects.conformance import (
        PROVIDERS as PROVIDERS,
        objections as objections,
        request_objections as request_objections,
    )
    from toolkit.dialects.provider_limits import (
        Change as Change,
        Limit as Limit,
        Limits as Limits,
        Objection as Objection,
    )
    from toolkit.dialects.providers import (
        LIMITS as LIMITS,
        Export as Export,
        export as export,
        request_tools as request_tools,
    )
    from toolkit.dialects.recognizing import definitions_in as definitions_in, recognize as recognize
    from toolkit.dialects.registry import DIALECTS as DIALECTS
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "client_results": "received RESULTS",
            "clients": "CLIENTS",
            "conformance": "objections PROVIDERS request_objections",
            "provider_limits": "Change Limit Limits Objection",
            "providers": "Export export LIMITS request_tools",
            "recognizing": "definitions_in recognize",
            "registry": "DIALECTS",
        },
    )
