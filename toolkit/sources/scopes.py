"""Scopes: which tools the steps of a pipeline may name, and what a name in one means."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toolkit.problems import Problem, errors_among
from toolkit.sources.collected import NOT_FOUND, Collected, named_tool, table_of
from toolkit.sources.folders import SUFFIXES
from toolkit.sources.targets import FilesTarget, parse_target
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.sources.opening import SourceOpener

UNKNOWN_TOOL = "TK604"


class Scope:
    """The tools that a pipeline's own `tools:` open, then the configured ones, then the ready ones."""

    def __init__(self, opener: "SourceOpener", own: Mapping[str, Tool] | None = None) -> None:
        """Keep who opens, and the tools of the pipeline's own sources."""
        self._opener = opener
        self._own = own or {}

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the configuration lets expressions read."""
        return {name: os.environ[name] for name in self._opener.configuration.env if name in os.environ}

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        """Return the tool that a step means by a name or by `file.py:name`, or what is wrong; nothing if unknown."""
        if name in self._own:
            return self._own[name]
        if _is_target(name):
            return self._only_tool(name, self._opener.open(name, base))
        if (inner := named_tool([*self._own.values()], name)) is not None:
            return inner
        found = self._opener.find(name)
        return [] if found is None else self._only_tool(name, found)

    def known_names(self, base: Path) -> Iterable[str]:  # noqa: ARG002 - names mean the same in every folder
        """Return the names that `resolve` knows."""
        return dict.fromkeys([*self._own, *self._opener.known_names()])

    def with_sources(self, targets: Sequence[str], *, base: Path) -> tuple[Self, list[Problem]]:
        """Return a scope that knows the tools of these sources too, and what is wrong with the sources.

        A folder or a pattern gives its Python files only: other pipelines are called by their paths.
        """
        found = Collected.nothing()
        for text in targets:
            target = parse_target(text, base)
            if isinstance(target, FilesTarget) and not target.is_single:
                target = target.only_python()
            found.add(self._opener.open_parsed(target, base))
        own, clashes = table_of([*self._own.values(), *found.tools])
        problems = [_as_unknown(problem) for problem in [*found.problems, *clashes]]
        return type(self)(self._opener, own), problems

    def _only_tool(self, name: str, found: Collected) -> Tool | list[Problem]:
        if len(found.tools) == 1 and not errors_among(found.problems):
            return found.tools[0]
        if errors_among(found.problems):
            return [_as_unknown(problem) for problem in found.problems]
        one = found.tools[0].name
        many = f"'{name}' holds {len(found.tools)} tools, and a step calls one"
        return [Problem(UNKNOWN_TOOL, many, hint=f"name it, as in '{name}:{one}'")]


def _is_target(name: str) -> bool:
    return ":" in name or name.endswith(SUFFIXES)


def _as_unknown(problem: Problem) -> Problem:
    """Return what is not found as a fault of the pipeline that names it."""
    return replace(problem, code=UNKNOWN_TOOL) if problem.code == NOT_FOUND else problem
