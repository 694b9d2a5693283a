"""Scopes: which tools a pipeline or an agent may name, what a name in one means, and which model answers."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toolkit.codes import NOT_FOUND, UNKNOWN_TOOL
from toolkit.problems import Problem, errors_among
from toolkit.sources.collected import Collected, named_tool, table_of
from toolkit.sources.folders import SUFFIXES
from toolkit.sources.targets import FilesTarget, parse_target
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.agents.models.messages import Model
    from toolkit.sources.openers import Opener


class Scope:
    """What a YAML file may name: tools of its own `tools:`, then the configured ones, then the ready ones."""

    def __init__(self, opener: "Opener", own: Mapping[str, Tool] | None = None) -> None:
        """Keep who opens, and the tools of the pipeline's own sources."""
        self._opener = opener
        self._own = own or {}

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that the configuration lets expressions read.

        Commands that only look see their names, and not what those that wait for consent hold.
        """
        configuration = self._opener.configuration
        own = configuration.own_env if self._opener.looks else frozenset(configuration.env)
        return {name: os.environ[name] if name in own else "" for name in configuration.env if name in os.environ}

    def refusal_of_environment(self) -> Problem | None:
        """Return why no expression may read the environment variables, or None if they may."""
        configuration = self._opener.configuration
        if self._opener.looks or configuration.own_env.issuperset(configuration.env):
            return None
        from toolkit.sources.setting_consents import access_of_environment  # noqa: PLC0415 - few projects read any

        return self._opener.consents.refusal(access_of_environment(configuration))

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        """Return the tool that a step means by a name or by `file.py:name`, or what is wrong; nothing if unknown."""
        if name in self._own:
            return self._own[name]
        if ":" in name or name.endswith(SUFFIXES):
            return self._only_tool(name, self._opener.open(name, base, "file"))
        if (inner := named_tool([*self._own.values()], name)) is not None:
            return inner
        found = self._opener.find(name)
        return [] if found is None else self._only_tool(name, found)

    def boundary(self, base: Path) -> Path:
        """Return the folder beyond which a file in the folder `base` reads no text: that of the project, or its own."""
        project = self._opener.configuration.directory
        is_in_project = self._opener.configuration.file is not None and base.resolve().is_relative_to(project.resolve())
        return project if is_in_project else base

    def model_for(self, own: str | None) -> str | None:
        """Return the name of the model that answers an agent: the user's, its own, or the configured one."""
        configuration = self._opener.configuration
        return configuration.chosen_model or own or configuration.model

    def open_model(self, name: str) -> "Model":
        """Return the model of a name, with the settings of the project.

        Raises:
            ConfigurationError: If there is none.
        """
        from toolkit.sources.models import configured_model  # noqa: PLC0415 - only an agent that runs has a model

        return configured_model(self._opener.configuration, name)

    def open_target(self, target: str, *, base: Path) -> tuple[Sequence[Tool], list[Problem]]:
        """Return the tools of a target that an agent in the folder `base` names, and what is wrong with the others.

        A folder or a pattern gives its Python files only: pipelines and other agents are named by their paths.
        """
        parsed = parse_target(target, base)
        if isinstance(parsed, FilesTarget) and not parsed.is_single:
            parsed = parsed.only_python()
        found = self._opener.open_parsed(parsed, base, "file")
        return found.tools, [_as_unknown(problem) for problem in found.problems]

    def open_class(self, target: str, *, base: Path) -> type | list[Problem]:
        """Return the class that an agent in the folder `base` names, or why there is none."""
        found = self._opener.open_class(target, base)
        return found if isinstance(found, type) else [_as_unknown(problem) for problem in found]

    def known_names(self, base: Path) -> Iterable[str]:  # noqa: ARG002 - names mean the same in every folder
        """Return the names that `resolve` and `open_target` know."""
        return dict.fromkeys([*self._own, *self._opener.known_names()])

    def with_sources(self, targets: Sequence[str], *, base: Path) -> tuple[Self, list[Problem]]:
        """Return a scope that knows the tools of these sources too, and what is wrong with the sources.

        A folder or a pattern gives its Python files only: other pipelines are called by their paths.
        """
        found = Collected.nothing()
        for text in targets:
            opened, problems = self.open_target(text, base=base)
            found.add(Collected([*opened], problems))
        own, clashes = table_of([*self._own.values(), *found.tools])
        return type(self)(self._opener, own), [*found.problems, *clashes]

    def _only_tool(self, name: str, found: Collected) -> Tool | list[Problem]:
        if len(found.tools) == 1 and not errors_among(found.problems):
            return found.tools[0]
        if errors_among(found.problems):
            return [_as_unknown(problem) for problem in found.problems]
        one = found.tools[0].name
        many = f"'{name}' holds {len(found.tools)} tools, and a step calls one"
        return [Problem(UNKNOWN_TOOL, many, hint=f"name it, as in '{name}:{one}'")]


def _as_unknown(problem: Problem) -> Problem:
    """Return what is not found as a fault of the pipeline that names it."""
    return replace(problem, code=UNKNOWN_TOOL) if problem.code == NOT_FOUND else problem
