"""Fits express whether something matches a rule, which can also be in doubt or known only later."""

from collections.abc import Iterable
from typing import Final, Literal

Fit = Literal["yes", "no", "doubt", "later"]
"""Whether something matches. `doubt`: this cannot be decided, so an allow rule does not apply and any other rule does.
`later`: the value is not known before a pipeline runs."""

_OPPOSITES: Final[dict[Fit, Fit]] = {"yes": "no", "no": "yes", "doubt": "doubt", "later": "later"}


def fit_of(is_so: bool) -> Fit:  # noqa: FBT001 - it is the only argument
    """Return `yes` or `no`."""
    return "yes" if is_so else "no"


def opposite(fit: Fit) -> Fit:
    """Return the fit of the negated condition."""
    return _OPPOSITES[fit]


def all_fit(fits: Iterable[Fit]) -> Fit:
    """Combine fits that must all be `yes`."""
    found = set(fits)
    return next((fit for fit in ("no", "later", "doubt") if fit in found), "yes")


def any_fits(fits: Iterable[Fit]) -> Fit:
    """Combine fits of which at least one must be `yes`."""
    found = set(fits)
    return next((fit for fit in ("yes", "later", "doubt") if fit in found), "no")


def each_fits(fits: Iterable[Fit]) -> Fit:
    """Combine the fits of the items of a list; if they differ, the result is `doubt`, and for no items `no`."""
    found = set(fits)
    return found.pop() if len(found) == 1 else "doubt" if found else "no"
