"""Agents: a model with instructions and tools, run with `run_agent` or used as a tool itself."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from toolkit.agents.loop import context_for_model
from toolkit.agents.model_requests import UNNAMED
from toolkit.agents.models.messages import Model, check_model
from toolkit.agents.references import referenced_tools
from toolkit.agents.tasks import AgentOptions, AgentResult, Answer, Instructions, Output, Settings, Work
from toolkit.agents.transcripts import Transcript, can_record_turns
from toolkit.disclosure.offering import folded_tools
from toolkit.errors import BudgetExceeded, ToolExecutionError
from toolkit.json_texts import json_text
from toolkit.runs.run import Run
from toolkit.tools.base import HandmadeTool, Tool
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.definition_places import place_of_caller
from toolkit.tools.definition.spec_fields import ToolOptions

if TYPE_CHECKING:
    from typing import Unpack

    from toolkit.tools.inputs import InputShape

TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "The task in words, with all the information needed."}},
    "required": ["task"],
}
_DEFAULT_INSTRUCTIONS = (
    "You are an intelligent agent that can use tools to help you complete tasks.\n"
    "Use the provided tools to perform the following task:\n"
)


async def run_agent(
    model: Model,
    prompt: str,
    tools: Iterable[Any] = (),
    output_type: "type[Output] | InputShape | None" = None,
    *,
    instructions: Instructions = "",
    context: ToolContext = NO_CONTEXT,
    name: str = UNNAMED,
    **options: "Unpack[AgentOptions]",
) -> AgentResult[Output]:
    """Let a model complete a task with tools.

    Args:
        model: The model.
        prompt: The task.
        tools: The tools that the model can call: anything that `resolve_tools` accepts. A toolbox becomes one facade.
        output_type: A pydantic model, dataclass, TypedDict or JSON shape that the answer must fit, as JSON.
        instructions: The system prompt.
        context: The context of the calls. Its reviewer decides on approvals; without a reviewer, a call that needs
            approval ends the agent with a ConfigurationError.
        name: The agent's name for people and in metrics.
        **options: Any of `references`, `kind`, `chaining`, `limits`, `budget`, `transcript` and
            `capture_nested_artifacts`.

    Raises:
        TypeError: If `model` is not a model.
        InvalidTools: If something is not a tool, or the kind does not fit the tools. The exception lists all problems.
        AgentError: If a limit is reached, or the result of a returning tool does not fit `output_type`.
        ToolExecutionError: If another agent is using the transcript.
        ModelError: If the model does not answer.
        Signal: If more than this agent has to end: a reviewer ends the run, a budget is used up, or the configuration
            is wrong.
    """
    check_model(model)
    settings = Settings(**options)
    offered = settings.offered(tools)
    transcript = settings.transcript if settings.transcript is not None else Transcript()
    answer = Answer(output_type) if output_type is not None else None
    run = Run.within(context.run, goal=prompt, budget=settings.budget)
    inner = context_for_model(context).replace(run=run, agent=name)
    with transcript.held():
        return await Work(
            model, offered, settings=settings, transcript=transcript, context=inner, run=run, answer=answer
        ).do(prompt, instructions)


class AgentToolOptions(AgentOptions, ToolOptions, total=False):
    """The options of an agent that is used as a tool."""


class AgentTool(HandmadeTool):
    """An agent as a tool, for pipelines and other agents. By default, it takes a task in words.

    It keeps no state between calls, so calls can run in parallel. With a transcript, each call continues the
    conversation instead, and calls must not overlap.

    Attributes:
        model: The model.
        tools: The tools that the model can call, by name, without those of references.
        instructions: The system prompt.
        output_type: The type that the answer must fit.
        settings: All other settings.
    """

    delegates = True
    is_agent = True
    """Marks tools that are agents, so that their artifacts can be distinguished from those of other tools."""

    def __init__(
        self,
        name: str,
        description: str,
        model: Model,
        tools: Iterable[Any] = (),
        *,
        instructions: Instructions | None = None,
        parameters: Mapping[str, Any] = TASK,
        output_type: "type | InputShape | None" = None,
        **options: "Unpack[AgentToolOptions]",
    ) -> None:
        """Create an agent.

        Args:
            name: The name of the tool.
            description: What the agent does and when to use it.
            model: The model.
            tools: The tools that the model can call.
            instructions: The system prompt; by default, it is made from the description.
            parameters: The JSON Schema of a call's arguments. The model receives a `task` as plain text and everything
                else as JSON.
            output_type: The type that the answer must fit.
            **options: The options of `run_agent`, and the options of any tool, such as `category`.

        Raises:
            TypeError: If `model` is not a model.
            InvalidTools: If the tools, the name or the options are invalid. The exception lists all problems.
        """
        check_model(model)
        self.model = model
        self.tools = folded_tools(tools)
        self.instructions = f"{_DEFAULT_INSTRUCTIONS}{description}" if instructions is None else instructions
        self.output_type = output_type
        self._options, of_tool = _split(options)
        self.settings = Settings(**self._options)
        self.settings.offered(self.tools.values())
        transcript = self.settings.transcript
        is_new = transcript is None or not transcript.messages
        self.keeps_steps = is_new and can_record_turns(self.settings.kind, self.settings.chaining)
        super().__init__(name, description, parameters, self._work, **of_tool)
        place = place_of_caller()
        self.spec = dataclasses.replace(self.spec, location=place, source=place.file)
        self._made_with = {
            "name": name,
            "description": description,
            "model": model,
            "tools": self.tools.values(),
            "instructions": instructions,
            "parameters": parameters,
            "output_type": output_type,
            **options,
        }

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The tools that the model can call."""
        return (*self.tools.values(), *referenced_tools(self.settings.references))

    @property
    def uses(self) -> Mapping[str, str]:
        """The name of the model and the names of its tools."""
        return {"model": self.model.name, "tools": ", ".join(self.tools) or "none"}

    def replace(self, **changes: Any) -> "AgentTool":
        """Return a copy with other arguments, such as `agent.replace(model=…, tools=[*agent.tools.values(), …])`.

        Raises:
            InvalidTools: If the new arguments are invalid. The exception lists all problems.
        """
        return type(self)(**{**self._made_with, **changes})

    async def _work(self, /, _context: ToolContext, **arguments: Any) -> ToolResult:
        try:
            result: AgentResult[Any] = await run_agent(
                self.model,
                _prompt_of(arguments),
                self.tools.values(),
                self.output_type,
                instructions=self.instructions,
                context=_context,
                name=self.name,
                **self._options,
            )
        except BudgetExceeded as signal:
            if _context.run is not None and _context.run.is_ended_by(signal):
                raise
            raise ToolExecutionError(str(signal), "budget") from signal
        if result.ending == "replan":
            return ToolResult.failure(f"another plan is needed: {result.text}", "replan")
        structured = plain_data(result.output) if result.output is not None else None
        return ToolResult.success(result.text, structured=structured, artifact=_artifact_of(result))


def _split(options: AgentToolOptions) -> tuple[AgentOptions, ToolOptions]:
    of_agent = {key: value for key, value in options.items() if key in AgentOptions.__annotations__}
    of_tool = {key: value for key, value in options.items() if key not in of_agent}
    return cast("AgentOptions", of_agent), cast("ToolOptions", of_tool)


def _prompt_of(arguments: Mapping[str, Any]) -> str:
    """Return the prompt for an agent: its task in words, followed by all other arguments as JSON."""
    others = {name: value for name, value in arguments.items() if name != "task"}
    task = arguments.get("task", "")
    parts = [task if isinstance(task, str) else json.dumps(task), json_text(others)]
    return "\n\n".join(part for part in parts if part not in ("", "{}"))


def _artifact_of(result: AgentResult[Any]) -> Any:
    """Return the artifact of an agent: its answer, the artifact of a returning tool, or the artifacts of its tools."""
    if result.output is not None or result.ending == "returned":
        return result.output if result.output is not None else result.artifact
    return list(result.artifacts) if len(result.artifacts) > 1 else next(iter(result.artifacts), None)
