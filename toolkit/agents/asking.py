"""Asking: one request to a model, told to whoever listens, and written into the transcript and the books of the run."""

from collections.abc import Sequence
from time import perf_counter

from toolkit.agents.models.messages import Model, ModelError, ModelReply
from toolkit.agents.models.streaming import Piece, streamed
from toolkit.agents.transcripts import Transcript
from toolkit.errors import Signal
from toolkit.events import CALLS, ModelChose, ModelFinished, ModelSaid, ModelStarted, Outcome, hears_pieces
from toolkit.runs.records import ModelUse
from toolkit.tools.call_secrets import redactor_of
from toolkit.tools.context import ToolContext
from toolkit.tools.redacted_specs import redacted_spec
from toolkit.tools.spec import ToolSpec


async def ask(
    model: Model, transcript: Transcript, tools: Sequence[ToolSpec], context: ToolContext, turn: int
) -> ModelReply:
    """Ask a model for its next reply, and add it to the transcript; of one that broke off, what was said stays there.

    Args:
        model: What answers; it streams if somebody listens and it can.
        transcript: What was said so far.
        tools: What it is offered.
        context: Says who listens, and to which run the use counts.
        turn: Which request of the agent this is.

    Raises:
        ModelError: If there is no answer to be had.
        Signal: What the listener raises.
    """
    began = perf_counter()
    tools = [redacted_spec(spec, redactor_of(context)) for spec in tools]
    asking = _Told(model, context, turn) if context.listener is not None else _Untold(model)
    try:
        reply = await asking.reply(transcript, tools)
        used = reply.usage
    except (Signal, ModelError):
        raise
    except Exception as error:
        message = f"the model '{model.name}' failed: {type(error).__name__}: {error}"
        raise ModelError(message) from error
    if context.run is not None:
        seconds = perf_counter() - began
        context.run.record_use(ModelUse(model.name, used.input_tokens, used.output_tokens, used.cost, seconds))
    transcript.add(reply)
    return reply


class _Untold:
    """A request that nobody listens to."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def reply(self, transcript: Transcript, tools: Sequence[ToolSpec]) -> ModelReply:
        return await self._model.request(transcript.messages, tools)


class _Told:
    """A request that is told while it goes on: it has a start, pieces, and exactly one finish."""

    def __init__(self, model: Model, context: ToolContext, turn: int) -> None:
        self._model, self._context, self._turn = model, context, turn
        self._call = next(CALLS)
        self._said: list[str] = []
        self._shown = redactor_of(context).stream()

    async def reply(self, transcript: Transcript, tools: Sequence[ToolSpec]) -> ModelReply:
        run = self._context.run.id if self._context.run is not None else None
        started = ModelStarted(self._call, self._model.name, self._context.agent, run, self._turn)
        self._context.emit(started)
        began = perf_counter()
        outcome: Outcome = "signal"
        error, reply = None, ModelReply()
        try:
            if hears_pieces(self._context.listener):
                reply = await streamed(self._model, transcript.messages, tools, self._tell)
            else:
                reply = await self._model.request(transcript.messages, tools)
            self._show(self._shown.end())
            outcome = "success"
        except Exception as failure:
            if not isinstance(failure, Signal):
                outcome, error = "error", str(failure)
            raise
        finally:
            if outcome != "success":
                reply = ModelReply("".join(self._said), cut=True)
                if reply.text:
                    transcript.add(reply)
            used = reply.usage
            finished = ModelFinished(
                self._call, self._model.name, self._context.agent, run, self._turn, outcome, reply.text,
                len(reply.calls), reply.cut, used.input_tokens, used.output_tokens, used.cost, error,
                perf_counter() - began,
            )  # fmt: skip
            self._context.emit(finished)
        return reply

    def _tell(self, piece: Piece) -> None:
        if isinstance(piece, str):
            self._said.append(piece)
            self._show(self._shown.feed(piece))
        else:
            self._context.emit(ModelChose(self._call, piece.name))

    def _show(self, text: str) -> None:
        if text:
            self._context.emit(ModelSaid(self._call, text))
