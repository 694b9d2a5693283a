"""The interface between runs and journals, which record finished steps so that a run can be resumed."""

from typing import NamedTuple, Protocol

from toolkit.errors import Signal


class JournalError(Signal):
    """A journal cannot be written or read. The run ends, since its next steps could not be recorded."""


class ChangedInput(JournalError):  # noqa: N818 - named for what happened
    """The input of a recorded step has changed. The run ends until a person accepts the change."""


class Kept(NamedTuple):
    """A journal's record of a finished step.

    Attributes:
        status: How the step ended: `ok`, or another status of a step.
        result: The result as JSON, with secrets masked.
        is_whole: Whether the result is complete. It is not if a secret is missing, for example.
        arguments: The digest of the step's arguments.
    """

    status: str
    result: str
    is_whole: bool
    arguments: str


class Journal(Protocol):
    """Records the steps of one run by path, so that the run can be resumed after an interruption."""

    def recall(self, path: str) -> Kept | None:
        """Return the record of a finished step, or `None` if the step has to run."""

    def begin(self, path: str, tool: str, definition: str, arguments: str, *, may_repeat: bool) -> None:
        """Record that a step begins, before it does anything.

        Args:
            path: The step's path in the run.
            tool: The name of the tool that it calls.
            definition: The digest of the tool's definition.
            arguments: The arguments as JSON without secrets.
            may_repeat: Whether the step can safely be repeated if it is unknown whether it has finished.

        Raises:
            JournalError: If the journal cannot be written.
        """

    def end(self, path: str, status: str, result: str, *, is_whole: bool, arguments: str = "") -> None:
        """Record how a step ended, before the next one begins.

        Args:
            path: The step's path in the run.
            status: How the step ended.
            result: The result as JSON without secrets.
            is_whole: Whether the result is complete.
            arguments: The digest of the arguments, for a step that was not recorded with `begin`.

        Raises:
            JournalError: If the journal cannot be written.
        """
