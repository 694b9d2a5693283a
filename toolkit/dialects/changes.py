"""Changes: what an export did to a definition, what it could not mend, and the notes that are taken on the way."""

from typing import Any, NamedTuple

from toolkit.codes import UNSUPPORTED_KEYWORD
from toolkit.dialects.limits import Limit
from toolkit.problems import Severity


class Change(NamedTuple):
    """One difference between an export and the specification.

    Attributes:
        pointer: Where, as a JSON pointer into the specification's own JSON form: `/parameters/properties/city`.
        what: What was done, such as `made required; null means left out`.
        limit: Why: the provider's limit, with its source and the day it was checked.
        code: The rule that speaks of it where the definition is sent as it was; empty if it could be.
    """

    pointer: str
    what: str
    limit: Limit[Any]
    code: str = UNSUPPORTED_KEYWORD


class Objection(NamedTuple):
    """One thing that a provider will refuse or misread, and that no export can fix.

    Attributes:
        code: The rule that speaks of it, such as `TK102`.
        pointer: Where, as a JSON pointer into the specification or into the definition that was looked at.
        message: What is wrong, with the offending name in single quotes, and no full stop.
        severity: With an `error` the provider refuses the request; with a `warning` a part of the tool is lost.
        limit: The provider's limit, with its source and the day it was checked.
        hint: What to do about it.
    """

    code: str
    pointer: str
    message: str
    severity: Severity
    limit: Limit[Any]
    hint: str | None = None


class Notes:
    """What is noted while an export is made; what was noted of one place is not noted of it again."""

    def __init__(self) -> None:
        self._changes: dict[Change, None] = {}
        self._objections: dict[tuple[str, str, str], Objection] = {}

    @property
    def changes(self) -> tuple[Change, ...]:
        """What was changed, in the order in which it happened."""
        return tuple(self._changes)

    @property
    def objections(self) -> tuple[Objection, ...]:
        """What could not be mended."""
        return tuple(self._objections.values())

    def changed(self, pointer: str, what: str, limit: Limit[Any], code: str = UNSUPPORTED_KEYWORD) -> None:
        self._changes.setdefault(Change(pointer, what, limit, code))

    def object_to(self, objection: Objection) -> None:
        """Note what cannot be mended."""
        self._objections.setdefault((objection.code, objection.pointer, objection.message), objection)
