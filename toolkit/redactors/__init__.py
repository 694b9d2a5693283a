"""Masks secrets in everything that is written: output, logs, events and messages."""

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
