"""Loads a Pipeline from a YAML file, or reports every reason why it cannot be loaded.

This package does not depend on sources of tools. The caller passes an `Opening`, which resolves the names in `use:`.
Paths of other pipelines (`./other.yaml`) are not passed to it but read here, so that circular references between files
are found. Paths of agents, which are YAML files too, are passed to it. If the file lists sources under `tools:`, names
are looked up in the opening that `with_sources` returns for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, Self

from toolkit.codes import CIRCLE_OF_PIPELINES, UNKNOWN_TOOL
from toolkit.documents import Node, find_traps, is_agent, read_document
from toolkit.documents.document_reader import Document
from toolkit.documents.nodes import BoundedProblems, TooManyProblems, Word
from toolkit.pipelines.pipeline import Pipeline
from toolkit.pipelines.pipeline_format import read_definition
from toolkit.pipelines.planning import make_plan
from toolkit.problems import Problem, errors_among, in_order, set_missing_locations
from toolkit.regular_files import without_detours
from toolkit.tools.base import Tool

MAX_FILES_DEEP = 20
SUFFIXES = (".yaml", ".yml")


class Opening(Protocol):
    """Resolves the names in a pipeline's file. `toolkit.sources` implements it; a test can use a dict of tools."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the configuration allows expressions to read."""

    def refusal_of_environment(self) -> Problem | None:
        """Return why expressions may not read environment variables yet, or `None` if they may.

        It is called only if an expression reads one.
        """

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        """Return the tool that `name` refers to in a file in the folder `base`, or the problems that prevent it.

        For an unknown name, return an empty list: the pipeline then reports the name (`TK604`) at its location and
        suggests the nearest known names. Problems without a location get the location of the name.
        """

    def known_names(self, base: Path) -> Iterable[str]:
        """Return the names that `resolve` accepts, for hints."""

    def with_sources(self, targets: Sequence[str], *, base: Path) -> tuple[Self, list[Problem]]:
        """Return an opening that also resolves the tools of these sources, and the problems with the sources.

        A source that cannot be opened does not affect the others. This is called with one target at a time, and
        problems without a location get the location of the target.
        """


def read_pipeline(
    path: Path, opening: Opening, document: Document | None = None
) -> tuple[Pipeline | None, list[Problem]]:
    """Read a pipeline from a YAML file.

    Args:
        path: The file.
        opening: Resolves the names in the file.
        document: The file's document, if it has been read already.

    Returns:
        The pipeline, or `None` if any problem is an error, and all problems in the order of their locations.
    """
    return _read(path, document or read_document(path), opening, (), {})


_Found = tuple[Tool | None, list[Problem]]


def _read(
    path: Path, document: Document, opening: Opening, trail: tuple[Path, ...], others: dict[Path, _Found]
) -> tuple[Pipeline | None, list[Problem]]:
    root, found = document
    if root is None:
        return None, found
    problems = BoundedProblems(found)
    try:
        return _plan(path, root, problems=problems, opening=opening, trail=trail, others=others)
    except TooManyProblems:
        return None, in_order(problems.closed(str(path)))


def _plan(
    path: Path,
    root: Node,
    problems: list[Problem],
    opening: Opening,
    trail: tuple[Path, ...],
    others: dict[Path, _Found],
) -> tuple[Pipeline | None, list[Problem]]:
    problems += find_traps(root)
    definition = read_definition(root, problems)
    if definition is None:
        return None, problems
    base = path.parent
    inner = opening
    for target in definition.tools:
        inner, found = inner.with_sources([target.text], base=base)
        problems += set_missing_locations(found, target.location)
    names = _Names(inner, opening, base, (*trail, path.resolve()), others)
    plan = make_plan(definition, names, problems)
    return (None if plan is None else Pipeline(plan)), in_order(problems)


class _Names:
    """Resolves the names of one file: paths of other pipelines itself, everything else through the opening."""

    def __init__(
        self, opening: Opening, outer: Opening, base: Path, trail: tuple[Path, ...], others: dict[Path, _Found]
    ) -> None:
        self._opening = opening
        self._outer = outer
        self._base = base
        self._trail = trail
        self._others = others

    @property
    def environment(self) -> Mapping[str, str]:
        return self._opening.environment

    def refusal_of_environment(self) -> Problem | None:
        return self._opening.refusal_of_environment()

    def known(self) -> Iterable[str]:
        return self._opening.known_names(self._base)

    def tool(self, word: Word) -> Tool | list[Problem]:
        if word.text.endswith(SUFFIXES):
            return self._pipeline(word)
        return self._opening.resolve(word.text, base=self._base)

    def _pipeline(self, word: Word) -> Tool | list[Problem]:
        """Return the pipeline or agent at a path, or the problems with it, such as a circular reference."""
        path = without_detours(self._base / word.text)
        resolved = path.resolve()
        if resolved in self._trail:
            chain = " → ".join(one.name for one in (*self._trail[self._trail.index(resolved) :], resolved))
            message = f"pipelines call each other in a circle: {chain}"
            return [Problem(CIRCLE_OF_PIPELINES, message, word.location, hint="remove one of these steps")]
        if len(self._trail) >= MAX_FILES_DEEP:
            return [
                Problem(
                    CIRCLE_OF_PIPELINES, f"pipelines call each other more than {MAX_FILES_DEEP} deep", word.location
                )
            ]
        if not path.is_file():
            return [
                Problem(UNKNOWN_TOOL, f"there is no pipeline {word.text!r}", word.location, hint=f"looked for {path}")
            ]
        if resolved not in self._others:
            self._others[resolved] = self._other(word, path)
        tool, problems = self._others[resolved]
        return errors_among(problems) if tool is None else tool

    def _other(self, word: Word, path: Path) -> _Found:
        document = read_document(path)
        if not is_agent(document[0]):
            return _read(path, document, self._outer, self._trail, self._others)
        found = self._outer.resolve(word.text, base=self._base)
        return (found, []) if isinstance(found, Tool) else (None, found)
