"""Transcripts: all that was said between a user, a model and the tools, as data."""

from collections.abc import Iterable
from typing import Any

from toolkit.agents.kinds import Done
from toolkit.agents.models.messages import Message, ModelReply, Usage


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

    def as_record(self) -> list[dict[str, Any]]:
        """Return it as plain data, a member for each message."""
        return [message.as_record() for message in self._messages]

    def __repr__(self) -> str:
        """Return how long it is, not what was said: that may be secret."""
        return f"<Transcript of {len(self._messages)} messages>"
