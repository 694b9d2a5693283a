"""`toolkit agent`: let a model do a task with tools, or chat with it, and ask before anything that may do harm."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from toolkit.events import Listener, both
from toolkit.problems import Problem, did_you_mean
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.arguments.stdin import piped_text
from toolkit_cli.completion import complete_group, complete_target
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.opening import open_all
from toolkit_cli.options import AskingOptions, BaseUrl, ContextOptions, MessageOptions, ModelName, OpeningOptions, Otel
from toolkit_cli.rendering.results import Format
from toolkit_cli.running.agent_files import ReadyAgent, agent_of_file, names_file
from toolkit_cli.running.agent_sessions import Conversation
from toolkit_cli.running.answer_sources import Answers, make_gate
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.context_values import answered_by, checked_memory_id, seconds_of, with_values
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.logs import show_logs
from toolkit_cli.running.process_exit import leave_if_threads_remain
from toolkit_cli.running.reporters import RunReporter, message_channel, write_event
from toolkit_cli.running.rule_checks import check_names
from toolkit_cli.running.run_reports import RunReport
from toolkit_cli.running.telemetry import telemetry
from toolkit_cli.running.transcript_files import Earlier, TranscriptFile, read_transcript
from toolkit_cli.screen import Screen
from toolkit_cli.settings import load_configuration

if TYPE_CHECKING:
    from toolkit.agents.models.messages import Model
    from toolkit.agents.transcripts import Transcript
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration


First = Annotated[
    str | None,
    typer.Argument(
        metavar="[FILE.yaml]",
        help="The file of an agent; without one, `--tools` says what it may call.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Task = Annotated[
    str | None,
    typer.Argument(metavar="[TASK]", help="The task, in words; - for stdin. Without one, a chat.", show_default=False),
]
Silence = Annotated[
    str | None,
    typer.Option(metavar="TIME", help="How long to wait for the model: 30s, 5m (the default).", show_default=False),
]
Offered = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="TARGET",
        help="What it may call: a file, a module, a tool's or group's name, `builtin`; "
        "without any, the configured sources. Repeatable.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="NAME",
        help="A configured group of tools. Repeatable.",
        show_default=False,
        autocompletion=complete_group,
    ),
]
Turns = Annotated[
    int,
    typer.Option(metavar="N", min=1, help="Requests to the model for a task, at most; a file says its own."),
]
Spending = Annotated[
    str | None,
    typer.Option(
        metavar="BUDGET", help="What it may spend: '$0.50', '20k tokens', '30 calls', or several with commas."
    ),
]
Kept = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the conversation to a file, as JSON.")]
Shown = Annotated[
    Format, typer.Option("--format", help="The answer alone, the result as JSON, or events as they happen.")
]


class AgentOptions(NamedTuple):
    """What is said of an agent: each field is an option of `toolkit agent`, as it was typed."""

    first: First = None
    task: Task = None
    model: ModelName = None
    base_url: BaseUrl = None
    model_timeout: Silence = None
    tools: Offered = None
    group: Groups = None
    instructions: Annotated[str, typer.Option(metavar="TEXT", help="The instructions for the model.")] = ""
    max_turns: Turns = 20
    budget: Spending = None
    transcript: Kept = None
    go_on: Annotated[bool, typer.Option("--continue", help="Continue the conversation in the transcript.")] = False
    asking: AskingOptions = AskingOptions()
    format: Shown = "text"
    opening: OpeningOptions = OpeningOptions()
    given: ContextOptions = ContextOptions()
    otel: Otel = None
    messages: MessageOptions = MessageOptions()


class _Wanted(NamedTuple):
    """What the options come to.

    Attributes:
        said: The options.
        task: What is to be done; None for a chat.
        model: What answers; None where the file of the agent says it.
        file: The file of the agent, if there is one.
        targets: What it may call; without any, the configured sources.
        budget: What all of it may spend.
        transcript: What was said before.
        earlier: The conversations before that one, which a fresh start has ended.
        memory_id: Whose memory the tools work on.
    """

    said: AgentOptions
    task: str | None
    model: "Model | None"
    file: str | None
    targets: Sequence[str]
    budget: Budget | None
    transcript: "Transcript"
    earlier: Earlier
    memory_id: str | None


def agent(said: AgentOptions) -> int:
    """Let a model do a task with tools, or chat with it; stdout carries its answers alone.

    What the model wants to call is asked about unless the tool is marked as read-only. Where nobody can be asked, and
    no flag allows the call, the model is told that it was refused.
    """
    answers = Answers.said(said.asking)
    file, task = (said.first, said.task) if names_file(said.first) else (None, _only_task(said.first, said.task))
    if file is not None:
        _refuse_what_the_file_says({"--tools": said.tools, "--group": said.group, "--instructions": said.instructions})
    work = None if file is not None and task is None else _work(task, answers)
    configuration = _configuration(said, has_file=file is not None)
    named = [*(said.tools or ()), *([str(file)] if file is not None else [])]
    answers = answers.under(configuration, named)
    model = _model(configuration, said) if file is None or said.model_timeout is not None else None
    targets = (*(said.tools or ()), *_known_groups(said.group or (), configuration))
    budget = Budget.parse(said.budget) if said.budget is not None else None
    transcript, earlier = _so_far(said.transcript, go_on=said.go_on)
    wanted = _Wanted(
        said,
        work,
        model=model,
        file=file,
        targets=targets,
        budget=budget,
        transcript=transcript,
        earlier=earlier,
        memory_id=checked_memory_id(said.given.memory_id),
    )
    with Screen() as screen, telemetry(said.otel) as listener, RunReport(listener, file or "agent") as told:
        show_logs(screen, said.messages.verbose, debug=said.messages.debug)
        conversation = _conversation(wanted, configuration, answers, screen, listener)
        if work is None and conversation.takes_task:
            _work(None, answers)
            exit_code = _chat(conversation)
        else:
            exit_code = conversation.answer(work or "")
        told.end(exit_code)
        conversation.tell_usage()
    leave_if_threads_remain(exit_code)
    return exit_code


def _configuration(said: AgentOptions, *, has_file: bool) -> "Configuration":
    """Return the configuration with what the options add to it; what a file says of its model, they override."""
    found = with_values(load_configuration(None, *said.opening, said.asking.policy), said.given)
    return answered_by(found, said.model, said.base_url) if has_file else found


def _only_task(first: str | None, second: str | None) -> str | None:
    """Return the one task where no file is named.

    Raises:
        Failure: If there are two.
    """
    if second is not None:
        hint = "put a task of several words in quotes; the file of an agent ends with .yaml"
        raise Failure(ExitCode.USAGE, f"there is one task too many: '{second}'", hint=hint)
    return first


def _refuse_what_the_file_says(options: Mapping[str, object]) -> None:
    problems = [
        Problem("", f"{option}: the file of an agent says that by itself", hint="change the file, or leave it out")
        for option, value in options.items()
        if value
    ]
    if problems:
        raise Failure(ExitCode.USAGE, problems=problems)


def _work(task: str | None, answers: Answers) -> str | None:
    """Return the task, from the command line or from stdin; None for a chat.

    Raises:
        Failure: If there is none, and nobody to chat with.
    """
    if task is None and answers.may_ask:
        return None
    if task not in (None, "-"):
        given: str | Problem = task or ""
    elif (read := piped_text()) is not None:
        given = read()
    else:
        hint = 'write toolkit agent "TASK", or pipe it in; for a chat, stdin and stderr must be a terminal'
        raise Failure(ExitCode.USAGE, "there is no task", hint=hint)
    if isinstance(given, Problem):
        raise Failure(ExitCode.USAGE, problems=[given])
    if not given.strip():
        raise Failure(ExitCode.USAGE, "the task is empty")
    return given


def _model(configuration: "Configuration", said: AgentOptions) -> "Model":
    """Return the model that answers.

    Raises:
        ConfigurationError: If there is none of this name, or it cannot be used.
        Failure: If the time is none.
    """
    from toolkit.sources.models import configured_model  # noqa: PLC0415 - help needs none of it

    seconds = seconds_of("--model-timeout", said.model_timeout) if said.model_timeout is not None else None
    return configured_model(configuration, said.model, base_url=said.base_url, timeout=seconds)


def _known_groups(names: Sequence[str], configuration: "Configuration") -> Sequence[str]:
    """Return the names of groups, all of which there are.

    Raises:
        Failure: With every name that no group has.
    """
    groups = configuration.groups
    otherwise = f"the groups are {', '.join(groups)}" if groups else "none is configured"
    problems = [
        Problem("", f"--group: there is no group '{name}'", hint=did_you_mean(name, groups, otherwise=otherwise))
        for name in names
        if name not in groups
    ]
    if problems:
        raise Failure(ExitCode.NOT_FOUND, problems=problems)
    return names


def _so_far(path: Path | None, *, go_on: bool) -> "tuple[Transcript, Earlier]":
    """Return what was said before, and the earlier conversations in the same file.

    Raises:
        Failure: If it is wanted, and there is none.
    """
    from toolkit.agents.transcripts import Transcript  # noqa: PLC0415 - help needs none of it

    if not go_on:
        return Transcript(), []
    if path is None:
        raise Failure(ExitCode.USAGE, "--continue: there is no file to continue", hint="name it with --transcript")
    return read_transcript(path)


def _conversation(
    wanted: _Wanted, configuration: "Configuration", answers: Answers, screen: Screen, listener: Listener | None
) -> Conversation:
    """Return the agent, ready to work.

    Raises:
        Failure: If a tool is not there, or is broken, or the file cannot be written.
    """
    said = wanted.said
    gate = make_gate(answers, screen, configuration.approval_timeout)
    gate.audit = audit_of(configuration, always=True)
    ready = _agent(wanted, configuration, gate, answers)
    reporter = None if said.messages.quiet else RunReporter(screen, aloud=True)
    kept = KeptWork(both(both(reporter, write_event if said.format == "jsonl" else None), listener))
    run = Run(goal=wanted.task, budget=wanted.budget, channel=None if said.messages.quiet else message_channel(screen))
    context = ToolContext(
        configuration.context,
        memory_id=wanted.memory_id,
        gate=gate,
        listener=kept,
        redactor=console.redactor(),
    )
    file = None
    if said.transcript is not None:
        file = TranscriptFile(said.transcript, ready.agent.model.name, wanted.task, wanted.earlier)
    conversation = Conversation(
        ready.agent,
        wanted.transcript,
        context=context,
        run=run,
        screen=screen,
        format=said.format,
        kept=kept,
        reporter=reporter,
        file=file,
        worded=ready.worded,
        takes_task=ready.takes_task,
    )
    conversation.keep_from_here_on()
    return conversation


def _agent(wanted: _Wanted, configuration: "Configuration", gate: "Gate", answers: Answers) -> ReadyAgent:
    from toolkit.agents.agent import AgentTool  # noqa: PLC0415 - help needs none of it
    from toolkit.agents.loop import Limits  # noqa: PLC0415

    said = wanted.said
    if wanted.file is not None:
        ready = agent_of_file(wanted.file, wanted.task, configuration, gate, warn=not said.messages.quiet)
        check_names(answers.rules, ready.agent.tools.values())
        changes = {"transcript": wanted.transcript} | ({"model": wanted.model} if wanted.model is not None else {})
        return ready._replace(agent=ready.agent.replace(**changes))
    opened = open_all(wanted.targets, configuration, gate)
    end_at_errors(opened.problems)
    if not said.messages.quiet:
        report(opened.problems, as_json=said.format != "text")
    check_names(answers.rules, opened.tools.values())
    assert wanted.model is not None  # noqa: S101 - without a file there is one
    agent = AgentTool(
        "agent",
        "Does a task.",
        wanted.model,
        opened.tools.values(),
        instructions=said.instructions,
        limits=Limits(turns=said.max_turns),
        transcript=wanted.transcript,
    )
    return ReadyAgent(agent)


def _chat(conversation: Conversation) -> int:
    from toolkit_cli.running.chats import chat  # noqa: PLC0415 - most have a task

    return chat(conversation)
