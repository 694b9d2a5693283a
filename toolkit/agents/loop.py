"""The agent loop: ask the model, run its calls and send it the results, until it answers or a limit is reached.

The error of a failed call is sent to the model. A `Signal`, which ends more than a call, ends the loop. If several
calls of one turn raise signals, the loop waits for all calls and then follows the signal that ends the most.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import uuid4

from toolkit.agents.model_requests import ask, call_as_step
from toolkit.agents.models.messages import Model, ModelReply, ToolMessage, UserMessage
from toolkit.agents.offered_tools import Table
from toolkit.agents.transcripts import RecordedTurns, Transcript
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import Risk
from toolkit.disclosure.denials import permitted
from toolkit.errors import ApprovalPending, ExitEarlyError, ReplanRequested, TerminationRequested, ToolExecutionError
from toolkit.tools.base import Tool
from toolkit.tools.calls.results import ToolCall, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import READINGS, ToolSpec
from toolkit.tools.secret_arguments import redactor_of
from toolkit.wrappers.limits import budgeted

if TYPE_CHECKING:
    from asyncio import Task

Ending = Literal["answered", "returned", "replan", "terminated"]

_LAST_WORD = "Your requests are used up, and no tool can be called any more. Answer now with what you have."
_NUDGE = "Your last turn was empty. Call a tool, or answer in words."


class AgentError(ToolExecutionError):
    """An agent could not finish. The message says why, and the error code is `agent`."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "agent")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an agent.

    Attributes:
        turns: Maximum number of requests to the model.
        result: Maximum length of a result for the model, in characters. Longer results are truncated with a note.
            `None` means no limit.
        unknown: Maximum number of consecutive calls of tools that do not exist.
        at_once: Maximum number of calls of one turn that run in parallel.
        last_answer: Whether the model gets one more request, without tools, to answer with what it has when its
            requests are used up.
    """

    turns: int = 20
    result: int | None = 100_000
    unknown: int = 3
    at_once: int = 32
    last_answer: bool = False

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            ValueError: If a limit is too small.
        """
        for name, least in (("turn", self.turns), ("call at once", self.at_once)):
            if least < 1:
                raise ValueError(f"an agent needs at least one {name}, not {least}")
        if (self.result is not None and self.result < 0) or self.unknown < 0:
            raise ValueError("the limits of an agent must not be negative")


class LoopEnd(NamedTuple):
    """How a loop ended.

    Attributes:
        ending: Whether the model answered, a tool returned to the caller, or a tool requested the end.
        text: The answer, the result of the returning tool, or the reason.
        artifact: The artifact of the returning tool.
        replan: The signal with which a tool requested another plan, if one did.
    """

    ending: Ending
    text: str
    artifact: Any = None
    replan: ReplanRequested | None = None


Objection = Callable[[str], str | None]
"""Returns what is wrong with an answer, in words for the model, or `None` if it is accepted."""


class Loop:
    """One loop of a model with tools. It can be run once."""

    def __init__(
        self,
        model: Model,
        table: Table,
        transcript: Transcript,
        context: ToolContext,
        limits: Limits,
        objection: Objection | None = None,
        *,
        is_resumable: bool = False,
    ) -> None:
        """Create a loop.

        Args:
            model: The model.
            table: The tools that are offered.
            transcript: The conversation so far, to which all messages are added.
            context: The context of calls, with the run and the id of this loop.
            limits: The limits of the loop.
            objection: Returns what is wrong with an answer. By default, every answer is accepted.
            is_resumable: Whether requests and calls are recorded in the context's journal, so that the loop can be
                resumed.
        """
        self.table = table
        self.turns = 0
        self._model, self._transcript, self._context, self._limits = model, transcript, context, limits
        self._objection = objection
        self._recorded = RecordedTurns(model, context, is_resumable=is_resumable)
        _note_earlier_calls(table, transcript, context)
        self._unknown_in_a_row = 0
        self._is_nudged = False

    async def run(self) -> LoopEnd:
        """Run the loop until it ends.

        Raises:
            AgentError: If a limit is reached.
            ModelError: If the model does not answer.
            Signal: If more than this loop has to end.
        """
        while self.turns < self._limits.turns:
            reply = await self._ask()
            try:
                end = await self._act(reply.calls) if reply.calls else self._accepted(reply.text)
            finally:  # every call needs a result before the conversation can be continued
                self._transcript.close_calls("Ended: interrupted")
            if end is not None:
                return end
        if self._limits.last_answer and (end := await self._last_answer()) is not None:
            return end
        count = "one request" if self._limits.turns == 1 else f"{self._limits.turns} requests"
        raise AgentError(f"the agent has used up its {count} to the model without finishing")

    async def _last_answer(self) -> LoopEnd | None:
        """Ask for a final answer without tools; return `None` if the model calls a tool or the answer is rejected."""
        self._transcript.add(UserMessage(_LAST_WORD))
        reply = await self._ask_with([])
        self._transcript.close_calls("Ended: the requests are used up")
        is_answer = not reply.calls and reply.text.strip()
        return self._accepted(reply.text) if is_answer else None

    async def _ask(self) -> ModelReply:
        offered = permitted(self.table.turn().values(), self._context)
        return await self._ask_with([tool.spec for tool in offered])

    async def _ask_with(self, offered: Sequence[ToolSpec]) -> ModelReply:
        self.turns += 1
        run = self._context.run
        if run is not None:
            run.check()
        if (known := self._recorded.recalled(self.turns)) is not None:
            self._transcript.add(known)
            return known
        self._recorded.begin(self.turns)
        reply = await ask(self._model, self._transcript, offered, self._context, self.turns)
        self._recorded.record(self.turns, reply)
        return reply

    def _accepted(self, text: str) -> LoopEnd | None:
        """Return the end of the loop if an answer is accepted; otherwise send the model what is wrong with it."""
        if not text.strip() and not self._is_nudged:
            self._is_nudged = True
            self._transcript.add(UserMessage(_NUDGE))
            return None
        objection = self._objection(text) if self._objection is not None else None
        if objection is None:
            return LoopEnd("answered", text)
        self._transcript.add(UserMessage(objection))
        return None

    async def _act(self, calls: Sequence[ToolCall]) -> LoopEnd | None:
        """Run the calls of one turn, in parallel where possible."""
        self._is_nudged = False
        called: list[Tool | None] = []
        outcomes: list[ToolResult] = []
        while waiting := calls[len(called) :]:
            tools, results, signals = await self._run_in_parallel(self._first_of(waiting), len(called))
            called, outcomes = called + tools, outcomes + results
            if signals:
                for call in calls[len(called) :]:
                    self._transcript.add(ToolMessage(call, "Ended: by the call before", failed=True))
                return _ended_by(_gravest(signals))
        if self._unknown_in_a_row > self._limits.unknown:
            known = ", ".join(sorted(self.table.tools)) or "none"
            raise AgentError(f"{_lost(self._unknown_in_a_row)} '{calls[-1].name}'; there are: {known}")
        return _returned(called, outcomes)

    def _first_of(self, calls: Sequence[ToolCall]) -> Sequence[ToolCall]:
        """Return the calls to run next: only the first if each can change which tools are open.

        The call of an unknown tool waits for the calls before it, since they may reveal the tool.
        """
        if self.table.one_by_one:
            return calls[:1]
        return [calls[0], *takewhile(lambda call: call.name in self.table.tools, calls[1:])]

    async def _run_in_parallel(
        self, calls: Sequence[ToolCall], done: int
    ) -> tuple[list[Tool | None], list[ToolResult], list[BaseException]]:
        """Run calls in parallel, after the first `done` calls of the turn, and add their results to the transcript."""
        import asyncio

        called = [self.table.tools.get(call.name) for call in calls]
        most = self._context.result_tokens
        places = asyncio.Semaphore(self._limits.at_once)

        async def called_in_place(tool: Tool | None, call: ToolCall, place: int) -> ToolResult:
            context = self._recorded.context_of_call(tool, self.turns, place)
            async with places:
                try:
                    bounded = tool and budgeted(tool, most)
                    return await call_as_step(bounded, call, context, self.turns, self._limits.turns)
                except ExitEarlyError as ending:
                    self._stop_others(ending, [task for task in tasks if task is not asyncio.current_task()])
                    raise

        tasks = [
            asyncio.ensure_future(called_in_place(tool, call, done + place))
            for place, (tool, call) in enumerate(zip(called, calls, strict=True), 1)
        ]
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:  # record the results even after a cancellation, for a conversation that is continued
            outcomes = [_outcome_of(task) for task in tasks]
            for tool, call, outcome in zip(called, calls, outcomes, strict=True):
                if isinstance(outcome, BaseException):
                    self._send(call, f"Ended: {outcome}", failed=True)
                else:
                    self._send_result(tool, call, outcome)
        results = [outcome for outcome in outcomes if isinstance(outcome, ToolResult)]
        return called, results, [outcome for outcome in outcomes if isinstance(outcome, BaseException)]

    def _stop_others(self, ending: ExitEarlyError, others: Sequence["Task[ToolResult]"]) -> None:
        """Let the other calls start nothing new after a call has ended the whole run; after Ctrl-C, cancel them."""
        if self._context.run is not None:
            self._context.run.terminate(ending.reason)
        for task in others if ending.interrupted else ():
            task.cancel()

    def _send_result(self, tool: Tool | None, call: ToolCall, result: ToolResult) -> None:
        """Send the model the result of a call, and the names of newly available tools."""
        if tool is None:
            self._unknown_in_a_row += 1
            self._send(call, f"Error: {self.table.why_unknown(call.name)}", failed=True)
            return
        self._unknown_in_a_row = 0
        output = redactor_of(self._context).text(result.text)
        text, remark = _cut(output, self._limits.result), self.table.note(tool, call.name, result)
        self._send(call, f"{text}\n{remark}" if remark else text, failed=not result.succeeded)

    def _send(self, call: ToolCall, text: str, *, failed: bool) -> None:
        """Send the model the result of a call, without secrets."""
        self._transcript.add(ToolMessage(call, redactor_of(self._context).text(text), failed=failed))


def _outcome_of(task: "Task[ToolResult]") -> ToolResult | BaseException:
    from asyncio import CancelledError

    if not task.done() or task.cancelled():
        return CancelledError("interrupted")
    return task.exception() or task.result()


def _gravest(signals: Sequence[BaseException]) -> BaseException:
    """Return the signal that ends the most. Signals of calls that wait for approval are combined."""
    gravest = max(signals, key=_weight)
    if isinstance(gravest, ApprovalPending):
        return ApprovalPending.all_of([signal for signal in signals if isinstance(signal, ApprovalPending)])
    return gravest


def _weight(signal: BaseException) -> int:
    """Return the rank of a signal: it ends a plan, the loop, the run or everything; a person's decision is highest."""
    match signal:
        case ReplanRequested():
            return 0
        case TerminationRequested(scope="loop"):
            return 1
        case TerminationRequested():
            return 2
        case ExitEarlyError():
            return 4
    return 3


def _ended_by(signal: BaseException) -> LoopEnd:
    match signal:
        case ReplanRequested():
            return LoopEnd("replan", signal.reason, replan=signal)
        case TerminationRequested(scope="loop"):
            return LoopEnd("terminated", signal.reason)
    raise signal


def _returned(tools: Sequence[Tool | None], results: Sequence[ToolResult]) -> LoopEnd | None:
    """Return the end of the loop if the results of all calls, or of the last one, go to the caller.

    If any call failed, the model receives the results instead.
    """
    behaviors = [tool.spec.return_behavior if tool is not None else "to_model" for tool in tools]
    if not all(result.succeeded for result in results):
        return None
    if "to_model" not in behaviors:
        artifact = results[-1].artifact if len(results) == 1 else [result.artifact for result in results]
        return LoopEnd("returned", "\n".join(result.output for result in results), artifact)
    if behaviors[-1] == "immediate_if_last":
        return LoopEnd("returned", results[-1].output, results[-1].artifact)
    return None


def _note_earlier_calls(table: Table, transcript: Transcript, context: ToolContext) -> None:
    """Add the calls of a continued conversation to the gate's history. A tool that is gone may have read anything."""
    names = {call.name for call in transcript.done}
    if context.gate is None or not names:
        return
    known = {tool.name: tool.reach for tool in table.known if tool.name in names}
    for name in names:
        context.gate.history.add(known.get(name) or Risk(name, flow=READINGS))


def _lost(times: int) -> str:
    if times == 1:
        return "the model has called a tool that does not exist,"
    return f"the model has called tools that do not exist {times} times in a row, most recently"


def _cut(text: str, limit: int | None) -> str:
    if limit is None or len(text) <= limit:
        return text
    return f"{text[:limit]}... [truncated, full length: {len(text)} characters]"


def context_for_model(context: ToolContext) -> ToolContext:
    """Return the context for a model's calls: chosen by a model, with a new loop id, and always with a gate."""
    gate, redactor = context.gate or Gate(), redactor_of(context)
    return context.replace(chosen_by="model", loop_id=uuid4().hex, gate=gate, redactor=redactor)


__all__ = ["AgentError", "Ending", "Limits", "Loop", "LoopEnd", "context_for_model"]
