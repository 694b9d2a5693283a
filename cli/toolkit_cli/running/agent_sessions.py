"""The conversation with an agent, and the transcript it is kept in."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.agents.files.declared_agents import DeclaredAgent
from toolkit.agents.transcripts import Transcript
from toolkit.errors import ToolArgumentsError
from toolkit.json_texts import json_text
from toolkit.replacing import write_file
from toolkit.runs.run import Run
from toolkit.tools.base import WrappedTool, innermost
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.result_texts import usage_record
from toolkit_cli.running.sessions import Session, ShownRun
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.agents.agent import AgentTool


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

    def write(self, transcript: Transcript, run: Run) -> None:
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

    def start_over(self, transcript: Transcript) -> None:
        """Add a finished conversation to the earlier ones."""
        if transcript.messages:
            self.earlier.append(transcript.as_record())


def read_transcript(path: Path, option: str = "--continue") -> tuple[Transcript, Earlier]:
    """Return the conversation in a file, and earlier ones.

    Args:
        path: The file.
        option: The option that needs it, for the message.

    Raises:
        Failure: If the file cannot be read, or is not a transcript.
    """
    try:
        record = json.loads(path.read_text("utf-8"))
        return Transcript.from_records(record["messages"]), list(record.get("earlier", ()))
    except OSError as error:
        raise Failure(ExitCode.NOT_FOUND, f"{option}: cannot read '{path}': {error.strerror}") from error
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f": {error}" if type(error) is ValueError else ""
        raise Failure(ExitCode.USAGE, f"{option}: '{path}' is not a transcript of `toolkit agent`{why}") from error


class _AgentInRun(WrappedTool):
    """An agent in a run that does not count the agent's own call, since the budget is for the calls of its model."""

    def __init__(self, agent: "AgentTool", run: "Run") -> None:
        super().__init__(agent)
        self._run = run

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        journal = self._run.journal
        context = context.replace(run=self._run, path=None if journal is None else "", journal=journal)
        return await self.inner.perform(parsed, context)


@dataclass
class Conversation:
    """One task or one chat with an agent.

    Attributes:
        agent: The agent.
        transcript: The messages so far.
        shown: The run of the agent's calls and requests, with its budget and usage, and how it is shown.
        screen: The screen for messages.
        task: The task; `None` for a chat, or if the agent takes no task.
        file: The transcript file, if any.
        worded: Returns the prompt for the model, given the task.
        is_chat: Whether the user types the tasks, one after the other.
    """

    agent: "AgentTool"
    transcript: Transcript
    shown: ShownRun
    screen: Screen
    task: str | None = None
    file: TranscriptFile | None = None
    worded: Callable[[str], str] = str
    is_chat: bool = False

    def answer(self, task: str) -> int:
        """Let the agent work on a task as part of the conversation, show the result, and return the exit code."""
        try:
            return self.shown.call(
                _AgentInRun(self.agent, self.shown.run),
                {"task": self.worded(task)},
                finish=self._write_if_possible,
                is_last=not self.is_chat,
            )
        finally:
            self._write_transcript()

    def start_writing(self) -> None:
        """Write the transcript after each message, and once at the start, so that errors are reported early.

        Raises:
            Failure: If the file cannot be written.
        """
        self._write_transcript()
        if self.file is not None:
            self.transcript.after_each = self._write_if_possible

    def _write_transcript(self) -> None:
        if self.file is not None:
            self.file.write(self.transcript, self.shown.run)

    def _write_if_possible(self) -> None:
        """Write the conversation so far; errors are ignored, so that they do not end the task.

        The file is written again at the end, and errors are reported then.
        """
        with suppress(Failure):
            self._write_transcript()

    def start_over(self) -> None:
        """Start a new conversation; the transcript file keeps the old one."""
        if self.file is not None:
            self.file.start_over(self.transcript)
        self.transcript = Transcript()
        self.agent = self.agent.replace(transcript=self.transcript)
        self.start_writing()


_SUFFIXES = (".yaml", ".yml")


def names_file(word: str | None) -> bool:
    """Return whether a word of the command line names a file rather than a task."""
    return word is not None and Path(word).suffix in _SUFFIXES and (Path(word).is_file() or not word.count(" "))


class ReadyAgent(NamedTuple):
    """An agent that is ready to run.

    Attributes:
        agent: The agent.
        task: The task; `None` for a chat, or if the agent takes no task.
        worded: Returns the prompt for the model, given the task.
        takes_task: Whether the agent takes a task.
        declared: The agent as defined in its file, if it has one.
    """

    agent: "AgentTool"
    task: str | None = None
    worded: Callable[[str], str] = str
    takes_task: bool = True
    declared: DeclaredAgent | None = None

    @property
    def is_chat(self) -> bool:
        """Whether the user types the tasks, one after the other."""
        return self.task is None and self.takes_task


def agent_of_file(file: str, task: str | None, read_task: Callable[[], str | None], session: Session) -> ReadyAgent:
    """Open the agent in a file, and prepare it for a task.

    Args:
        file: The agent file.
        task: The task on the command line, if any.
        read_task: Returns the task from stdin, or `None` for a chat; called only if the agent needs a task.
        session: The session of the command.

    Raises:
        Failure: If the file is invalid or does not define an agent, or the agent needs other inputs than a task.
    """
    declared = _declare(file, session)
    if task is None and declared.takes_task:
        task = read_task()
    inputs = _inputs(declared, file, task)

    def worded(words: str) -> str:
        return declared.task_of({**inputs, "task": words} if declared.takes_task else inputs)

    return ReadyAgent(declared.instructed(inputs), task, worded, declared.takes_task, declared)


def _declare(file: str, session: Session) -> DeclaredAgent:
    for tool in session.open([file]).values():
        if isinstance(agent := innermost(tool), DeclaredAgent):
            return agent
    needed = "".join(f" {name}=…" for name in tool.spec.parameters.get("required", ()))
    hint = f"write: toolkit run {quote(file)}{needed}"
    raise Failure(ExitCode.USAGE, f"'{file}' does not describe an agent", hint=hint)


def _inputs(agent: DeclaredAgent, file: str, task: str | None) -> dict[str, Any]:
    """Return the inputs of an agent: the task, and the defaults of all others. For a chat, the task is a placeholder.

    Raises:
        Failure: If the agent takes no task, or needs other inputs.
    """
    if not agent.takes_task:
        if task is not None:
            raise Failure(ExitCode.USAGE, f"the agent of '{file}' takes no task, since its prompt defines what to do")
        given: dict[str, Any] = {}
    else:
        given = {"task": task or "…"}
    try:
        return agent.parse(given)
    except ToolArgumentsError as error:
        words = f"the agent of '{file}' needs other inputs than a task: {str(error)[:1].lower()}{str(error)[1:]}"
        raise Failure(ExitCode.USAGE, words, hint=f"write: toolkit run {quote(file)} name=value …") from error
