"""Transcripts: the messages between a user, a model and its tools, as data, and in the journal of a run.

A resumed run does not repeat requests and calls that are recorded. The request of the third turn is recorded as
`turn-3` and its second call as `turn-3.2`, below the path of the agent.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from toolkit.agents.kinds import AgentKind, FinishedCall
from toolkit.agents.models.messages import Message, Model, ModelReply, SystemMessage, ToolMessage, Usage, UserMessage
from toolkit.agents.offered_tools import Chaining
from toolkit.approvals.decisions import plain_digest
from toolkit.disclosure.offering import facade_of
from toolkit.errors import ToolExecutionError
from toolkit.runs.records import CallRecord, Journal, JournalError, ModelUse
from toolkit.tools.base import Tool
from toolkit.tools.calls.json_data import dumps, loads
from toolkit.tools.calls.results import ToolCall, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.outcomes import result_in, result_text
from toolkit.tools.secret_arguments import mask_secrets, redactor_of
from toolkit.wrappers.journaling import journaled


class Transcript:
    """A conversation to which messages are added. They can be read even if the agent ended with an error.

    If a transcript already has messages, the conversation is continued, including the history of its calls.

    Attributes:
        done: The finished calls with their results. If the transcript was read from records, the results are only text.
        after_each: Called after each message that is added, for example to save it.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        """Create a transcript, optionally with earlier messages."""
        self._messages = list(messages)
        self._is_held = False
        self.done = _done(self._messages)
        self.after_each: Callable[[], None] | None = None

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> "Transcript":
        """Create a transcript from the data that `as_record` returned.

        Raises:
            ValueError: If something is not the record of a message. The error has the number of the message.
        """
        transcript = cls()
        for number, record in enumerate(records, 1):
            try:
                transcript.add(_message(record, transcript))
            except (AttributeError, KeyError, TypeError, StopIteration) as error:
                raise ValueError(f"message {number} is not the record of a message") from error
        transcript.done = _done(transcript.messages)
        return transcript

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages, oldest first."""
        return tuple(self._messages)

    @property
    def usage(self) -> Usage:
        """The total usage of all replies."""
        return sum((message.usage for message in self._messages if isinstance(message, ModelReply)), Usage())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Reserve the conversation for one agent, since the messages of two agents would get mixed up.

        Raises:
            ToolExecutionError: If another agent is using it. The message is for a model.
        """
        if self._is_held:
            raise ToolExecutionError("this conversation is already running; call again when it has finished", "busy")
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    def add(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)
        if self.after_each is not None:
            self.after_each()

    def close_calls(self, text: str) -> None:
        """Add a failed result with this text for every call of the last reply that has no result."""
        for call in self._open_calls():
            self.add(ToolMessage(call, text, failed=True))

    def _open_calls(self) -> Sequence[ToolCall]:
        """Return the calls of the last reply that have no result yet. Results are in the order of the calls."""
        results = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(self._messages)))
        last = self._messages[-len(results) - 1] if len(results) < len(self._messages) else None
        return last.calls[len(results) :] if isinstance(last, ModelReply) else ()

    def as_record(self) -> list[dict[str, Any]]:
        """Return the messages as plain data."""
        return [message.as_record() for message in self._messages]

    def __repr__(self) -> str:
        """Return the number of messages only, since messages may contain secrets."""
        return f"<Transcript of {len(self._messages)} messages>"


def _message(record: Mapping[str, Any], so_far: Transcript) -> Message:
    """Return the message of a record. The result of a tool belongs to the next call without a result."""
    text = record["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    match record["role"]:
        case "system":
            return SystemMessage(text)
        case "user":
            return UserMessage(text)
        case "tool":
            call = next(iter(so_far._open_calls()))  # noqa: SLF001 - the same module
            return ToolMessage(call, text, failed=bool(record["failed"]))
        case "model":
            return model_reply(record)
    raise KeyError(record["role"])


def model_reply(record: Mapping[str, Any]) -> ModelReply:
    """Return the reply of a record.

    Raises:
        KeyError: If it is not the record of a reply.
        TypeError: If it is not the record of a reply.
    """
    calls = tuple(ToolCall(call["name"], call["arguments"], call["id"]) for call in record["calls"])
    return ModelReply(record["text"], calls, Usage(**record["usage"]), cut=bool(record.get("cut")))


def _done(messages: Iterable[Message]) -> tuple[FinishedCall, ...]:
    """Return the successful calls in a conversation, with their results as text."""
    results = [message for message in messages if isinstance(message, ToolMessage) and not message.failed]
    return tuple(FinishedCall(None, message.call.name, ToolResult(message.text)) for message in results)


def can_record_turns(kind: AgentKind, chaining: Sequence[Chaining]) -> bool:
    """Return whether an agent can be resumed from the recorded replies and results of its turns.

    A journal records only text and plain data, but locks, states and chaining may depend on the objects that calls
    returned.
    """
    return type(kind) is AgentKind and not chaining


class RecordedTurns:
    """The recorded turns of one loop. Without a journal, nothing is recorded."""

    def __init__(self, model: Model, context: ToolContext, *, is_resumable: bool) -> None:
        """Create the record of a loop.

        Args:
            model: The model.
            context: The context of the agent's call.
            is_resumable: Whether the agent can be resumed from recorded turns.
        """
        self._journal: Journal | None = context.journal if is_resumable and context.path is not None else None
        self._path = f"{context.path}/" if context.path else ""
        self._model, self._context = model, context

    def recalled(self, turn: int) -> ModelReply | None:
        """Return the recorded reply of a turn, or `None` if the model has to be asked.

        Its usage is added to the run again, since a resumed run starts counting at zero.

        Raises:
            JournalError: If the reply contained a secret, which is not recorded.
        """
        record = None if self._journal is None else self._journal.recall(self._path_of(turn))
        if record is None or record.status != "ok":
            return None
        if not record.is_whole:
            message = f"the model's reply in turn {turn} contained a secret, which is not recorded"
            raise JournalError(f"{message}, so this run cannot be resumed; start it again")
        reply = model_reply(loads(record.result))
        if self._context.run is not None:
            used = reply.usage
            self._context.run.record_use(ModelUse(self._model.name, used.input_tokens, used.output_tokens, used.cost))
        return reply

    def begin(self, turn: int) -> None:
        """Record that the model is asked. A request can safely be repeated.

        Raises:
            JournalError: If the journal cannot be written.
        """
        if self._journal is not None:
            self._journal.begin(self._path_of(turn), self._model.name, "", "", may_repeat=True)

    def record(self, turn: int, reply: ModelReply) -> None:
        """Record the model's reply, before any of its calls is made.

        Raises:
            JournalError: If the journal cannot be written.
        """
        if self._journal is not None:
            record = reply.as_record()
            shown = redactor_of(self._context).data(record)
            self._journal.end(self._path_of(turn), "ok", dumps(shown), is_whole=shown == record)

    def context_of_call(self, tool: Tool | None, turn: int, place: int) -> ToolContext:
        """Return the context of a call, with the path under which the call is recorded.

        Calls of facades are not recorded: they have no effect, and the tools that they reveal are not plain data.
        """
        if self._journal is None or facade_of(tool) is not None:
            return self._context.replace(path=None, journal=None)
        return self._context.replace(path=f"{self._path_of(turn)}.{place}", journal=self._journal)

    def _path_of(self, turn: int) -> str:
        return f"{self._path}turn-{turn}"


async def call_recorded(tool: Tool, call: ToolCall, context: ToolContext) -> ToolResult:
    """Return the recorded result of a call; otherwise make the call, and record its result before the model sees it.

    Raises:
        Signal: If more than the call has to end; the call is not recorded then.
    """
    journal, path = context.journal, context.path
    if journal is None or path is None:
        return await tool.call(call.arguments, context)
    sent = redactor_of(context).text(_send(tool, call))
    digest = plain_digest(json.dumps([call.name, sent]))
    record = journal.recall(path)
    if record is not None and record.arguments in ("", digest):
        return _recalled(tool, sent, result_in(record.result)[0], context)
    result = await journaled(tool).call(call.arguments, context)
    output = result.output if result.structured is None else result.structured
    status = "ok" if result.succeeded else "rejected" if result.error_code == "rejected" else "failed"
    text, _ = result_text(result, output, context)
    # The model receives no secrets either, so nothing is missing from the recorded text.
    journal.end(path, status, text, is_whole=True, arguments=digest)
    return result


def _recalled(tool: Tool, sent: str, result: ToolResult, context: ToolContext) -> ToolResult:
    """Add a recalled call to the run's calls and to the gate's history."""
    if context.gate is not None:
        context.gate.history.add(tool.reach)
    if context.run is not None:
        outcome = "success" if result.succeeded else "failure"
        context.run.record_call(
            CallRecord(
                context.run.id,
                tool.name,
                sent,
                outcome,  # type: ignore[arg-type]  # one of the outcomes
                output=result.output,
                error=result.error,
                error_code=result.error_code,
                chosen_by=context.chosen_by,
                loop_id=context.loop_id,
            )
        )
    return result


def _send(tool: Tool, call: ToolCall) -> str:
    shown: str | Mapping[str, object] = mask_secrets(call.arguments, tool.hidden_parameters)
    return shown if isinstance(shown, str) else json.dumps(dict(shown), sort_keys=True, default=str)
