"""Agent sessions: an agent and its run, from the first task to the last."""

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


class _AtWork(WrappedTool):
    """An agent that works in a run to which its own call does not count: the budget is for what its model wants."""

    def __init__(self, agent: "AgentTool", run: "Run") -> None:
        super().__init__(agent)
        self._run = run

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        journal = self._run.journal
        context = context.replace(run=self._run, path=None if journal is None else "", journal=journal)
        return await self.inner.perform(parsed, context)


@dataclass
class Conversation:
    """What one command does with an agent: one task, or a chat.

    Attributes:
        agent: The agent.
        transcript: The conversation so far.
        context: What it is called with.
        run: What the agent's own calls and requests belong to, and are counted for.
        screen: Where people see it.
        format: How results are written.
        kept: What the calls of the agent give.
        reporter: Reports to people, unless all is to be quiet.
        file: Where the conversation is kept, if anywhere.
        worded: Returns the task in words for the model.
        takes_task: Whether it takes a task in words; otherwise it has one of its own.
        keeping: Keeps its turns, if something does.
    """

    agent: "AgentTool"
    transcript: "Transcript"
    context: ToolContext
    run: "Run"
    screen: Screen
    format: Format
    kept: KeptWork
    reporter: RunReporter | None = None
    file: TranscriptFile | None = None
    worded: Callable[[str], str] = str
    takes_task: bool = True
    keeping: "Keeping | None" = None

    def answer(self, task: str) -> int:
        """Let the agent do a task that continues the conversation; show how it ended, and return the exit code."""
        if self.reporter is not None:
            self.reporter.begin()
        self.kept.begin()
        uses_before = len(self.run.uses)

        def show_ending(ending: Ending) -> None:
            self.screen.close()
            self._keep_if_possible()
            present(ending, self.format, self.reporter, self.kept, self.run.uses[uses_before:])
            if self.keeping is not None:
                self.keeping.end(ending)

        try:
            return call_tool(
                _AtWork(self.agent, self.run), {"task": self.worded(task)}, self.context, self.kept, show_ending
            )
        finally:
            self._keep()

    def keep_from_here_on(self) -> None:
        """Write the conversation as it grows; also before it begins, so that a file that fails is reported at once.

        Raises:
            Failure: If the file cannot be written.
        """
        self._keep()
        if self.file is not None:
            self.transcript.after_each = self._keep_if_possible

    def _keep(self) -> None:
        if self.file is not None:
            self.file.write(self.transcript, self.run)

    def _keep_if_possible(self) -> None:
        """Write the conversation so far, in the middle of the work, which a file that fails must not end.

        When the work is done it is written again, and a failure is reported then.
        """
        with suppress(Failure):
            self._keep()

    def begin_afresh(self) -> None:
        """Forget the conversation; the file does not."""
        from toolkit.agents.transcripts import Transcript  # noqa: PLC0415 - loaded already

        if self.file is not None:
            self.file.begin_afresh(self.transcript)
        self.transcript = Transcript()
        self.agent = self.agent.replace(transcript=self.transcript)
        self.keep_from_here_on()

    def print_usage(self) -> None:
        """Say on stderr what the requests came to."""
        present_usage(self.run.uses, self.reporter, self.screen)
