"""Selects rules by codes, prefixes of codes and names, as in ruff.

A rule that is off by default works like a preview rule in ruff: only its full code or its name turns it on.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolkit.codes import (
    BAD_CONFIGURATION,
    BROKEN_DOCUMENT,
    CONSENT_MISSING,
    DOES_NOT_IMPORT,
    HIDDEN_MODULE,
    INCOMPLETE_GROUP,
    NO_TOOLS,
    NOT_A_TOOL,
    NOT_FOUND,
    PERMISSION_NOT_GRANTED,
    SERVER_UNREACHABLE,
)
from toolkit.lint.rules import codes, is_default, name_of
from toolkit.problems import did_you_mean

ALL = "ALL"

_CERTAIN = (
    NOT_FOUND, DOES_NOT_IMPORT, NOT_A_TOOL, NO_TOOLS, BAD_CONFIGURATION, HIDDEN_MODULE, PERMISSION_NOT_GRANTED,
    INCOMPLETE_GROUP, CONSENT_MISSING, SERVER_UNREACHABLE, BROKEN_DOCUMENT,
)  # fmt: skip
"""Codes that are always selected: where they are reported, nothing could be checked."""


class Selection(NamedTuple):
    """A selection of rules; each part is a code, a prefix of codes, a name, or `ALL`.

    Attributes:
        select: The rules to check; by default, all that are on by default.
        ignore: The rules to ignore.
        extend_select: The rules to check in addition.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()

    def wants(self, code: str, *, before: bool) -> bool:
        """Return whether a rule is selected.

        The longest part that matches a code decides; of equally long ones, `ignore` does. Codes that are always
        selected stay so unless they are ignored; a rule that is off by default is only selected by its full code or
        name.

        Args:
            code: The code of a rule.
            before: Whether it was selected so far, in case `select` is not set.
        """
        wanted, unwanted = _nearest((*(self.select or ()), *self.extend_select), code), _nearest(self.ignore, code)
        if wanted < len(code) and not is_default(code):
            wanted = -1
        keeps = before and self.select is None
        return wanted > unwanted or (unwanted < 0 and (keeps or code in _CERTAIN))


def is_selected(code: str, layers: Sequence[Selection]) -> bool:
    """Return whether a code is selected after each layer is applied: the settings first, then the command line."""
    wanted = is_default(code)
    for layer in layers:
        wanted = layer.wants(code, before=wanted)
    return wanted


def selected_codes(layers: Sequence[Selection]) -> frozenset[str]:
    """Return the selected codes after each layer is applied."""
    return frozenset(code for code in codes() if is_selected(code, layers))


def unknown_parts(parts: Iterable[str]) -> list[tuple[str, str | None]]:
    """Return the parts that match no rule, each with a hint."""
    wrong = [part for part in parts if not any(_fit(part, code) >= 0 for code in codes())]
    return [(part, did_you_mean(part, map(name_of, codes()))) for part in wrong]


def fits(part: str, code: str) -> bool:
    """Return whether a code, a prefix, a name or `ALL` matches a code."""
    return _fit(part, code) >= 0


def meant_by(part: str) -> frozenset[str]:
    """Return the codes that match a code, a prefix, a name or `ALL`."""
    return frozenset(code for code in codes() if fits(part, code))


def _nearest(parts: Iterable[str], code: str) -> int:
    return max((_fit(part, code) for part in parts), default=-1)


def _fit(part: str, code: str) -> int:
    """Return the length of the match of a part with a code, or -1."""
    wanted = part.strip()
    if wanted.upper() == ALL:
        return 0
    if code.startswith(wanted.upper()) and wanted:
        return len(wanted)
    if wanted and not wanted[-1].isdigit() and wanted.islower() and wanted == name_of(code):
        return len(code)
    return -1
