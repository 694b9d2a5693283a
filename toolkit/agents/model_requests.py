"""Sends a request to a model, reports its events, and records the reply in the transcript and the usage in the run."""

import logging
from collections.abc import Sequence
from time import perf_counter

from toolkit.agents.models.messages import Message, Model, ModelError, ModelReply, require_reply
from toolkit.agents.models.streaming import Piece, streamed
from toolkit.agents.transcripts import Transcript
from toolkit.errors import Signal
from toolkit.events import ModelChose, ModelFinished, ModelSaid, ModelStarted, Outcome, wants_pieces
from toolkit.json_texts import json_text
from toolkit.runs.records import ModelUse
from toolkit.tools.call_secrets import redactor_of
from toolkit.tools.context import ToolContext
from toolkit.tools.redacted_specs import redacted_spec
from toolkit.tools.spec import ToolSpec

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
