"""An agent that is declared in a file, as a Tool, and the checks of its locks and states against its tools.

The agent itself is created on the first call.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.files.agent_definitions import AgentDefinition, as_text
from toolkit.agents.kinds import AgentKind, Playbook, StateMachine, names_within, never_opens
from toolkit.agents.models.messages import Model
from toolkit.agents.offered_tools import Chaining
from toolkit.agents.references import Reference, referenced_tools
from toolkit.agents.transcripts import can_record_turns
from toolkit.codes import LOCK_NEVER_OPENS, UNKNOWN_STATE, UNKNOWN_TOOL, UNREACHABLE_STATE
from toolkit.disclosure.offering import are_read_only, leaves_of
from toolkit.documents.nodes import Word
from toolkit.errors import ToolArgumentsError
from toolkit.problems import Problem, did_you_mean, errors_among, fix_spelling
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.inputs import Input, InputShape

_INPUT = re.compile(r"\$\{\{\s*inputs\.(\w+)\s*\}\}")


def make_kind(
    definition: AgentDefinition, tools: Mapping[str, Tool], later: Collection[str], problems: list[Problem]
) -> AgentKind:
    """Return the kind of an agent.

    Args:
        definition: The content of the file.
        tools: The tools of its targets and references, by name.
        later: The names of tools that may be offered later.
        problems: The list to which all problems are added. A kind with errors must not be used.
    """
    known = {*tools, *names_within(tools), *later}
    match definition.kind:
        case "playbook":
            problems += _unknown_tools(_words_of_locks(definition), known)
            playbook = Playbook({one.tool.text: one.lock for one in definition.locks if one.lock is not None})
            if not errors_among(problems):
                problems += _never_opened(definition, playbook.locks_that_never_open(known))
            return playbook
        case "state_machine":
            problems += _unknown_tools(_words_of_states(definition), known)
            problems += _wrong_states(definition)
            states = {
                state.name.text: {
                    transition.tool.text: transition.to.text if transition.to else None
                    for transition in state.transitions
                }
                for state in definition.states
            }
            start = definition.start.text if definition.start else next(iter(states), "")
            if (given := start_input(definition)) is not None:
                start = str(given.schema.get("default", next(iter(states), "")))
            return StateMachine(start, states, tuple(word.text for word in definition.everywhere))
    return AgentKind()


def start_input(definition: AgentDefinition) -> Input | None:
    """Return the input that names the initial state, as in `start: ${{ inputs.state }}`, or `None`."""
    found = _INPUT.fullmatch(definition.start.text) if definition.start is not None else None
    return next((one for one in definition.inputs or () if found and one.name.text == found[1]), None)


def placed_tools(definition: AgentDefinition, tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Return the tools that are in a state. Other tools could never be called and are not offered."""
    if definition.kind != "state_machine":
        return dict(tools)
    placed = {word.text for word in _words_of_states(definition)}
    return {name: tool for name, tool in tools.items() if placed & {name, *names_within({name: tool})}}


def _words_of_locks(definition: AgentDefinition) -> Iterator[Word]:
    for one in definition.locks:
        yield one.tool
        yield from one.waits_for


def _words_of_states(definition: AgentDefinition) -> Iterator[Word]:
    for state in definition.states:
        yield from (transition.tool for transition in state.transitions)
    yield from definition.everywhere


def _unknown_tools(words: Iterator[Word], known: Collection[str]) -> Iterator[Problem]:
    for word in words:
        if word.text not in known:
            otherwise = f"its tools are {', '.join(sorted(known))}" if known else "list its tools under 'tools'"
            hint = did_you_mean(word.text, known, otherwise=otherwise)
            fix = fix_spelling(word.text, known, word.location)
            message = f"{word.text!r} is not one of the agent's tools"
            yield Problem(UNKNOWN_TOOL, message, word.location, hint=hint, fix=fix)


def _never_opened(definition: AgentDefinition, names: Collection[str]) -> Iterator[Problem]:
    for one in definition.locks:
        if (name := one.tool.text) in names:
            hint = "make one of them wait for something else"
            yield Problem(LOCK_NEVER_OPENS, never_opens(name), one.tool.location, hint=hint)


def _wrong_states(definition: AgentDefinition) -> Iterator[Problem]:
    states = {state.name.text: state for state in definition.states}
    given = start_input(definition)
    named = [definition.start] if definition.start and given is None else []
    if given is not None:
        offered = [*given.schema.get("enum", ()), *([given.schema["default"]] if "default" in given.schema else [])]
        named += [Word(str(state), given.name.location) for state in offered]
    named += [
        transition.to for state in definition.states for transition in state.transitions if transition.to is not None
    ]
    unknown = [word for word in named if word.text not in states]
    for word in unknown if states else ():
        hint = did_you_mean(word.text, states, otherwise=f"the states are {', '.join(states)}")
        fix = fix_spelling(word.text, states, word.location)
        yield Problem(UNKNOWN_STATE, f"there is no state {word.text!r}", word.location, hint=hint, fix=fix)
    if unknown or not states or given is not None:
        return
    reached, coming = set[str](), [definition.start.text if definition.start else next(iter(states))]
    while coming:
        if (name := coming.pop()) not in reached:
            reached.add(name)
            coming += [transition.to.text for transition in states[name].transitions if transition.to is not None]
    for state in definition.states:
        if state.name.text not in reached:
            message, place = f"no tool leads to the state {state.name.text!r}", state.name.location
            hint = "make a tool of another state lead to it, or remove it"
            yield Problem(UNREACHABLE_STATE, message, place, "warning", hint)


TASK = "task"
_TASK_SCHEMA = {"type": "string", "description": "The task in words, with all the information needed."}


class Parts(NamedTuple):
    """The objects that an agent's file refers to.

    Attributes:
        tools: The tools that the model is offered at first, by name, without those of references.
        kind: Which tools can be called when.
        references: Additional knowledge for the model.
        chaining: Which returned objects provide tools.
        model: The name of the model; `None` if none is set.
    """

    tools: Mapping[str, Tool]
    kind: AgentKind = AgentKind()
    references: tuple[Reference, ...] = ()
    chaining: tuple[Chaining, ...] = ()
    model: str | None = None


class DeclaredAgent(Tool):
    """An agent that is declared in a file.

    The model is opened on the first call, so inspecting an agent needs neither the model's package nor a key.

    Attributes:
        definition: The content of the file.
        parts: The objects that the file refers to.
        open_model: Returns the model, or raises a ConfigurationError if it cannot be opened.
    """

    delegates = True
    is_agent = True

    def __init__(self, definition: AgentDefinition, parts: Parts, open_model: Callable[[], Model]) -> None:
        """Create an agent from a file that has been checked.

        Args:
            definition: The content of the file.
            parts: The objects that the file refers to.
            open_model: Returns the model, or raises a ConfigurationError if it cannot be opened.
        """
        self.definition = definition
        self.parts = parts
        self.open_model = open_model
        self._shape = InputShape(inputs_of(definition))
        self.keeps_steps = can_record_turns(parts.kind, parts.chaining)

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # cached: it never changes
        """The specification. The agent is read-only if all tools that it can call are, and it has no chaining."""
        definition = self.definition
        offered = self.callees
        is_read_only = not self.parts.chaining and are_read_only(offered)
        return ToolSpec(
            definition.name.text,
            definition.description,
            self._shape.schema,
            output_schema=None if definition.output is None else InputShape(definition.output).schema,
            read_only=True if is_read_only else None,
            open_world=True if any(tool.spec.open_world for tool in leaves_of(offered)) else None,
            source=definition.name.location.file,
            location=definition.name.location,
        )

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The tools that the model can call."""
        return (*self.parts.tools.values(), *referenced_tools(self.parts.references))

    @property
    def uses(self) -> Mapping[str, str]:
        """The name of the model and the names of the tools."""
        return {"model": self.parts.model or "none is set", "tools": ", ".join(self.parts.tools) or "none"}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that the model is offered at first, by name, without those of references."""
        return self.parts.tools

    @cached_property
    def agent(self) -> AgentTool:
        """The agent itself, which takes a task in words.

        Raises:
            ConfigurationError: If the model cannot be opened.
        """
        definition = self.definition
        return AgentTool(
            definition.name.text,
            definition.description,
            self.open_model(),
            self.parts.tools.values(),
            kind=self.parts.kind,
            references=self.parts.references,
            chaining=self.parts.chaining,
            capture_nested_artifacts=definition.captures_nested,
            limits=definition.limits,
            budget=definition.budget,
            output_type=None if definition.output is None else InputShape(definition.output),
        )

    def parse(self, arguments: Arguments) -> dict[str, Any]:
        """Return the inputs by name.

        Raises:
            ToolArgumentsError: If inputs are missing or wrong. The exception lists all of them.
        """
        read = self._shape.read(arguments)
        if (start := self._start_in(read)) is not None and start not in self._states:
            known = ", ".join(self._states)
            name = self._start.name.text if self._start else ""
            raise ToolArgumentsError(f"Invalid parameter {name!r}: there is no state {start!r}; the states are {known}")
        return read

    @cached_property
    def _start(self) -> Input | None:
        return start_input(self.definition)

    @property
    def _states(self) -> Sequence[str]:
        return [state.name.text for state in self.definition.states]

    def _start_in(self, inputs: Mapping[str, Any]) -> str | None:
        """Return the initial state that the inputs name, or `None`."""
        start = inputs.get(self._start.name.text) if self._start is not None else None
        return None if start is None else str(start)

    def describe(self, parsed: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs, which are already plain data."""
        return parsed

    async def perform(self, parsed: dict[str, Any], context: ToolContext) -> ToolResult:
        """Run the agent with the task made from the inputs."""
        result: ToolResult = await self.instructed(parsed).perform({TASK: self.task_of(parsed)}, context)
        return result

    @property
    def takes_task(self) -> bool:
        """Whether the agent has the input `task`."""
        return TASK in self.spec.properties

    def instructed(self, inputs: Mapping[str, Any]) -> AgentTool:
        """Return the agent itself, with the inputs inserted into its instructions, in the state that they name.

        Raises:
            ConfigurationError: If the model cannot be opened.
        """
        instructions = self.definition.instructions
        changes: dict[str, Any] = {} if instructions is None else {"instructions": instructions.filled(inputs)}
        kind, start = self.parts.kind, self._start_in(inputs)
        if isinstance(kind, StateMachine) and start is not None:
            changes["kind"] = kind.starting_in(start)
        return self.agent.replace(**changes) if changes else self.agent

    def task_of(self, inputs: Mapping[str, Any]) -> str:
        """Return the task in words: the prompt with the inputs inserted, or the task followed by the inputs."""
        prompt = self.definition.prompt
        if prompt is not None:
            return prompt.filled(inputs)
        names = [given.name.text for given in inputs_of(self.definition) if given.name.text != TASK]
        others = [f"{name}: {as_text(inputs[name])}" for name in names if name in inputs]
        return "\n\n".join(part for part in (as_text(inputs.get(TASK, "")), "\n".join(others)) if part)


def inputs_of(definition: AgentDefinition) -> tuple[Input, ...]:
    """Return the inputs of an agent, including the task unless its prompt replaces it."""
    own = definition.inputs or ()
    takes_task = definition.prompt is None or TASK in definition.prompt.names
    if not takes_task or any(given.name.text == TASK for given in own):
        return own
    return (Input(Word(TASK, definition.location), _TASK_SCHEMA, is_required=True), *own)
