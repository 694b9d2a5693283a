"""Agent files: an agent that a file describes, ready for a task or a chat."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.errors import ToolArgumentsError
from toolkit.tools.base import innermost
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opening import open_all

if TYPE_CHECKING:
    from toolkit.agents.agent import AgentTool
    from toolkit.agents.files.declared import DeclaredAgent
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration

_SUFFIXES = (".yaml", ".yml")


def names_file(word: str | None) -> bool:
    """Return whether a word of the command line names a file rather than a task."""
    return word is not None and Path(word).suffix in _SUFFIXES and (Path(word).is_file() or not word.count(" "))


class ReadyAgent(NamedTuple):
    """An agent that is ready.

    Attributes:
        agent: The agent.
        worded: Returns the task in words for its model.
        takes_task: Whether it takes a task in words.
        declared: The agent as its file describes it.
    """

    agent: "AgentTool"
    worded: Callable[[str], str] = str
    takes_task: bool = True
    declared: "DeclaredAgent | None" = None


def agent_of_file(
    file: str, task: str | None, configuration: "Configuration", gate: "Gate", *, warn: bool
) -> ReadyAgent:
    """Return the agent of a file, ready for a task.

    Args:
        file: The file.
        task: What is to be done; None for a chat, and for an agent that knows by itself.
        configuration: What names lead to.
        gate: Judges the calls of servers that are asked for their tools.
        warn: Whether to report what is odd about the file.

    Raises:
        Failure: If it is broken, or does not describe an agent, or its agent needs more than a task.
    """
    declared = _declare(file, configuration, gate, warn=warn)
    inputs = _inputs(declared, file, task)

    def worded(words: str) -> str:
        return declared.task_of({**inputs, "task": words} if declared.takes_task else inputs)

    return ReadyAgent(declared.instructed(inputs), worded, declared.takes_task, declared)


def _declare(file: str, configuration: "Configuration", gate: "Gate", *, warn: bool) -> "DeclaredAgent":
    from toolkit.agents.files.declared import DeclaredAgent  # noqa: PLC0415 - most name no file

    opened = open_all([file], configuration, gate)
    end_at_errors(opened.problems)
    if warn:
        report(opened.problems)
    for tool in opened.tools.values():
        if isinstance(agent := innermost(tool), DeclaredAgent):
            return agent
    raise Failure(ExitCode.USAGE, f"'{file}' does not describe an agent", hint=f"write: toolkit run {file}")


def _inputs(agent: "DeclaredAgent", file: str, task: str | None) -> dict[str, Any]:
    """Return the inputs of an agent with a task, the others by their defaults; a chat has its tasks later.

    Raises:
        Failure: If it takes no task, or needs more than one.
    """
    if not agent.takes_task:
        if task is not None:
            raise Failure(ExitCode.USAGE, f"the agent of '{file}' takes no task: its prompt already says what to do")
        given: dict[str, Any] = {}
    else:
        given = {"task": task or "…"}
    try:
        return agent.parse(given)
    except ToolArgumentsError as error:
        words = f"the agent of '{file}' needs more than a task: {str(error)[:1].lower()}{str(error)[1:]}"
        raise Failure(ExitCode.USAGE, words, hint=f"write: toolkit run {file} name=value …") from error
