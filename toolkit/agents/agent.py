"""Agents: a model, what it is told, and its tools; run by one function, or as a tool itself."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from toolkit.agents.answers import Answer
from toolkit.agents.chaining import Chain, Chaining, chained_names, chaining_problems
from toolkit.agents.kinds import Done, Kind, Past
from toolkit.agents.loop import Ending, Limits, Loop, LoopEnd, with_gate_of_its_own
from toolkit.agents.models.messages import Model, SystemMessage, Usage, UserMessage
from toolkit.agents.references import Reference, referenced_tools, with_references
from toolkit.agents.tables import Table
from toolkit.agents.transcripts import Transcript
from toolkit.disclosure.folding import folded_tools
from toolkit.errors import (
    BudgetExceeded,
    InvalidTools,
    ReplanRequested,
    TerminationRequested,
    ToolExecutionError,
    raise_errors,
)
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, innermost
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.handmade import HandmadeTool
from toolkit.tools.places import place_of_caller
from toolkit.tools.results import ToolResult
from toolkit.tools.showing import plain_data
from toolkit.wrappers.artifacts import artifacts_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # before Python 3.13 that of `typing` takes no default

    from toolkit.tools.inputs import InputShape

    Output = TypeVar("Output", default=Any)
else:
    from typing import TypeVar

    Output = TypeVar("Output")

Instructions = str | Callable[[ToolContext, str], str]
"""What the model is told first: text, or a function that makes it of the context and the task at every start."""

NO_LIMITS_SAID = Limits()
ALL_OPEN = Kind()

_DEFAULT_INSTRUCTIONS = (
    "You are an intelligent agent that can use tools to help you complete tasks.\n"
    "Use the provided tools to perform the following task:\n"
)
_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True)
class AgentResult(Generic[Output]):
    """What an agent has come to.

    Attributes:
        text: The answer, the result of a tool that returns to the caller, or why it ended.
        ending: `answered` by the model, `returned` by a tool; `replan` or `terminated` where a tool wanted that.
        output: The answer in the type that was wanted, if one was and the agent came to an answer.
        turns: How many requests to the model there were.
        usage: What all of them have used.
        transcript: All that was said.
        run: The run, with its calls and its blackboard.
        artifact: The object that a returning tool has made.
        artifacts: The objects that tools have made, without plain numbers and texts; those that agents among the tools
            came back with are there if that was wanted.
        state: The state that the agent is in at the end, where its kind has states.
    """

    text: str
    ending: Ending
    output: Output | None
    turns: int
    usage: Usage
    transcript: Transcript
    run: Run
    artifact: Any = None
    artifacts: tuple[Any, ...] = ()
    state: Any = None


async def run_agent(  # noqa: PLR0913 - the one function there is; all but three by keyword
    model: Model,
    prompt: str,
    tools: Iterable[Any] = (),
    output_type: "type[Output] | InputShape | None" = None,
    *,
    instructions: Instructions = "",
    context: ToolContext = NO_CONTEXT,
    references: Sequence[Reference] = (),
    kind: Kind = ALL_OPEN,
    chaining: Sequence[Chaining] = (),
    limits: Limits = NO_LIMITS_SAID,
    budget: Budget | None = None,
    transcript: Transcript | None = None,
    capture_nested_artifacts: bool = False,
    name: str = "agent",
) -> AgentResult[Output]:
    """Let a model do a task with tools, and return what it came to.

    Args:
        model: What answers.
        prompt: The task.
        tools: What it may call: anything that `resolve_tools` takes; each object of a toolbox is one facade.
        output_type: A pydantic model, a dataclass, a TypedDict or a shape of JSON that the answer must fit, as JSON.
        instructions: What it is told before the task.
        context: What its calls are made with. Whoever is asked comes from here; with nobody there, a call that has to
            be asked about ends the agent with a ConfigurationError.
        references: What it is told of beside the instructions, with tools of their own.
        kind: Which tools may be called when: a Playbook, a StateMachine; without one all may at all times.
        chaining: Which objects that tools return bring tools of their own; no kind closes these.
        limits: How far it may go.
        budget: What it may spend; those of the runs round it hold too.
        transcript: Where everything that is said is added; one that has messages is continued, and so is what has
            happened, as far as the kind looks at it.
        capture_nested_artifacts: Whether the artifacts of agents among the tools are artifacts of this one too.
        name: What it is called where people and metrics are told of it.

    Raises:
        InvalidTools: If something is no tool, or the kind does not fit the tools; with every problem.
        AgentError: If a limit is reached, or a returning tool gave what does not fit `output_type`.
        ToolExecutionError: If another agent is at work with the transcript.
        ModelError: If the model gives no answer.
        Signal: What ends more than this agent: a reviewer who ends the run, a budget that is used up, a wrong set-up.
    """
    offered = _offered(tools, references, kind, chaining)
    said = transcript if transcript is not None else Transcript()
    answer = Answer(output_type) if output_type is not None else None
    around = context.run
    run = around.spawn(goal=prompt, budget=budget) if around is not None else Run(goal=prompt, budget=budget)
    inner = with_gate_of_its_own(context).replace(run=run, agent=name)
    with said.held():
        before, used_before = said.done, said.usage
        table = Table(offered, kind, Past(run, calls=before), Chain.begin(chaining))
        if not said.messages and (
            told := _told(with_references(instructions, references), inner, prompt, kind.preface(table.past), answer)
        ):
            said.add(SystemMessage(told))
        said.close_calls("Ended: interrupted")  # those of a record that was left in the middle of them
        said.add(UserMessage(prompt))
        loop = Loop(model, table, said, inner, limits, answer.objection if answer else None)
        try:
            end = await _ended(loop, run)
        finally:
            said.done = table.past.calls
    return AgentResult(
        end.text,
        end.ending,
        answer.of(end) if answer is not None and end.ending in ("answered", "returned") else None,
        loop.turns,
        _since(used_before, said.usage),
        said,
        run,
        end.artifact,
        _made(said.done[len(before) :], nested=capture_nested_artifacts),
        kind.state(table.past),
    )


def _offered(
    tools: Iterable[Any], references: Sequence[Reference], kind: Kind, chaining: Sequence[Chaining]
) -> dict[str, Tool]:
    """Return the tools that an agent has from the start, by name.

    Raises:
        InvalidTools: With everything that is wrong with them, and with what is said of them.
    """
    offered = folded_tools([*tools, *referenced_tools(references)])
    raise_errors(InvalidTools, chaining_problems(chaining))
    raise_errors(InvalidTools, kind.problems(offered, chained_names(chaining)))
    return offered


async def _ended(loop: Loop, run: Run) -> LoopEnd:
    """Go to the end of a loop; its run knows how it ended, the run round it in any case what is on the blackboard."""
    try:
        end = await loop.go()
        if end.replan is not None:
            _remember(run, end.replan)
    except TerminationRequested as signal:
        run.finish("terminated")
        if run.around is not None and run.ending is None:
            raise
        return LoopEnd("terminated", signal.reason)
    except BaseException:
        run.finish("failed")
        raise
    finally:
        if run.around is not None:
            run.around.absorb(run)
    run.finish("terminated" if end.ending == "terminated" else "completed")
    return end


def _told(instructions: Instructions, context: ToolContext, task: str, preface: str, answer: Answer | None) -> str:
    first = instructions if isinstance(instructions, str) else instructions(context, task)
    return "\n\n".join(part for part in (first, preface, answer.wish if answer is not None else "") if part)


def _made(calls: Sequence[Done], *, nested: bool) -> tuple[Any, ...]:
    """Return the artifacts of calls, with those that other agents came back with or without."""
    return tuple(
        artifact
        for call in calls
        if nested or call.tool is None or not getattr(innermost(call.tool), "is_agent", False)
        for artifact in artifacts_of(call.result)
        if not isinstance(artifact, _PLAIN)
    )


def _remember(run: Run, replan: ReplanRequested) -> None:
    for artifact in replan.artifacts:
        run.blackboard.add(artifact)
    for name, value in replan.bindings.items():
        run.blackboard.add(value, name=name)


def _since(before: Usage, now: Usage) -> Usage:
    cost = now.cost if before.cost is None or now.cost is None else now.cost - before.cost
    return Usage(now.input_tokens - before.input_tokens, now.output_tokens - before.output_tokens, cost)


TASK = {
    "type": "object",
    "properties": {"task": {"type": "string", "description": "What is to be done, in words, with all that is needed."}},
    "required": ["task"],
}


class AgentTool(HandmadeTool):
    """An agent as a tool: a step of a pipeline, or a tool of another agent. It takes a task in words, unless said.

    What it keeps has the names of the arguments that it is made with. Nothing of a call is kept, so that it may be
    called side by side, unless it has a transcript.
    """

    is_agent = True
    """What tools that are agents themselves have, so that their artifacts can be told from those of others."""

    def __init__(  # noqa: PLR0913 - what an agent is; all but four by keyword
        self,
        name: str,
        description: str,
        model: Model,
        tools: Iterable[Any] = (),
        *,
        instructions: Instructions | None = None,
        parameters: Mapping[str, Any] = TASK,
        output_type: "type | InputShape | None" = None,
        references: Sequence[Reference] = (),
        kind: Kind = ALL_OPEN,
        chaining: Sequence[Chaining] = (),
        limits: Limits = NO_LIMITS_SAID,
        budget: Budget | None = None,
        transcript: Transcript | None = None,
        capture_nested_artifacts: bool = False,
        **options: Any,
    ) -> None:
        """Make it; for the arguments see `run_agent`.

        Args:
            name: What it is called by.
            description: What it does and when to use it.
            model: What answers.
            tools: What it may call.
            instructions: What the model is told before the task; without any it is told what the agent is for.
            parameters: The JSON Schema of what a call must carry. The model is told a `task` as it is, and everything
                else as JSON.
            output_type: What the answer must fit.
            references: What it is told of beside the instructions, with tools of their own.
            kind: Which tools may be called when.
            chaining: Which objects that tools return bring tools of their own.
            limits: How far it may go.
            budget: What each call of it may spend.
            transcript: Where everything that is said is added, so that each call continues the conversation, one call
                at a time; without one each call begins anew.
            capture_nested_artifacts: Whether the artifacts of agents among its tools are its own too.
            **options: Anything else that `ToolSpec` takes, such as `category`.

        Raises:
            InvalidTools: With every problem at once.
        """
        self.model = model
        self.tools = folded_tools(tools)
        self.instructions = f"{_DEFAULT_INSTRUCTIONS}{description}" if instructions is None else instructions
        self.output_type = output_type
        self.references = tuple(references)
        self.kind = kind
        self.chaining = tuple(chaining)
        self.limits = limits
        self.budget = budget
        self.transcript = transcript
        self.capture_nested_artifacts = capture_nested_artifacts
        _offered(self.tools.values(), self.references, kind, self.chaining)
        super().__init__(name, description, parameters, self._work, **options)
        place = place_of_caller()
        self.spec = dataclasses.replace(self.spec, location=place, source=place.file)
        self._made_with = {
            "name": name,
            "description": description,
            "model": model,
            "tools": self.tools.values(),
            "instructions": instructions,
            "parameters": parameters,
            **self._settings,
            **options,
        }

    def replace(self, **changes: Any) -> "AgentTool":
        """Return an agent that differs in some arguments: `agent.replace(model=…, tools=[*agent.tools.values(), …])`.

        Raises:
            InvalidTools: With every problem at once.
        """
        return type(self)(**{**self._made_with, **changes})

    @property
    def _settings(self) -> dict[str, Any]:
        return {
            "output_type": self.output_type,
            "references": self.references,
            "kind": self.kind,
            "chaining": self.chaining,
            "limits": self.limits,
            "budget": self.budget,
            "transcript": self.transcript,
            "capture_nested_artifacts": self.capture_nested_artifacts,
        }

    async def _work(self, /, _context: ToolContext, **arguments: Any) -> ToolResult:
        try:
            result: AgentResult[Any] = await run_agent(
                self.model,
                _prompt_of(arguments),
                self.tools.values(),
                instructions=self.instructions,
                context=_context,
                name=self.name,
                **self._settings,
            )
        except BudgetExceeded as signal:
            if _context.run is not None and _context.run.is_ended_by(signal):
                raise
            raise ToolExecutionError(str(signal), "budget") from signal
        if result.ending == "replan":
            return ToolResult.failure(f"another plan is needed: {result.text}", "replan")
        structured = plain_data(result.output) if result.output is not None else None
        return ToolResult.success(result.text, structured=structured, artifact=_artifact_of(result))


def _prompt_of(arguments: Mapping[str, Any]) -> str:
    """Return what an agent is asked to do: its task in words, then whatever else it was called with."""
    import json  # noqa: PLC0415 - most agents take a task alone

    others = {name: value for name, value in arguments.items() if name != "task"}
    task = arguments.get("task", "")
    parts = [task if isinstance(task, str) else json.dumps(task), json.dumps(others, ensure_ascii=False)]
    return "\n\n".join(part for part in parts if part not in ("", "{}"))


def _artifact_of(result: AgentResult[Any]) -> Any:
    """Return the object that an agent comes back with: its answer, what a tool returned, or what its tools made."""
    if result.output is not None or result.ending == "returned":
        return result.output if result.output is not None else result.artifact
    return list(result.artifacts) if len(result.artifacts) > 1 else next(iter(result.artifacts), None)
