"""Declared agents: an agent of a file as a Tool, made when it is first called."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from toolkit.agents.agent import AgentTool
from toolkit.agents.chaining import Chaining
from toolkit.agents.files.definitions import AgentDefinition
from toolkit.agents.files.texts import as_text
from toolkit.agents.kept_turns import can_keep_turns
from toolkit.agents.kinds import AgentKind
from toolkit.agents.models.messages import Model
from toolkit.agents.references import Reference, referenced_tools
from toolkit.disclosure.trees import are_read_only, leaves_of
from toolkit.documents.shapes import Word
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.inputs import Input, InputShape
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

TASK = "task"
_TASK_SCHEMA = {"type": "string", "description": "What to do, in words, with everything that is needed."}


class Parts(NamedTuple):
    """The parts of an agent that its file refers to.

    Attributes:
        tools: What the model is offered at first, by name, without the tools of references.
        kind: Which tools may be called when.
        references: What the model receives beside the instructions.
        chaining: Which objects that tools return bring tools of their own.
        model: The name of the model; `None` if none is set.
    """

    tools: Mapping[str, Tool]
    kind: AgentKind = AgentKind()
    references: tuple[Reference, ...] = ()
    chaining: tuple[Chaining, ...] = ()
    model: str | None = None


class DeclaredAgent(Tool):
    """An agent that a file describes; it is a tool like any other.

    Its model is opened when it is first called: to look at an agent takes neither a package nor a key.

    Attributes:
        definition: The content of the file.
        parts: What it is made of.
    """

    is_agent = True

    def __init__(self, definition: AgentDefinition, parts: Parts, open_model: Callable[[], Model]) -> None:
        """Keep what takes part; everything was checked when the file was read.

        Args:
            definition: The content of the file.
            parts: What it is made of.
            open_model: Returns the model, or raises a ConfigurationError with the reason why there is none.
        """
        self.definition = definition
        self.parts = parts
        self._open_model = open_model
        self._shape = InputShape(inputs_of(definition))
        self.keeps_steps = can_keep_turns(parts.kind, parts.chaining)

    @cached_property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # cached: it never changes
        """What it takes and gives; it is read-only if all is that it may come to call, objects' own tools included."""
        definition = self.definition
        offered = [*self.parts.tools.values(), *referenced_tools(self.parts.references)]
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
    def uses(self) -> Mapping[str, str]:
        """What answers, and what it may call."""
        return {"model": self.parts.model or "none is named", "tools": ", ".join(self.parts.tools) or "none"}

    @property
    def tools(self) -> Mapping[str, Tool]:
        """What its model is offered at first, by name, without the tools of references."""
        return self.parts.tools

    @cached_property
    def agent(self) -> AgentTool:
        """The agent itself, which takes a task in words.

        Raises:
            ConfigurationError: If its model cannot be had.
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
            ToolArgumentsError: Naming every input that is missing or wrong.
        """
        return self._shape.read(arguments)

    def describe(self, parsed: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs, which are plain data already."""
        return parsed

    async def perform(self, parsed: dict[str, Any], context: ToolContext) -> ToolResult:
        """Let the model do the task that the inputs make."""
        result: ToolResult = await self.instructed(parsed).perform({TASK: self.task_of(parsed)}, context)
        return result

    @property
    def takes_task(self) -> bool:
        """Whether its task is given in words."""
        return TASK in self.spec.properties

    def instructed(self, inputs: Mapping[str, Any]) -> AgentTool:
        """Return the agent itself with its inputs in its instructions.

        Raises:
            ConfigurationError: If its model cannot be had.
        """
        instructions = self.definition.instructions
        return self.agent if instructions is None else self.agent.replace(instructions=instructions.filled(inputs))

    def task_of(self, inputs: Mapping[str, Any]) -> str:
        """Return the task in words: the prompt with the inputs in it, or the task with the inputs after it."""
        prompt = self.definition.prompt
        if prompt is not None:
            return prompt.filled(inputs)
        names = [given.name.text for given in inputs_of(self.definition) if given.name.text != TASK]
        others = [f"{name}: {as_text(inputs[name])}" for name in names if name in inputs]
        return "\n\n".join(part for part in (as_text(inputs.get(TASK, "")), "\n".join(others)) if part)


def inputs_of(definition: AgentDefinition) -> tuple[Input, ...]:
    """Return what an agent takes: its inputs, and the task unless its prompt makes it."""
    own = definition.inputs or ()
    takes_task = definition.prompt is None or TASK in definition.prompt.names
    if not takes_task or any(given.name.text == TASK for given in own):
        return own
    return (Input(Word(TASK, definition.location), _TASK_SCHEMA, is_required=True), *own)
