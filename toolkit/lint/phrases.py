"""Phrases: patterns that are looked for only in texts with a word of theirs, which is much quicker to see.

Most texts of tools have none of these words. A text with other letters than those of ASCII is always searched, since
some of them count as letters of ASCII where case does not matter.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache


class Phrase:
    """A pattern without regard to case, and words one of which stands in every text that it matches."""

    def __init__(self, pattern: str, *words: str) -> None:
        """Keep the pattern, and the words in small letters."""
        self._written = pattern
        self.words = words

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern, which is compiled once a text has one of the words: that takes a thousand times as long."""
        return re.compile(self._written, re.IGNORECASE)

    def may_stand_in(self, text: str) -> bool:
        """Return whether a text has a word of the phrase, or may have one in other letters."""
        return may_have_one_of(self.words, text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the places where the phrase stands in a text."""
        return self.pattern.finditer(text) if self.may_stand_in(text) else iter(())

    def search(self, text: str) -> re.Match[str] | None:
        """Return the first place where the phrase stands in a text; None if there is none."""
        return self.pattern.search(text) if self.may_stand_in(text) else None


def may_have_one_of(words: Iterable[str], text: str) -> bool:
    """Return whether a text has one of some words, in letters of any case, or may have one in other letters."""
    small = _in_small_letters(text)
    if small is None:
        return True
    for word in words:  # noqa: SIM110 - what `any` needs beside it takes longer than the search itself
        if word in small:
            return True
    return False


@lru_cache(maxsize=64)  # one phrase after the other is looked for in the texts of one tool
def _in_small_letters(text: str) -> str | None:
    return text.lower() if text.isascii() else None
