"""Loads an agent from a YAML file, or reports every reason why it cannot be loaded.

This package does not depend on sources of tools. The caller passes an `Opening`, which opens the targets under `tools:`
and the model.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from toolkit.agents.files.agent_definitions import AgentDefinition, ReferenceDefinition
from toolkit.agents.files.agent_keys import read_definition
from toolkit.agents.files.declared_agents import DeclaredAgent, Parts, inputs_of, make_kind, placed_tools, start_input
from toolkit.agents.kinds import names_within
from toolkit.agents.models.messages import Model
from toolkit.agents.models.named_models import model_problem
from toolkit.agents.models.scripted import SCRIPTED, ScriptedModel, runs_code
from toolkit.agents.offered_tools import Chaining, chained_names, chaining_problems
from toolkit.agents.references import Reference, referenced_tools
from toolkit.codes import DUPLICATE_TOOL_NAME, IN_NO_STATE, UNKNOWN_KEY, UNKNOWN_TOOL, UNUSED_INPUT
from toolkit.disclosure.offering import folded_tools
from toolkit.documents import nodes
from toolkit.documents.document_reader import Document, near_file, read_document
from toolkit.documents.nodes import BoundedProblems, TooManyProblems, Word
from toolkit.documents.scalars import find_traps
from toolkit.errors import ConfigurationError, InvalidTools
from toolkit.problems import Location, Problem, errors_among, fix_spelling, in_order, set_missing_locations
from toolkit.tools.base import Tool

ANY = "any"
"""The value of `chaining` for objects of all types."""


class Opening(Protocol):
    """Opens the targets and the model of a file. `toolkit.sources` implements it."""

    def boundary(self, base: Path) -> Path:
        """Return the folder outside of which a file in the folder `base` cannot read text files."""

    def model_for(self, own: str | None) -> str | None:
        """Return the name of the model to use for an agent whose file has this model, if any."""

    def open_model(self, name: str) -> Model:
        """Open a model by name.

        Raises:
            ConfigurationError: If the model cannot be opened.
        """

    def open_target(self, target: str, *, base: Path) -> tuple[Sequence[Tool], list[Problem]]:
        """Return the tools of a target in a file in the folder `base`, and the problems with the other tools."""

    def open_class(self, target: str, *, base: Path) -> type | list[Problem]:
        """Return the class that `file.py:Class` refers to in a file in the folder `base`, or the problems with it."""

    def known_names(self, base: Path) -> Iterable[str]:
        """Return the names that can be targets, for hints."""


def read_agent(
    path: Path, opening: Opening, document: Document | None = None
) -> tuple[DeclaredAgent | None, list[Problem]]:
    """Read an agent from a YAML file.

    Args:
        path: The file.
        opening: Opens the targets and the model of the file.
        document: The file's document, if it has been read already.

    Returns:
        The agent, or `None` if any problem is an error, and all problems in the order of their locations.
    """
    root, found = document or read_document(path)
    if not isinstance(root, nodes.Mapping):
        return None, found
    problems = BoundedProblems(found)
    try:
        problems += find_traps(root)
        definition = read_definition(root, opening.boundary(path.parent), problems)
        agent = _Loader(path, opening, problems).agent(definition)
    except TooManyProblems:
        return None, in_order(problems.closed(str(path)))
    return (None if errors_among(problems) else agent), in_order(problems)


class _Loader:
    def __init__(self, path: Path, opening: Opening, problems: list[Problem]) -> None:
        self._path = path
        self._opening = opening
        self._problems = problems
        self._origins: dict[Word, list[Tool]] = {}

    def agent(self, definition: AgentDefinition) -> DeclaredAgent | None:
        self._check_texts(definition)
        model = self._model(definition.model)
        offered = self._tools(definition.tools)
        references = [one for one in map(self._reference, definition.references) if one is not None]
        every = self._folded([*offered.values(), *referenced_tools(references)], definition.location)
        chaining = self._chaining(definition.chaining)
        later = chained_names(chaining)
        kind = make_kind(definition, every, later, self._problems)
        if errors_among(self._problems):
            return None
        self._check_placed(definition, offered)
        parts = Parts(placed_tools(definition, offered), kind, tuple(references), tuple(chaining), model)
        used = self._folded([*parts.tools.values(), *referenced_tools(references)], definition.location)
        self._problems += [
            replace(one, code=one.code or IN_NO_STATE, location=one.location or definition.location)
            for one in kind.problems(used, later)
        ]
        return DeclaredAgent(definition, parts, lambda: self._open(model, definition))

    # ---------------------------------------------------------------------------------------------------------- tools

    def _tools(self, targets: Sequence[Word]) -> dict[str, Tool]:
        """Open all targets. A target that cannot be opened does not affect the others."""
        found: dict[str, Tool] = {}
        origins: dict[str, Word] = {}
        for target in targets:
            for tool in self._opened(target):
                first = found.setdefault(tool.name, tool)
                if first is not tool:
                    message = f"two tools are called {tool.name!r}"
                    related = ((origins[tool.name].location, "the first comes from here"),)
                    self._problems.append(Problem(DUPLICATE_TOOL_NAME, message, target.location, related=related))
                origins.setdefault(tool.name, target)
                self._origins.setdefault(target, []).append(tool)
        return self._folded(found.values(), targets[0].location) if targets else {}

    def _folded(self, tools: Iterable[Tool], place: Location) -> dict[str, Tool]:
        try:
            return folded_tools(tools)
        except InvalidTools as error:
            self._problems += set_missing_locations(error.problems, place)
            return {}

    def _opened(self, target: Word) -> Sequence[Tool]:
        base = self._path.parent
        tools, problems = self._opening.open_target(target.text, base=base)
        for problem in problems:
            if problem.code == UNKNOWN_TOOL and problem.location is None:
                fix = fix_spelling(target.text, self._opening.known_names(base), target.location)
                problem = replace(problem, fix=fix)  # noqa: PLW2901 - the same, fixed
            self._problems += set_missing_locations([problem], target.location)
        return tools

    def _chaining(self, kinds: Sequence[Word]) -> list[Chaining]:
        """Return which objects provide tools; `any` means all."""
        found = []
        for word in kinds:
            kind = None if word.text == ANY else self._opening.open_class(word.text, base=self._path.parent)
            problems = kind if isinstance(kind, list) else chaining_problems([Chaining(kind)])
            for one in problems:
                related = () if one.code or one.location is None else ((one.location, "it is defined here"),)
                place = word.location if related or one.location is None else one.location
                self._problems.append(replace(one, code=one.code or UNKNOWN_KEY, location=place, related=related))
            if not isinstance(kind, list) and not problems:
                found.append(Chaining(kind))
        return found

    def _reference(self, definition: ReferenceDefinition) -> Reference | None:
        tools = self._tools(definition.tools)
        notes = definition.notes.text if definition.notes is not None else ""
        try:
            reference = Reference(definition.name.text, definition.description, notes, tools.values())
        except (InvalidTools, ConfigurationError) as error:
            problems = error.problems or (Problem(UNKNOWN_KEY, str(error)),)
            self._problems += set_missing_locations(problems, definition.name.location)
            return None
        return reference.unfolding() if definition.unfolds else reference

    def _check_placed(self, definition: AgentDefinition, offered: Mapping[str, Tool]) -> None:
        """Report targets none of whose tools is in a state. A target is fine if only some of its tools are."""
        placed = placed_tools(definition, offered)
        names = {*placed, *names_within(placed)}
        for target in definition.tools:
            opened = self._origins.get(target, [])
            if opened and not any(tool.name in names for tool in opened):
                message = f"no state has a tool of '{target.text}'"
                hint = "list it under a state, or in 'everywhere'"
                self._problems.append(Problem(IN_NO_STATE, message, target.location, "warning", hint))

    # ---------------------------------------------------------------------------------------------- texts and model

    def _check_texts(self, definition: AgentDefinition) -> None:
        known = [given.name.text for given in inputs_of(definition)]
        start = start_input(definition)
        named: set[str] = set() if start is None else {start.name.text}
        before = len(self._problems)
        for text in (definition.instructions, definition.prompt):
            if text is not None:
                self._problems += text.problems(known)
                named.update(text.names)
        is_sure = definition.prompt is not None and len(self._problems) == before
        for given in definition.inputs or () if is_sure else ():
            if given.name.text not in named:
                message = f"the input {given.name.text!r} is never used"
                hint = f"write ${{{{ inputs.{given.name.text} }}}} in 'prompt' or 'instructions', or remove it"
                self._problems.append(Problem(UNUSED_INPUT, message, given.name.location, "warning", hint))

    def _model(self, own: Word | None) -> str | None:
        """Return the name of the model to use. The path of a script is relative to the agent's file."""
        if own is None:
            return self._opening.model_for(None)
        name = own.text
        kind, _, rest = name.partition(":")
        if problem := model_problem(name):
            self._problems.append(replace(problem, code=UNKNOWN_KEY, location=own.location))
        elif kind == SCRIPTED:
            name = f"{kind}:{self._path.parent / rest}"
            if self._opening.model_for(name) == name:
                self._check_script(self._path.parent / rest, own)
        return self._opening.model_for(name)

    def _check_script(self, script: Path, word: Word) -> None:
        """Report problems with a script. Scripts in Python run as code, so only the user may choose them."""
        if not script.is_file():
            file = word.text.partition(":")[2]
            hint = near_file(file, script) or f"looked for in '{script.parent.resolve()}'"
            self._problems.append(Problem(UNKNOWN_KEY, f"there is no script '{file}'", word.location, hint=hint))
        elif runs_code(word.text):
            hint = f"write it in YAML, or choose it yourself: --model {SCRIPTED}:{script.name}, or TOOLKIT_MODEL"
            message = f"the script '{script.name}' would run as code, which a file may not request"
            self._problems.append(Problem(UNKNOWN_KEY, message, word.location, hint=hint))
        else:
            try:
                ScriptedModel.load(script)
            except ConfigurationError as error:
                self._problems += [
                    replace(one, code=one.code or UNKNOWN_KEY, location=one.location or word.location)
                    for one in error.problems
                ]

    def _open(self, model: str | None, definition: AgentDefinition) -> Model:
        if model is None:
            hint = "set one with --model, TOOLKIT_MODEL, 'model:' in the file or in the configuration"
            message = f"no model is set for the agent '{definition.name.text}'"
            raise ConfigurationError(problems=[Problem("", message, definition.location, hint=hint)])
        return self._opening.open_model(model)
