"""Turn the operations of OpenAPI documents into tools.

A document is read once (`ApiDocument`), and its operations are resolved to plain values (`OperationReader`); from then
on, nothing looks into the document again.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.openapi.access import ServerAccess as ServerAccess, base_of as base_of, consent_to as consent_to
    from toolkit.openapi.credentials import Credentials as Credentials, OAuthClient as OAuthClient
    from toolkit.openapi.documents import ApiDocument as ApiDocument
    from toolkit.openapi.operation_reader import (
        OperationReader as OperationReader,
        Outline as Outline,
        outlines_of as outlines_of,
    )
    from toolkit.openapi.operation_tools import OperationTool as OperationTool
    from toolkit.openapi.operations import (
        Answer as Answer,
        Body as Body,
        Encoding as Encoding,
        Operation as Operation,
        Parameter as Parameter,
        SecurityScheme as SecurityScheme,
    )
    from toolkit.openapi.tool_specs import spec_of as spec_of
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "access": "ServerAccess base_of consent_to",
            "credentials": "Credentials OAuthClient",
            "documents": "ApiDocument",
            "operation_reader": "OperationReader Outline outlines_of",
            "operation_tools": "OperationTool",
            "operations": "Answer Body Encoding Operation Parameter SecurityScheme",
            "tool_specs": "spec_of",
        },
    )
