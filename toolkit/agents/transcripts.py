"""Transcripts: the conversation between a user, a model and the tools, as data."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from toolkit.agents.kinds import FinishedCall
from toolkit.agents.models.messages import Message, ModelReply, SystemMessage, ToolMessage, Usage, UserMessage
from toolkit.errors import ToolExecutionError
from toolkit.tools.calls import ToolCall
from toolkit.tools.results import ToolResult


class Transcript:
    """A conversation that grows: its owner sees the messages also if the agent ended with an error.

    One that has messages already is continued, and so is what was done with tools in it, as far as that is known here.

    Attributes:
        done: The calls that were made, with what they gave as objects; a record has of these the texts alone.
        after_each: Called after each message that is added, for example to save it.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        """Begin with earlier messages, if any."""
        self._messages = list(messages)
        self._is_held = False
        self.done = _done(self._messages)
        self.after_each: Callable[[], None] | None = None

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]]) -> "Transcript":
        """Return the conversation that `as_record` gave.

        Raises:
            ValueError: If something is not a record of a message, with its number.
        """
        transcript = cls()
        for number, record in enumerate(records, 1):
            try:
                transcript.add(_message(record, transcript))
            except (AttributeError, KeyError, TypeError, StopIteration) as error:
                raise ValueError(f"message {number} is not a record of one") from error
        transcript.done = _done(transcript.messages)
        return transcript

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages, the oldest first."""
        return tuple(self._messages)

    @property
    def usage(self) -> Usage:
        """What all replies together have used."""
        return sum((message.usage for message in self._messages if isinstance(message, ModelReply)), Usage())

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the conversation for one agent: two at once would answer each other's questions.

        Raises:
            ToolExecutionError: If another one holds it, in words for a model.
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
        """Say of every call of the last reply that has no result why it has none."""
        for call in self._open_calls():
            self.add(ToolMessage(call, text, failed=True))

    def _open_calls(self) -> Sequence[ToolCall]:
        """Return the calls of the last reply that have no result yet; results stand in the order of the calls."""
        results = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(self._messages)))
        last = self._messages[-len(results) - 1] if len(results) < len(self._messages) else None
        return last.calls[len(results) :] if isinstance(last, ModelReply) else ()

    def as_record(self) -> list[dict[str, Any]]:
        """Return it as plain data, a member for each message."""
        return [message.as_record() for message in self._messages]

    def __repr__(self) -> str:
        """Return its length, not its messages: they may be secret."""
        return f"<Transcript of {len(self._messages)} messages>"


def _message(record: Mapping[str, Any], so_far: Transcript) -> Message:
    """Return the message that a record is of; the result of a tool belongs to the next call that has none."""
    text = record["text"]
    if not isinstance(text, str):
        raise TypeError(text)
    match record["role"]:
        case "system":
            return SystemMessage(text)
        case "user":
            return UserMessage(text)
        case "tool":
            call = next(iter(so_far._open_calls()))  # noqa: SLF001 - of this module
            return ToolMessage(call, text, failed=bool(record["failed"]))
        case "model":
            return model_reply(record)
    raise KeyError(record["role"])


def model_reply(record: Mapping[str, Any]) -> ModelReply:
    """Return the reply that a record is of.

    Raises:
        KeyError: If it is not a record of one.
        TypeError: As above.
    """
    calls = tuple(ToolCall(call["name"], call["arguments"], call["id"]) for call in record["calls"])
    return ModelReply(record["text"], calls, Usage(**record["usage"]), cut=bool(record.get("cut")))


def _done(messages: Iterable[Message]) -> tuple[FinishedCall, ...]:
    """Return the calls that are finished, as far as the messages show."""
    results = [message for message in messages if isinstance(message, ToolMessage) and not message.failed]
    return tuple(FinishedCall(None, message.call.name, ToolResult(message.text)) for message in results)
