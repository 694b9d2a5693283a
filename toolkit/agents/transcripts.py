"""Transcripts: all that was said between a user, a model and the tools, as data."""

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from toolkit.agents.kinds import Done
from toolkit.agents.models.messages import Message, ModelReply, ToolMessage, Usage


class Transcript:
    """A conversation that grows: whoever hands one in sees what was said, also where the agent ended with an error.

    One that has messages already is continued, and so is what was done with tools in it, as far as that is known here.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        """Begin with what was said before, if anything was."""
        self._messages = list(messages)
        self.done: tuple[Done, ...] = ()
        """The calls that were made, as objects; they are in no record."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said, the oldest first."""
        return tuple(self._messages)

    @property
    def usage(self) -> Usage:
        """What all replies together have used."""
        return sum((said.usage for said in self._messages if isinstance(said, ModelReply)), Usage())

    def add(self, message: Message) -> None:
        """Append a message."""
        self._messages.append(message)

    def close_calls(self, text: str) -> None:
        """Say of every call of the last reply that has no result why it has none."""
        results = list(takewhile(lambda said: isinstance(said, ToolMessage), reversed(self._messages)))
        last = self._messages[-len(results) - 1] if len(results) < len(self._messages) else None
        if isinstance(last, ModelReply):
            self._messages += [ToolMessage(call, text, failed=True) for call in last.calls[len(results) :]]

    def as_record(self) -> list[dict[str, Any]]:
        """Return it as plain data, a member for each message."""
        return [message.as_record() for message in self._messages]

    def __repr__(self) -> str:
        """Return how long it is, not what was said: that may be secret."""
        return f"<Transcript of {len(self._messages)} messages>"
