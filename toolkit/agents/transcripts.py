"""Transcripts: the messages between a user, a model and its tools, as data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from toolkit.agents.kinds import FinishedCall
from toolkit.agents.models.messages import Message, ModelReply, SystemMessage, ToolMessage, Usage, UserMessage
from toolkit.errors import ToolExecutionError
from toolkit.tools.results import ToolCall, ToolResult


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
