"""Redactors: what keeps secrets out of everything that is written."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolkit.redactors.redactor import MASK as MASK, RedactedStream as RedactedStream, Redactor as Redactor
else:
    from toolkit.faces import face

    __getattr__, __dir__, __all__ = face(
        __name__,
        {
            "redactor": "MASK RedactedStream Redactor",
        },
    )
