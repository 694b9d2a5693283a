"""An agent that is declared in a file, as a Tool. The agent itself is created on the first call."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.chaining import Chaining
from toolkit.agents.files.agent_definitions import AgentDefinition, as_text
from toolkit.agents.files.kind_checks import start_input
from toolkit.agents.kept_turns import can_keep_turns
from toolkit.agents.kinds import AgentKind
from toolkit.agents.models.messages import Model
from toolkit.agents.references import Reference, referenced_tools
from toolkit.agents.state_machines import StateMachine
from toolkit.disclosure.facade_trees import are_read_only, leaves_of
from toolkit.documents.shapes import Word
from toolkit.errors import ToolArgumentsError
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.inputs import Input, InputShape
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

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
        self._open_model = open_model
        self._shape = InputShape(inputs_of(definition))
        self.keeps_steps = can_keep_turns(parts.kind, parts.chaining)

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
            self._open_model(),
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
