"""Finds the forms of known secrets in text: whole, or cut off by the end of the text or by an ellipsis."""

import re
import threading
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from toolkit.redactors.secret_encodings import Forms, forms_of

_MOST_LEARNT = 1_000
_SHORTEST_PART = 4
_SHORTEST_MIDDLE = 6
_ELLIPSIS = re.compile(r"""[ \[(<'"\\]*(?:…|\.{3,}|\\u2026|&hellip;)[ \])>'"]*""")
_ELLIPSES = ("…", "...", "\\u2026", "&hellip;")
Span = tuple[int, int]


class KnownSecrets:
    """Secret values, and the forms to search for; safe to use from several threads.

    Attributes:
        values: The secrets, with their forms.
        written: What to search for in a text.
        decoded: What to search for in a text whose escapes were undone.
        squeezed: What to search for in a text whose layout was removed.
    """

    def __init__(self) -> None:
        """Start without any."""
        self.values: dict[str, Forms] = {}
        self.written = self.decoded = self.squeezed = Wanted(())
        self._lock = threading.Lock()

    def add(self, values: Iterable[str]) -> None:
        """Add values; if there are more than a thousand, only the newest thousand are kept."""
        with self._lock:
            kept = {**self.values, **{value: forms_of(value) for value in values}}
            self.values = dict(list(kept.items())[-_MOST_LEARNT:])
            every = self.values.values()
            self.written = Wanted(form for forms in every for form in forms.written)
            self.decoded = Wanted(form for forms in every for form in forms.decoded)
            self.squeezed = Wanted(form for forms in every for form in forms.squeezed)


class Wanted:
    """Strings to search for, the shortest first."""

    def __init__(self, forms: Iterable[str]) -> None:
        """Sort the strings."""
        self.forms = sorted(set(forms), key=len)
        self._lengths = [len(form) for form in self.forms]

    def found_in(self, text: str) -> list[str]:
        """Return the strings that a text contains."""
        return [form for form in self.forms[: bisect_right(self._lengths, len(text))] if form in text]


def spans_of(wanted: Wanted, text: str, *, is_cut: bool = False, has_cuts: bool = True) -> Iterator[Span]:
    """Yield where the forms, and parts of them next to an ellipsis, are in a text; they may overlap.

    Args:
        wanted: What to search for.
        text: The text.
        is_cut: Whether the text was truncated, so that it may end with the beginning of a form.
        has_cuts: Whether an ellipsis in the text means that something was left out.
    """
    for form in wanted.found_in(text):
        start = text.find(form)
        while start >= 0:
            yield start, start + len(form)
            start = text.find(form, start + 1)
    cuts = list(_ELLIPSIS.finditer(text)) if has_cuts and any(dots in text for dots in _ELLIPSES) else []
    if not cuts and not is_cut:
        return
    starts = [cut.end() for cut in cuts]
    ends = [cut.start() for cut in cuts] + ([len(text)] if is_cut else [])
    for form in wanted.forms:
        if form[:_SHORTEST_PART] in text:
            yield from _beginnings(form, text, ends)
    parts = {part for start in starts if len(part := text[start : start + _SHORTEST_PART]) == _SHORTEST_PART}
    with_part = {part: [form for form in wanted.forms if part in form] for part in parts}
    for start, end in zip_longest(starts, ends[1:], fillvalue=len(text)):
        for form in with_part.get(text[start : start + _SHORTEST_PART], ()):
            yield from _endings(form, text, start)
            if end - start >= _SHORTEST_MIDDLE and text[start:end] in form:  # cut at both sides
                yield start, end


def _beginnings(form: str, text: str, ends: Iterable[int]) -> Iterator[Span]:
    """Yield where an incomplete form begins that ends at one of these positions."""
    seed = form[:_SHORTEST_PART]
    for end in ends:
        start = text.find(seed, max(0, end - len(form)), end)
        while start >= 0:
            if form.startswith(text[start:end]):
                yield start, end
                break
            start = text.find(seed, start + 1, end)


def _endings(form: str, text: str, start: int) -> Iterator[Span]:
    """Yield how far the last part of a form reaches that starts at a position."""
    seed = text[start : start + _SHORTEST_PART]
    place = form.find(seed)
    while place >= 0:
        if text.startswith(form[place:], start):
            yield start, start + len(form) - place
            return
        place = form.find(seed, place + 1)


def start_of_begun_form(wanted: Wanted, text: str) -> int | None:
    """Return where the first form begins that the end of a text cuts off, with at least a few of its characters."""
    ends = [len(text)]
    begun = (start for form in wanted.forms for start, _ in _beginnings(form, text, ends))
    return min(begun, default=None)
