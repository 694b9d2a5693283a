"""Reads and writes conversations as JSON files that can be continued."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolkit.json_texts import json_text
from toolkit.replacing import write_file
from toolkit.runs.run import Run
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.result_texts import usage_record

if TYPE_CHECKING:
    from toolkit.agents.transcripts import Transcript

Earlier = list[list[dict[str, Any]]]
"""The messages of earlier conversations, before each reset of a chat."""


@dataclass
class TranscriptFile:
    """The transcript file of a conversation.

    Attributes:
        path: The path of the file.
        model: The name of the model.
        task: The task; `None` in a chat.
        earlier: Earlier conversations, before each reset of a chat.
    """

    path: Path
    model: str
    task: str | None
    earlier: Earlier = field(default_factory=list)

    def write(self, transcript: "Transcript", run: Run) -> None:
        """Write the conversation so far, and its usage.

        Raises:
            Failure: If the file cannot be written.
        """
        used = usage_record(run.uses)
        record: dict[str, Any] = {
            "model": self.model,
            "task": self.task,
            "usage": used,
            "messages": transcript.as_record(),
        }
        if self.earlier:
            record["earlier"] = self.earlier
        record = console.redactor().data(record)
        text = f"{json_text(record, indent=2)}\n"
        try:
            # Lone surrogates become JSON escapes. The file is private, as conversations may be.
            write_file(self.path, text.encode(errors="backslashreplace"), is_private=True)
        except OSError as error:
            raise Failure(ExitCode.USAGE, f"--transcript: cannot write '{self.path}': {error.strerror}") from error

    def start_over(self, transcript: "Transcript") -> None:
        """Add a finished conversation to the earlier ones."""
        if transcript.messages:
            self.earlier.append(transcript.as_record())


def read_transcript(path: Path) -> "tuple[Transcript, Earlier]":
    """Return the conversation in a file, to continue it, and earlier ones.

    Raises:
        Failure: If the file cannot be read, or is not a transcript.
    """
    from toolkit.agents.transcripts import Transcript  # help needs none of it

    try:
        record = json.loads(path.read_text("utf-8"))
        return Transcript.from_records(record["messages"]), list(record.get("earlier", ()))
    except OSError as error:
        raise Failure(ExitCode.NOT_FOUND, f"--continue: cannot read '{path}': {error.strerror}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f": {error}" if type(error) is ValueError else ""
        raise Failure(ExitCode.USAGE, f"--continue: '{path}' is not a transcript of `toolkit agent`{why}") from error
