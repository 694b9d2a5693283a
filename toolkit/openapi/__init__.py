"""Turn the operations of OpenAPI documents into tools.

A document is read and resolved to plain values (`operations`); from then on, nothing looks into the document again.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.openapi.operations import (
        Answer as Answer,
        Body as Body,
        Encoding as Encoding,
        Operation as Operation,
        Parameter as Parameter,
        SecurityScheme as SecurityScheme,
    )
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__, {"operations": "Answer Body Encoding Operation Parameter SecurityScheme"}
    )
