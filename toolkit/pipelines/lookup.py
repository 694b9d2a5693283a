"""Looks up the tool that a name under `use` refers to."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from toolkit.codes import UNKNOWN_TOOL
from toolkit.documents.nodes import Word
from toolkit.pipelines.step_keys import STEP_KEYS
from toolkit.problems import (
    Problem,
    did_you_mean,
    errors_among,
    first_names,
    fix_spelling,
    nearest,
    set_missing_locations,
)
from toolkit.tools.base import Tool


class Names(Protocol):
    """Resolves the names of tools for one pipeline."""

    def tool(self, word: Word) -> Tool | list[Problem]:
        """Return the tool that a name refers to, or the problems with it; an empty list if the name is unknown."""

    def known(self) -> Iterable[str]:
        """Return the known names, for hints."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that expressions may read."""

    def refusal_of_environment(self) -> Problem | None:
        """Return why expressions may not read environment variables yet, or `None` if they may."""


class ToolLookup:
    """Finds the tools of one pipeline and reports unknown ones. Each name is looked up only once."""

    def __init__(self, names: Names, problems: list[Problem]) -> None:
        self._names = names
        self._problems = problems
        self._found: dict[str, Tool | list[Problem]] = {}

    def find(self, word: Word) -> Tool | None:
        """Return the tool that a name refers to, or report why there is none and return `None`."""
        if word.text not in self._found:
            self._found[word.text] = self._names.tool(word)
        found = self._found[word.text]
        if isinstance(found, Tool):
            return found
        self._problems += set_missing_locations(found, word.location)
        if not errors_among(found):
            self._report_unknown(word)
        return None

    def _report_unknown(self, word: Word) -> None:
        known = list(self._names.known())
        hint = did_you_mean(word.text, known)
        if hint is None and (keys := nearest(word.text, STEP_KEYS, most=1, cutoff=0.8)):
            hint = f"did you mean the key {keys[0]!r}?"
        message, fix = f"unknown tool {word.text!r}", fix_spelling(word.text, known, word.location)
        self._problems.append(Problem(UNKNOWN_TOOL, message, word.location, hint=hint or _listed(known), fix=fix))


def _listed(names: Iterable[str]) -> str:
    """Return a hint that lists the known tools, or the first of them if there are many."""
    known = first_names(names)
    return f"the tools here are {known}" if known else "list a source of tools under 'tools'"
