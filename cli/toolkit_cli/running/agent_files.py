"""Prepares the agent in a file for a task or a chat."""

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
    declared: "DeclaredAgent | None" = None


def agent_of_file(
    file: str,
    task: str | None,
    read_task: Callable[[], str | None],
    configuration: "Configuration",
    gate: "Gate",
    *,
    warn: bool,
) -> ReadyAgent:
    """Open the agent in a file, and prepare it for a task.

    Args:
        file: The agent file.
        task: The task on the command line, if any.
        read_task: Returns the task from stdin, or `None` for a chat; called only if the agent needs a task.
        configuration: The configuration, in which names are looked up.
        gate: Asks for consent before an MCP server of the project is contacted.
        warn: Whether to report warnings about the file.

    Raises:
        Failure: If the file is invalid or does not define an agent, or the agent needs other inputs than a task.
    """
    declared = _declare(file, configuration, gate, warn=warn)
    if task is None and declared.takes_task:
        task = read_task()
    inputs = _inputs(declared, file, task)

    def worded(words: str) -> str:
        return declared.task_of({**inputs, "task": words} if declared.takes_task else inputs)

    return ReadyAgent(declared.instructed(inputs), task, worded, declared.takes_task, declared)


def _declare(file: str, configuration: "Configuration", gate: "Gate", *, warn: bool) -> "DeclaredAgent":
    from toolkit.agents.files.declared import DeclaredAgent  # noqa: PLC0415 - few runs use an agent file

    opened = open_all([file], configuration, gate)
    end_at_errors(opened.problems)
    if warn:
        report(opened.problems)
    for tool in opened.tools.values():
        if isinstance(agent := innermost(tool), DeclaredAgent):
            return agent
    raise Failure(ExitCode.USAGE, f"'{file}' does not describe an agent", hint=f"write: toolkit run {file}")


def _inputs(agent: "DeclaredAgent", file: str, task: str | None) -> dict[str, Any]:
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
        raise Failure(ExitCode.USAGE, words, hint=f"write: toolkit run {file} name=value …") from error
