"""Tasks: one task of an agent, from its instructions to its result."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypedDict

from toolkit.agents.answers import Answer
from toolkit.agents.chaining import ChainedTools, Chaining, chained_names, chaining_problems
from toolkit.agents.kept_turns import can_keep_turns
from toolkit.agents.kinds import AgentKind, FinishedCall, LoopHistory
from toolkit.agents.loop import Ending, Limits, Loop, LoopEnd
from toolkit.agents.models.messages import Model, SystemMessage, Usage, UserMessage
from toolkit.agents.references import Reference, referenced_tools, with_references
from toolkit.agents.tables import Table
from toolkit.agents.task_reports import reported
from toolkit.agents.transcripts import Transcript
from toolkit.disclosure.folding import folded_tools
from toolkit.errors import InvalidTools, ReplanRequested, TerminationRequested, raise_errors
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.base import Tool, innermost
from toolkit.tools.call_secrets import redactor_of
from toolkit.tools.context import ToolContext
from toolkit.wrappers.artifacts import artifacts_of

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # before Python 3.13 that of `typing` takes no default

    Output = TypeVar("Output", default=Any)
else:
    from typing import TypeVar

    Output = TypeVar("Output")

Instructions = str | Callable[[ToolContext, str], str]
"""The system prompt: text, or a function that makes it from the context and the task at every start."""

_ALL_OPEN = AgentKind()
_USUAL = Limits()
_PLAIN = (str, int, float, bool, type(None))


class AgentOptions(TypedDict, total=False):
    """The options of any agent; see `Settings` for each."""

    references: Sequence[Reference]
    kind: AgentKind
    chaining: Sequence[Chaining]
    limits: Limits
    budget: Budget | None
    transcript: Transcript | None
    capture_nested_artifacts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What an agent keeps to, whatever its model, its tools and its task.

    Attributes:
        references: What the model receives beside the instructions, with tools of their own.
        kind: Which tools may be called when: a Playbook, a StateMachine; without one all may at all times.
        chaining: Which objects that tools return bring tools of their own; no kind closes these.
        limits: How far it may go.
        budget: What a task may spend; those of the runs round it hold too.
        transcript: Receives the conversation; one that has messages is continued, and so is what has
            happened, as far as the kind looks at it. Without one each task begins anew.
        capture_nested_artifacts: Whether the artifacts of agents among the tools are artifacts of this one too.
    """

    references: Sequence[Reference] = ()
    kind: AgentKind = _ALL_OPEN
    chaining: Sequence[Chaining] = ()
    limits: Limits = _USUAL
    budget: Budget | None = None
    transcript: Transcript | None = None
    capture_nested_artifacts: bool = False

    def offered(self, tools: Iterable[Any]) -> dict[str, Tool]:
        """Return the tools that an agent has from the start, by name, those of references among them.

        Raises:
            InvalidTools: With everything that is wrong with the tools, and with what refers to them.
        """
        offered = folded_tools([*tools, *referenced_tools(self.references)])
        raise_errors(InvalidTools, chaining_problems(self.chaining))
        raise_errors(InvalidTools, self.kind.problems(offered, chained_names(self.chaining)))
        return offered


@dataclass(frozen=True, slots=True)
class AgentResult(Generic[Output]):
    """The result of an agent.

    Attributes:
        text: The answer, the result of a tool that returns to the caller, or why it ended.
        ending: `answered` by the model, `returned` by a tool; `replan` or `terminated` where a tool wanted that.
        output: The answer in the type that was wanted, if one was and the agent came to an answer.
        turns: How many requests to the model there were.
        usage: What all of them have used.
        transcript: The conversation.
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


@dataclass(frozen=True, slots=True)
class Work:
    """One task of an agent, as far as it is the same for any task.

    Attributes:
        model: What answers.
        tools: What it may call from the start, by name.
        settings: What it keeps to.
        transcript: Receives the conversation.
        context: What its calls are made with.
        run: The run of the task, which the context has.
        answer: The type that the answer must fit, if one is wanted.
    """

    model: Model
    tools: Mapping[str, Tool]
    settings: Settings
    transcript: Transcript
    context: ToolContext
    run: Run
    answer: Answer | None

    async def do(self, task: str, instructions: Instructions) -> AgentResult[Any]:
        """Do a task, and return what it came to."""
        return await reported(lambda: self._done(task, instructions), self.model.name, self.context)

    async def _done(self, task: str, instructions: Instructions) -> AgentResult[Any]:
        transcript, kind = self.transcript, self.settings.kind
        done_before, used_before = transcript.done, transcript.usage
        table = Table(
            self.tools, kind, LoopHistory(self.run, calls=done_before), ChainedTools.begin(self.settings.chaining)
        )
        is_new = not transcript.messages
        self._tell(task, instructions, kind.preface(table.past))
        objection = self.answer.objection if self.answer is not None else None
        loop = Loop(
            self.model,
            table,
            transcript=transcript,
            context=self.context,
            limits=self.settings.limits,
            objection=objection,
            keeps_turns=is_new and can_keep_turns(kind, self.settings.chaining),
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

    def _tell(self, task: str, instructions: Instructions, preface: str) -> None:
        """Send the model its instructions, unless it has them, and the task."""
        transcript = self.transcript
        if not transcript.messages:
            whole = with_references(instructions, self.settings.references)
            first = whole if isinstance(whole, str) else whole(self.context, task)
            wish = self.answer.wish if self.answer is not None else ""
            if text := "\n\n".join(part for part in (first, preface, wish) if part):
                transcript.add(SystemMessage(redactor_of(self.context).text(text)))
        transcript.close_calls("Ended: interrupted")  # those of a record that was left in the middle of them
        transcript.add(UserMessage(task))

    def _output(self, end: LoopEnd) -> Any:
        if self.answer is None or end.ending not in ("answered", "returned"):
            return None
        return self.answer.of(end)


async def _ended(loop: Loop, run: Run) -> LoopEnd:
    """Go to the end of a loop; its run knows how it ended, the run round it in any case what is on the blackboard."""
    with run.at_work():
        try:
            end = await loop.go()
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
