"""Records what an export changed in a definition, and what it could not fix."""

from typing import Any, NamedTuple

from toolkit.codes import UNSUPPORTED_KEYWORD
from toolkit.dialects.limits import Limit
from toolkit.problems import Severity


class Change(NamedTuple):
    """One difference between an export and the specification.

    Attributes:
        pointer: The location, as a JSON pointer into the specification as JSON: `/parameters/properties/city`.
        what: What was changed, such as `made required; null means left out`.
        limit: The reason: the provider's limit, with its source and the day it was checked.
        code: The rule that reports it if the definition is sent unchanged; empty if that is possible.
    """

    pointer: str
    what: str
    limit: Limit[Any]
    code: str = UNSUPPORTED_KEYWORD


class Objection(NamedTuple):
    """Something that a provider refuses or misreads, and that no export can fix.

    Attributes:
        code: The rule that reports it, such as `TK102`.
        pointer: The location, as a JSON pointer into the specification or the definition that was checked.
        message: What is wrong, with the offending name in single quotes, and no full stop.
        severity: An `error` if the provider refuses the request, a `warning` if a part of the tool is lost.
        limit: The provider's limit, with its source and the day it was checked.
        hint: How to fix it.
    """

    code: str
    pointer: str
    message: str
    severity: Severity
    limit: Limit[Any]
    hint: str | None = None


def refusal(code: str, pointer: str, message: str, limit: Limit[Any], hint: str | None = None) -> Objection:
    """Return the objection, an error, to something that a provider refuses."""
    return Objection(code, pointer, message=message, severity="error", limit=limit, hint=hint)


class Notes:
    """The changes and objections of an export, each of them once."""

    def __init__(self) -> None:
        self._changes: dict[Change, None] = {}
        self._objections: dict[tuple[str, str, str], Objection] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes, in the order in which they were made."""
        return tuple(self._changes)

    @property
    def objections(self) -> tuple[Objection, ...]:
        """The objections to what could not be fixed."""
        return tuple(self._objections.values())

    def changed(self, pointer: str, what: str, limit: Limit[Any], code: str = UNSUPPORTED_KEYWORD) -> None:
        self._changes.setdefault(Change(pointer, what, limit, code))

    def object_to(self, objection: Objection) -> None:
        """Record what cannot be fixed."""
        self._objections.setdefault((objection.code, objection.pointer, objection.message), objection)
