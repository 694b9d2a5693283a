"""Journals as a run knows them: they record what was done, and return it."""

from typing import NamedTuple, Protocol

from toolkit.errors import Signal


class JournalError(Signal):
    """A journal cannot be written or read: the run ends, since nothing would be kept of what it does next."""


class Kept(NamedTuple):
    """What a journal has of a step that has ended.

    Attributes:
        status: How it ended: `ok`, or another status of a step.
        result: What it gave, as JSON text; a mask stands for each secret.
        is_whole: Whether nothing is missing from it, such as a secret.
        arguments: The digest of what it was called with.
    """

    status: str
    result: str
    is_whole: bool
    arguments: str


class Journal(Protocol):
    """Keeps what the steps of one run have done, by their paths, so that the run can go on after it was cut short."""

    def recall(self, path: str) -> Kept | None:
        """Return what is kept of a step that has ended, or `None` if it is to be done."""

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Keep that a step begins, before it does anything.

        Args:
            path: Where in the run it is.
            tool: What it calls.
            definition: The digest of what that is.
            arguments: What it is called with, as JSON text without secrets.
            may_repeat: Whether it may be done again where nobody knows whether it was done.

        Raises:
            JournalError: If that cannot be written.
        """

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Keep how a step ended, before the next one begins.

        Args:
            path: Where in the run it is.
            status: How it ended.
            result: What it gave, as JSON text without secrets.
            is_whole: whether nothing was left out of it, such as a secret.
            arguments: The digest of its arguments, for a step that was not reported as started.

        Raises:
            JournalError: If that cannot be written.
        """
