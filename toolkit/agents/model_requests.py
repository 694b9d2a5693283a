"""Sends a request to a model and runs the calls of its reply, within the budgets of the run, and reports them."""

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from time import perf_counter

from toolkit.agents.models.messages import Message, Model, ModelError, ModelReply, Piece, require_reply, streamed
from toolkit.agents.transcripts import Transcript, call_recorded
from toolkit.errors import Signal
from toolkit.events import (
    Listener,
    ModelChose,
    ModelFinished,
    ModelSaid,
    ModelStarted,
    Outcome,
    StepFinished,
    StepStarted,
    StepStatus,
    wants_pieces,
)
from toolkit.json_texts import json_text
from toolkit.runs.records import ModelUse
from toolkit.tools.base import Tool
from toolkit.tools.calls.metrics import Counting, Waiting
from toolkit.tools.calls.results import ToolCall, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.spec import ToolSpec, redacted_spec
from toolkit.tools.outcomes import result_of_ending
from toolkit.tools.secret_arguments import redactor_of

TRACE = 5
"""The level of the log record of each specification that a model was sent."""


async def ask(
    model: Model, transcript: Transcript, tools: Sequence[ToolSpec], context: ToolContext, turn: int
) -> ModelReply:
    """Ask a model for its next reply, and add it to the transcript, even if only part of it was received.

    Args:
        model: The model. It streams if it can and there is a listener for it.
        transcript: The conversation so far.
        tools: The tools that the model can call.
        context: Has the listener, and the run that the usage counts for.
        turn: The number of the request in the agent's loop.

    Raises:
        ModelError: If the model does not answer.
        Signal: If the listener raises one.
    """
    began = perf_counter()
    tools = [redacted_spec(spec, redactor_of(context)) for spec in tools]
    _trace(tools)
    asking = _Reported(model, context, turn) if context.listener is not None else _Silent(model)
    try:
        reply = await asking.reply(transcript, tools)
        used = reply.usage
    except (Signal, ModelError):
        raise
    except Exception as error:
        raise ModelError(f"the model '{model.name}' failed: {type(error).__name__}: {error}") from error
    if context.run is not None:
        seconds = perf_counter() - began
        context.run.record_use(ModelUse(model.name, used.input_tokens, used.output_tokens, used.cost, seconds))
    transcript.add(reply)
    return reply


def _trace(specs: Sequence[ToolSpec]) -> None:
    for spec in specs:
        logger = logging.getLogger(f"toolkit.tools.{spec.name}")
        if logger.isEnabledFor(TRACE):
            logger.log(TRACE, "%s: specification sent to the model: %s", spec.name, json_text(spec.definition))


class _Silent:
    def __init__(self, model: Model) -> None:
        self._model = model

    async def reply(self, transcript: Transcript, tools: Sequence[ToolSpec]) -> ModelReply:
        return require_reply(await self._model.request(transcript.messages, tools))


class _Reported:
    """A request that is reported to a listener: its start, the pieces of the reply, and exactly one finish."""

    def __init__(self, model: Model, context: ToolContext, turn: int) -> None:
        self._model, self._context, self._turn = model, context, turn
        self._call = 0
        self._pieces: list[str] = []
        self._shown = redactor_of(context).stream()

    async def reply(self, transcript: Transcript, tools: Sequence[ToolSpec]) -> ModelReply:
        outcome: Outcome = "signal"
        error, reply = None, ModelReply()

        def finished(_: int, seconds: float) -> ModelFinished:
            return self._finished(reply, outcome, error, seconds)

        with self._context.reporting(self._started, finished) as self._call:
            try:
                reply = await self._asked(transcript.messages, tools)
                self._show(self._shown.end())
                outcome = "success"
            except Exception as failure:
                if not isinstance(failure, Signal):
                    outcome, error = "error", str(failure)
                raise
            finally:
                if outcome != "success":
                    reply = ModelReply("".join(self._pieces), cut=True)
                    if reply.text:
                        transcript.add(reply)
        return reply

    async def _asked(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        if wants_pieces(self._context.listener):
            return await streamed(self._model, messages, tools, self._report)
        return require_reply(await self._model.request(messages, tools))

    @property
    def _run(self) -> str | None:
        return self._context.run.id if self._context.run is not None else None

    def _started(self, call: int) -> ModelStarted:
        return ModelStarted(
            call=call, model=self._model.name, agent=self._context.agent, run=self._run, turn=self._turn
        )

    def _finished(self, reply: ModelReply, outcome: Outcome, error: str | None, seconds: float) -> ModelFinished:
        return ModelFinished(
            call=self._call,
            model=self._model.name,
            agent=self._context.agent,
            run=self._run,
            turn=self._turn,
            outcome=outcome,
            text=reply.text,
            calls=len(reply.calls),
            cut=reply.cut,
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            cost=reply.usage.cost,
            error=error,
            seconds=seconds,
        )

    def _report(self, piece: Piece) -> None:
        if isinstance(piece, str):
            self._pieces.append(piece)
            self._show(self._shown.feed(piece))
        else:
            self._context.emit(ModelChose(self._call, piece.name))

    def _show(self, text: str) -> None:
        if text:
            self._context.emit(ModelSaid(self._call, text))


UNNAMED = "agent"
"""The name of an agent without a name."""

_STATUSES: dict[str | int | None, StepStatus] = {"rejected": "rejected", "timeout": "timed_out"}


async def call_as_step(tool: Tool | None, call: ToolCall, context: ToolContext, turn: int, of: int) -> ToolResult:
    """Call a tool as a step of an agent.

    Args:
        tool: The tool; `None` if the model has called an unknown one.
        call: The call, as the model made it.
        context: The context of the call. Its listener receives the step, and the call is recorded under its path.
        turn: The number of the turn, which is the position of the step.
        of: Maximum number of turns.

    Raises:
        Signal: If more than the call has to end, for example because a budget is used up.
    """
    who = f"agent {context.agent}" if context.agent != UNNAMED else UNNAMED
    place = " · ".join(filter(None, (f"turn {turn}/{of}", who, context.place)))
    inner = context.replace(place=place)
    with inner.run.calling() if inner.run is not None else nullcontext():
        if inner.listener is None:
            return await _performed(tool, call, inner)
        return await _describe(tool, call, context=inner, listener=inner.listener, turn=turn, of=of)


async def _describe(
    tool: Tool | None, call: ToolCall, context: ToolContext, listener: Listener, turn: int, of: int
) -> ToolResult:
    counting, waits = Counting(listener), Waiting(context.waits)
    result, began = ToolResult.failure("the call was cancelled", "signal"), perf_counter()
    status: StepStatus = "ended"

    def started(step: int) -> StepStarted:
        return StepStarted(call=step, path=call.name, position=turn, of=of, tool=call.name, items=None)

    def finished(step: int, _: float) -> StepFinished:
        return StepFinished(
            call=step,
            path=call.name,
            position=turn,
            of=of,
            tool=call.name,
            status=status,
            output=result.output,
            error=result.error,
            error_code=result.error_code,
            attempts=1,
            asked=counting.asked,
            continued=status not in ("ok", "ended"),
            items=None,
            skipped=[],
            seconds=waits.worked_since(began),
        )

    with context.reporting(started, finished):
        try:
            result = await _performed(tool, call, context.replace(listener=counting, waits=waits))
        except Signal as ending:
            result = result_of_ending(ending, result)
            raise
        status = "ok" if result.succeeded else _STATUSES.get(result.error_code, "failed")
    return result


async def _performed(tool: Tool | None, call: ToolCall, context: ToolContext) -> ToolResult:
    if tool is None:
        return ToolResult.failure(f"the tool '{call.name}' does not exist", "unknown_tool")
    return await call_recorded(tool, call, context)
