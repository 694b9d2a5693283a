"""Redactors: what keeps secrets out of everything that is written."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolkit.redactors.redactor import MASK, RedactedStream, Redactor

__all__ = ["MASK", "RedactedStream", "Redactor"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name in __all__:
        from toolkit.redactors import redactor  # noqa: PLC0415 - importing the room loads nothing

        return getattr(redactor, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
