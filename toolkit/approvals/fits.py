"""Fits: whether something is what a rule is about, where that may be in doubt, or known only later."""

from collections.abc import Iterable
from typing import Final, Literal

Fit = Literal["yes", "no", "doubt", "later"]
"""`doubt`: the fit is unknown, so a rule that allows does not apply and every other one does. `later`: the value is
computed while a pipeline runs."""

_OPPOSITES: Final[dict[Fit, Fit]] = {"yes": "no", "no": "yes", "doubt": "doubt", "later": "later"}


def fit_of(is_so: bool) -> Fit:  # noqa: FBT001 - it is what is asked
    """Return the fit for a known answer."""
    return "yes" if is_so else "no"


def opposite(fit: Fit) -> Fit:
    """Return the fit of what must not be so."""
    return _OPPOSITES[fit]


def all_fit(fits: Iterable[Fit]) -> Fit:
    """Return whether everything fits that has to."""
    found = set(fits)
    return next((fit for fit in ("no", "later", "doubt") if fit in found), "yes")


def any_fits(fits: Iterable[Fit]) -> Fit:
    """Return whether one of several fits."""
    found = set(fits)
    return next((fit for fit in ("yes", "later", "doubt") if fit in found), "no")


def each_fits(fits: Iterable[Fit]) -> Fit:
    """Return whether a list fits; if some of its items do and others do not, the fit is in doubt."""
    found = set(fits)
    return found.pop() if len(found) == 1 else "doubt" if found else "no"
