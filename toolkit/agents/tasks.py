"""Runs one task of an agent, from its instructions to its result."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypedDict, TypeVar

from toolkit.agents.kinds import AgentKind, FinishedCall, LoopHistory
from toolkit.agents.loop import AgentError, Ending, Limits, Loop, LoopEnd
from toolkit.agents.models.messages import Model, SystemMessage, Usage, UserMessage
from toolkit.agents.offered_tools import ChainedTools, Chaining, Table, chained_names, chaining_problems
from toolkit.agents.references import Reference, referenced_tools, with_references
from toolkit.agents.transcripts import Transcript, can_record_turns
from toolkit.disclosure.offering import folded_tools
from toolkit.errors import InvalidTools, ReplanRequested, Signal, TerminationRequested, ToolArgumentsError, raise_errors
from toolkit.events import AgentFinished, AgentStarted, Outcome
from toolkit.json_texts import json_text
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.argument_repairs import repaired
from toolkit.tools.base import Tool, innermost
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.kinds.class_tools import TypedTool
from toolkit.tools.kinds.resolution import tools_among
from toolkit.tools.secret_arguments import redactor_of
from toolkit.wrappers.artifacts import artifacts_of

if TYPE_CHECKING:
    from toolkit.tools.inputs import InputShape


class Answer:
    """The type that an answer must fit."""

    _name: str
    _schema: Mapping[str, Any]
    _parse: Callable[[str], Any]

    def __init__(self, wanted: "type | InputShape") -> None:
        """Create the parser.

        Args:
            wanted: A pydantic model, a dataclass, a TypedDict or a JSON shape.
        """
        self._wanted = wanted
        if not isinstance(wanted, type):
            self._name, self._schema, self._parse = "the schema", wanted.schema, wanted.read
            return
        reader: TypedTool[Any] = TypedTool(
            name="answer", description="The answer.", input_type=wanted, function=lambda input: input
        )  # fmt: skip
        self._name, self._schema, self._parse = wanted.__name__, reader.spec.parameters, reader.parse

    @property
    def request(self) -> str:
        """The description of the type that the model receives."""
        schema = json.dumps(self._schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with nothing but one JSON object that fits this JSON Schema:\n{schema}"

    def objection(self, text: str) -> str | None:
        """Return what is wrong with an answer, in words for the model, or `None` if it fits."""
        try:
            self._parsed(text)
        except ToolArgumentsError as error:
            return f"Your answer does not fit the JSON Schema: {error}. Answer again, with the JSON object alone."
        return None

    def of(self, end: LoopEnd) -> Any:
        """Return the answer as an object of the type.

        Raises:
            AgentError: If the result of a returning tool does not fit the type.
        """
        if isinstance(end.artifact, _instances_of(self._wanted)):
            return end.artifact
        try:
            return self._parsed(end.text)
        except ToolArgumentsError as error:
            raise AgentError(f"what the tool returned does not fit {self._name}: {error}") from error

    def _parsed(self, text: str) -> Any:
        return self._parse(repaired(text) if text.strip() else "null")


def _instances_of(wanted: "type | InputShape") -> tuple[type, ...]:
    """Return the type if `isinstance` supports it, which it does not for a TypedDict."""
    return (wanted,) if isinstance(wanted, type) and not issubclass(wanted, dict) else ()


def input_reader(name: str, input_type: type) -> TypedTool[Any]:
    """Return the schema and parser of an agent's input.

    Raises:
        InvalidTools: If the type cannot be represented as JSON.
    """
    return TypedTool(name=name, description="The input.", input_type=input_type, function=lambda input: input)


def converted_input(agent: Tool, arguments: Arguments, spec: ToolSpec) -> dict[str, Any]:
    """Return an input as the arguments of an agent: one by one, or as JSON if the agent takes a single string.

    Raises:
        ToolArgumentsError: If the arguments are not a JSON object.
    """
    try:
        sent = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
    except ValueError as error:
        raise ToolArgumentsError("the input must be a JSON object") from error
    given = {name: value for name, value in sent.items() if name in spec.properties}
    taken = agent.spec.properties
    if len(taken) == 1 and given.keys() != taken.keys():
        [(name, schema)] = taken.items()
        if schema.get("type") == "string":
            return {name: json_text(given)}
    return given


class Ended(Protocol):
    """The result of a task, as far as the report needs it."""

    @property
    def ending(self) -> str:
        """How the task ended."""


Result = TypeVar("Result", bound=Ended)


async def reported(work: Callable[[], Awaitable[Result]], model: str, context: ToolContext) -> Result:
    """Run a task, and report its start and its finish.

    Args:
        work: Runs the task.
        model: The name of the model.
        context: Has the listener, the agent's name and the run.

    Raises:
        Exception: Any exception that `work` raises.
    """
    outcome: Outcome = "signal"
    error: str | None = None
    agent, run = context.agent, context.run.id if context.run is not None else None

    def finished(call: int, seconds: float) -> AgentFinished:
        fields: dict[str, Any] = {"outcome": outcome, "error": error, "seconds": seconds}
        return AgentFinished(call=call, agent=agent, model=model, run=run, **fields)

    with context.reporting(lambda call: AgentStarted(call, agent, model, run), finished):
        try:
            result = await work()
        except Exception as failure:
            if not isinstance(failure, Signal):
                outcome, error = "error", str(failure)
            raise
        outcome = "success" if result.ending in ("answered", "returned") else "failure"
    return result


if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault  # `typing.TypeVar` has no default before Python 3.13

    Output = TypeVarWithDefault("Output", default=Any)
else:
    Output = TypeVar("Output")

Instructions = str | Callable[[ToolContext, str], str]
"""The system prompt: a string, or a function that is called with the context and the task at every start."""

_ALL_OPEN = AgentKind()
_USUAL = Limits()
_PLAIN = (str, int, float, bool, type(None))


class AgentOptions(TypedDict, total=False):
    """The options of any agent. `Settings` describes them."""

    references: Sequence[Reference]
    kind: AgentKind
    chaining: Sequence[Chaining]
    limits: Limits
    budget: Budget | None
    transcript: Transcript | None
    capture_nested_artifacts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of an agent.

    Attributes:
        references: Additional knowledge for the model, with its own tools.
        kind: Which tools can be called when: a Playbook or a StateMachine. By default, all can always be called.
        chaining: Which returned objects provide tools. The kind does not affect these tools.
        limits: The limits of the loop.
        budget: The budget of a task. The budgets of outer runs apply too.
        transcript: Receives the conversation. If it already has messages, the conversation and the history that the
            kind depends on are continued. Without a transcript, every task starts a new conversation.
        capture_nested_artifacts: Whether the artifacts of agents among the tools are also artifacts of this agent.
    """

    references: Sequence[Reference] = ()
    kind: AgentKind = _ALL_OPEN
    chaining: Sequence[Chaining] = ()
    limits: Limits = _USUAL
    budget: Budget | None = None
    transcript: Transcript | None = None
    capture_nested_artifacts: bool = False

    def offered(self, tools: Iterable[Any]) -> dict[str, Tool]:
        """Return the tools that an agent has from the start, by name, including those of references.

        Raises:
            InvalidTools: If the tools, or settings that refer to tools, are invalid. The exception lists all problems.
        """
        offered = folded_tools([*tools_among(tools), *referenced_tools(self.references)])
        raise_errors(InvalidTools, chaining_problems(self.chaining))
        raise_errors(InvalidTools, self.kind.problems(offered, chained_names(self.chaining)))
        return offered


@dataclass(frozen=True, slots=True)
class AgentResult(Generic[Output]):
    """The result of an agent.

    Attributes:
        text: The answer, the result of a tool that returns to the caller, or the reason for the end.
        ending: `answered` by the model, `returned` by a tool, or `replan` or `terminated` at the request of a tool.
        output: The answer as an object of the output type, if there is one and the agent has answered.
        turns: Number of requests to the model.
        usage: The usage of all requests.
        transcript: The conversation.
        run: The run, with its calls and its blackboard.
        artifact: The artifact of a returning tool.
        artifacts: The artifacts of all tools, except plain numbers and strings. Artifacts of agents among the tools are
            included if `capture_nested_artifacts` is set.
        state: The final state, if the agent's kind has states.
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


@dataclass(frozen=True, slots=True)
class Work:
    """Everything that is needed to run a task of an agent, except the task itself.

    Attributes:
        model: The model.
        tools: The tools that can be called from the start, by name.
        settings: The agent's settings.
        transcript: Receives the conversation.
        context: The context of the calls.
        run: The run of the task, which is also the context's.
        answer: The type that the answer must fit, if any.
    """

    model: Model
    tools: Mapping[str, Tool]
    settings: Settings
    transcript: Transcript
    context: ToolContext
    run: Run
    answer: Answer | None

    async def do(self, task: str, instructions: Instructions) -> AgentResult[Any]:
        """Run a task, and return its result."""
        return await reported(lambda: self._done(task, instructions), self.model.name, self.context)

    async def _done(self, task: str, instructions: Instructions) -> AgentResult[Any]:
        transcript, kind = self.transcript, self.settings.kind
        done_before, used_before = transcript.done, transcript.usage
        table = Table(
            self.tools, kind, LoopHistory(self.run, calls=done_before), ChainedTools.begin(self.settings.chaining)
        )
        is_new = not transcript.messages
        self._send_task(task, instructions, kind.preface(table.past))
        objection = self.answer.objection if self.answer is not None else None
        loop = Loop(
            self.model,
            table,
            transcript=transcript,
            context=self.context,
            limits=self.settings.limits,
            objection=objection,
            is_resumable=is_new and can_record_turns(kind, self.settings.chaining),
        )
        try:
            end = await _ended(loop, self.run)
        finally:
            transcript.done = table.past.calls
        return AgentResult(
            end.text,
            end.ending,
            output=self._output(end),
            turns=loop.turns,
            usage=_since(used_before, transcript.usage),
            transcript=transcript,
            run=self.run,
            artifact=end.artifact,
            artifacts=_make(transcript.done[len(done_before) :], nested=self.settings.capture_nested_artifacts),
            state=kind.state(table.past),
        )

    def _send_task(self, task: str, instructions: Instructions, preface: str) -> None:
        """Add the task to the conversation, and the instructions if the conversation is new."""
        transcript = self.transcript
        if not transcript.messages:
            whole = with_references(instructions, self.settings.references)
            first = whole if isinstance(whole, str) else whole(self.context, task)
            output = self.answer.request if self.answer is not None else ""
            if text := "\n\n".join(part for part in (first, preface, output) if part):
                transcript.add(SystemMessage(redactor_of(self.context).text(text)))
        transcript.close_calls("Ended: interrupted")  # those of a recorded conversation that was interrupted
        transcript.add(UserMessage(task))

    def _output(self, end: LoopEnd) -> Any:
        if self.answer is None or end.ending not in ("answered", "returned"):
            return None
        return self.answer.of(end)


async def _ended(loop: Loop, run: Run) -> LoopEnd:
    """Run a loop to its end, record how it ended in its run, and pass its blackboard to the outer run in any case."""
    with run.at_work():
        try:
            end = await loop.run()
            if end.replan is not None:
                _remember(run, end.replan)
        except TerminationRequested as signal:
            run.finish("terminated")
            if run.around is not None and run.ending is None:
                raise
            return LoopEnd("terminated", signal.reason)
    run.finish("terminated" if end.ending == "terminated" else "completed")
    return end


def _make(calls: Sequence[FinishedCall], *, nested: bool) -> tuple[Any, ...]:
    """Return the artifacts of calls; those of agents only if `nested` is true."""
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
