"""Runs an agent for one task, or for all tasks of a chat."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolkit.tools.base import WrappedTool
from toolkit.tools.context import ToolContext
from toolkit_cli.failures import Failure
from toolkit_cli.rendering.results import Format
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.outcomes import present, present_usage
from toolkit_cli.running.reporters import RunReporter
from toolkit_cli.running.tool_calls import Ending, call_tool
from toolkit_cli.running.transcript_files import TranscriptFile
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.agents.agent import AgentTool
    from toolkit.agents.transcripts import Transcript
    from toolkit.runs.run import Run
    from toolkit_cli.running.keeping import Keeping


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
        context: The context of the agent's call.
        run: The run of the agent's tool calls and model requests, with its budget and usage.
        screen: The screen for messages.
        format: The output format.
        task: The task; `None` for a chat, or if the agent takes no task.
        kept: Collects the results of the agent's calls.
        reporter: Shows progress; `None` with `--quiet`.
        file: The transcript file, if any.
        worded: Returns the prompt for the model, given the task.
        takes_task: Whether the agent takes a task; otherwise its file defines what to do.
        keeping: Records the run in the journal, if enabled.
    """

    agent: "AgentTool"
    transcript: "Transcript"
    context: ToolContext
    run: "Run"
    screen: Screen
    format: Format
    kept: KeptWork
    task: str | None = None
    reporter: RunReporter | None = None
    file: TranscriptFile | None = None
    worded: Callable[[str], str] = str
    takes_task: bool = True
    keeping: "Keeping | None" = None

    def answer(self, task: str) -> int:
        """Let the agent work on a task as part of the conversation, show the result, and return the exit code."""
        if self.reporter is not None:
            self.reporter.begin()
        self.kept.begin()
        uses_before = len(self.run.uses)

        def show_ending(ending: Ending) -> None:
            self.screen.close()
            self._write_if_possible()
            present(ending, self.format, self.reporter, self.kept, self.run.uses[uses_before:])
            if self.keeping is not None:
                self.keeping.end(ending)

        try:
            return call_tool(
                _AgentInRun(self.agent, self.run), {"task": self.worded(task)}, self.context, self.kept, show_ending
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
            self.file.write(self.transcript, self.run)

    def _write_if_possible(self) -> None:
        """Write the conversation so far; errors are ignored, so that they do not end the task.

        The file is written again at the end, and errors are reported then.
        """
        with suppress(Failure):
            self._write_transcript()

    def start_over(self) -> None:
        """Start a new conversation; the transcript file keeps the old one."""
        from toolkit.agents.transcripts import Transcript  # noqa: PLC0415 - loaded already

        if self.file is not None:
            self.file.start_over(self.transcript)
        self.transcript = Transcript()
        self.agent = self.agent.replace(transcript=self.transcript)
        self.start_writing()

    def print_usage(self) -> None:
        """Print the usage of models on stderr."""
        present_usage(self.run.uses, self.reporter, self.screen)
