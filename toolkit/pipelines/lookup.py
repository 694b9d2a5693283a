"""Lookup: from the word in `use` to the tool that it means."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from toolkit.codes import UNKNOWN_TOOL
from toolkit.documents.shapes import Word
from toolkit.pipelines.step_keys import STEP_KEYS
from toolkit.problems import Problem, did_you_mean, errors_among, placed, respelled
from toolkit.tools.base import Tool

SHOWN_NAMES = 12


class Names(Protocol):
    """Where the names of tools lead, for one pipeline."""

    def tool(self, word: Word) -> Tool | list[Problem]:
        """Return the tool that a name means, or why there is none; nothing if it is not known at all."""

    def known(self) -> Iterable[str]:
        """Return the names that are known, for hints."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that expressions may read."""

    def refusal_of_environment(self) -> Problem | None:
        """Return why no expression may read the environment variables yet, or None if they may."""


class ToolLookup:
    """Finds the tools of one pipeline, each once, and reports those that there are not."""

    def __init__(self, names: Names, problems: list[Problem]) -> None:
        """Keep where names lead and where problems go."""
        self._names = names
        self._problems = problems
        self._found: dict[str, Tool | list[Problem]] = {}

    def find(self, word: Word) -> Tool | None:
        """Return the tool that a name means, having reported if there is none."""
        if word.text not in self._found:
            self._found[word.text] = self._names.tool(word)
        found = self._found[word.text]
        if isinstance(found, Tool):
            return found
        self._problems += placed(found, word.location)
        if not errors_among(found):
            self._report_unknown(word)
        return None

    def _report_unknown(self, word: Word) -> None:
        from difflib import get_close_matches  # noqa: PLC0415 - only bad news needs it

        known = list(self._names.known())
        hint = did_you_mean(word.text, known)
        if hint is None and (keys := get_close_matches(word.text, STEP_KEYS, n=1, cutoff=0.8)):
            hint = f"did you mean the key {keys[0]!r}?"
        message, fix = f"unknown tool {word.text!r}", respelled(word.text, known, word.location)
        self._problems.append(Problem(UNKNOWN_TOOL, message, word.location, hint=hint or _listed(known), fix=fix))


def _listed(names: Iterable[str]) -> str:
    """Return a hint that names the tools there are, or the first of them where they are many."""
    first, *others = sorted(names) or [""]
    if not first:
        return "name a source of tools under 'tools'"
    shown = [first, *others][:SHOWN_NAMES]
    more = len(others) + 1 - len(shown)
    return f"the tools here are {', '.join(shown)}" + (f" and {more} more" if more else "")
