"""Reads the files of pipelines and agents: the names that they can use, and the model that an agent uses."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from toolkit.codes import NOT_FOUND, UNKNOWN_TOOL
from toolkit.documents.document_reader import read_document
from toolkit.documents.nodes import is_agent
from toolkit.errors import ConfigurationError
from toolkit.problems import Problem, errors_among
from toolkit.settings.configuration import Configuration
from toolkit.sources.collected import Collected, named_tool, table_of
from toolkit.sources.targets import SUFFIXES, FilesTarget, parse_target
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    from toolkit.agents.models.messages import Model
    from toolkit.sources.opening import SourceOpener


class Scope:
    """Resolves the names in a YAML file: tools from its own `tools:`, then configured tools, then ready tools."""

    def __init__(self, opener: "SourceOpener", own: Mapping[str, Tool] | None = None) -> None:
        """Create a scope with an opener and the tools of the file's own sources."""
        self._opener = opener
        self._own = own or {}

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that expressions can read, according to the configuration.

        For commands that only inspect tools, variables that need consent have empty values.
        """
        configuration = self._opener.configuration
        own = configuration.own_env if self._opener.looks else frozenset(configuration.env)
        return {name: os.environ[name] if name in own else "" for name in configuration.env if name in os.environ}

    def refusal_of_environment(self) -> Problem | None:
        """Return why expressions cannot read the environment variables, or `None` if they can."""
        configuration = self._opener.configuration
        if self._opener.looks or configuration.own_env.issuperset(configuration.env):
            return None
        from toolkit.settings.setting_consents import access_of_environment  # few projects read any

        return self._opener.consents.refusal(access_of_environment(configuration))

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        """Return the tool that a name or `file.py:name` refers to, or the problems; an empty list if it is unknown."""
        if name in self._own:
            return self._own[name]
        if ":" in name or name.endswith(SUFFIXES):
            return self._only_tool(name, self._opener.open(name, base, "file"))
        if (inner := named_tool([*self._own.values()], name)) is not None:
            return inner
        found = self._opener.find(name)
        return [] if found is None else self._only_tool(name, found)

    def boundary(self, base: Path) -> Path:
        """Return the folder outside which a file in `base` cannot read texts: the project's folder, or `base`."""
        project = self._opener.configuration.directory
        is_in_project = self._opener.configuration.file is not None and base.resolve().is_relative_to(project.resolve())
        return project if is_in_project else base

    def model_for(self, own: str | None) -> str | None:
        """Return the name of an agent's model: the one that the user chose, its own, or the configured one."""
        configuration = self._opener.configuration
        return configuration.chosen_model or own or configuration.model

    def open_model(self, name: str) -> "Model":
        """Return the model with a name, with the project's settings.

        Raises:
            ConfigurationError: If there is no such model.
        """
        return configured_model(self._opener.configuration, name)

    def open_target(self, target: str, *, base: Path) -> tuple[Sequence[Tool], list[Problem]]:
        """Return the tools of a target in a file in the folder `base`, and all problems.

        Only the Python files of a folder or pattern are opened; pipelines and agents have to be named by their paths.
        """
        parsed = parse_target(target, base)
        if isinstance(parsed, FilesTarget) and not parsed.is_single:
            parsed = parsed.without_pipelines()
        found = self._opener.open_parsed(parsed, base, "file")
        return found.tools, [_as_unknown(problem) for problem in found.problems]

    def open_class(self, target: str, *, base: Path) -> type | list[Problem]:
        """Return the class that an agent file in the folder `base` refers to, or the problems."""
        found = self._opener.open_class(target, base)
        return found if isinstance(found, type) else [_as_unknown(problem) for problem in found]

    def known_names(self, base: Path) -> Iterable[str]:  # names are the same in every folder
        """Return all names that `resolve` and `open_target` can find."""
        return dict.fromkeys([*self._own, *self._opener.known_names()])

    def with_sources(self, targets: Sequence[str], *, base: Path) -> tuple[Self, list[Problem]]:
        """Return a scope with the tools of further sources, and the problems of these sources.

        Only the Python files of a folder or pattern are opened; pipelines and agents have to be named by their paths.
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
        many = f"'{name}' has {len(found.tools)} tools, and a step calls one"
        return [Problem(UNKNOWN_TOOL, many, hint=f"name it, as in '{name}:{one}'")]


def _as_unknown(problem: Problem) -> Problem:
    """Return a problem with the code for unknown tools if a target was not found."""
    return replace(problem, code=UNKNOWN_TOOL) if problem.code == NOT_FOUND else problem


_CHAT = "chat:"


def configured_model(
    configuration: Configuration,
    name: str | None = None,
    *,
    base_url: str | None = None,
    timeout: float | None = None,
) -> "Model":
    """Return a model with its settings from the configuration.

    Args:
        configuration: Contains the default model, and the URL, timeout and prices of models.
        name: The name of the model; the configured one by default.
        base_url: The URL of its server; by default the configured one, which is only used for `chat:NAME`.
        timeout: Maximum time in seconds for which the model can send nothing; the configured one by default.

    Raises:
        ConfigurationError: If no model is configured, or it cannot be used.
    """
    wanted = name or configuration.model
    if wanted is None:
        hint = "name one with --model, TOOLKIT_MODEL, or `defaults = { model = '…' }` in the configuration"
        raise ConfigurationError(problems=[Problem("", "no model is named", hint=hint)])
    if base_url is None and wanted.startswith(_CHAT):
        base_url = configuration.model_url
    silence = configuration.model_timeout if timeout is None else timeout
    from toolkit.agents.models.named_models import open_model  # only agents have models

    return open_model(wanted, base_url, timeout=silence, prices=configuration.prices)


def read_yaml(path: Path, opener: "SourceOpener") -> tuple[Tool | None, list[Problem]]:
    """Return the tool of a pipeline or agent file, and all problems."""
    document = read_document(path)
    if is_agent(document[0]):
        from toolkit.agents.files.agent_loading import read_agent  # most files are pipelines

        return read_agent(path, Scope(opener), document)
    from toolkit.pipelines.loading import read_pipeline  # agents need no plans

    return read_pipeline(path, Scope(opener), document)
