"""Runs `toolkit agent`: reads the options, opens the tools and the model, and runs the task or the chat."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.events import Listener, both
from toolkit.problems import Problem
from toolkit.runs.records import Budget
from toolkit.runs.run import Run
from toolkit.tools.context import ToolContext
from toolkit_cli import console
from toolkit_cli.agent_options import AgentOptions
from toolkit_cli.arguments.call_arguments import piped_text
from toolkit_cli.command_settings import load_configuration, unknown_names
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, refuse, report
from toolkit_cli.opened_tools import open_all
from toolkit_cli.running.agent_sessions import Conversation, ReadyAgent, agent_of_file, names_file
from toolkit_cli.running.answer_sources import Answers, make_gate, waits_for_answers
from toolkit_cli.running.approve_checks import check_names
from toolkit_cli.running.audits import audit_of
from toolkit_cli.running.context_values import answered_by, checked_memory_id, seconds_of, with_values
from toolkit_cli.running.finished_steps import KeptWork
from toolkit_cli.running.reporters import RunReporter, message_channel, show_logs, write_event
from toolkit_cli.running.shown_outcomes import RunReport
from toolkit_cli.running.telemetry import telemetry
from toolkit_cli.running.tool_calls import limiter_of
from toolkit_cli.running.transcript_files import Earlier, TranscriptFile, read_transcript
from toolkit_cli.running.watchdog import leave_if_threads_remain
from toolkit_cli.screen import Screen

if TYPE_CHECKING:
    from toolkit.agents.chaining import Chaining
    from toolkit.agents.models.messages import Model
    from toolkit.agents.transcripts import Transcript
    from toolkit.approvals.gates import Gate
    from toolkit.sources.configuration import Configuration
    from toolkit_cli.running.keeping import Keeping


class _Wanted(NamedTuple):
    """The parsed options.

    Attributes:
        options: The options as typed.
        task: The task; `None` for a chat.
        model: The model; `None` if the agent file sets it.
        file: The agent file, if any.
        targets: The tools that the agent may call; if empty, the configured sources.
        budget: The budget for the whole run.
        transcript: The conversation to continue.
        earlier: Older conversations in the same transcript file.
        memory_id: The memory id for the tools.
    """

    options: AgentOptions
    task: str | None
    model: "Model | None"
    file: str | None
    targets: Sequence[str]
    budget: Budget | None
    transcript: "Transcript"
    earlier: Earlier
    memory_id: str | None


def launch_agent(options: AgentOptions) -> int:
    """Run the task or the chat, and return the exit code.

    Raises:
        Failure: If it cannot start; nothing has run then.
    """
    answers = Answers.of_options(options.asking)._replace(
        waits=waits_for_answers(options.on_approval, options.asking, options.journal)
    )
    file, task = (
        (options.first, options.task) if names_file(options.first) else (None, _only_task(options.first, options.task))
    )
    if file is not None:
        _refuse_what_the_file_says(options)
    work = None if file is not None and task is None else _work(task, answers)
    configuration = _configuration(options, has_file=file is not None)
    named = [*(options.tools or ()), *([str(file)] if file is not None else [])]
    answers = answers.under(configuration, named)
    model = _model(configuration, options) if file is None or options.model_timeout is not None else None
    targets = (*(options.tools or ()), *_known_groups(options.group or (), configuration))
    budget = Budget.parse(options.budget) if options.budget is not None else None
    transcript, earlier = _so_far(options.transcript, go_on=options.go_on)
    wanted = _Wanted(
        options,
        work,
        model=model,
        file=file,
        targets=targets,
        budget=budget,
        transcript=transcript,
        earlier=earlier,
        memory_id=checked_memory_id(options.given.memory_id),
    )
    run_id = options.resumed.run.id if options.resumed is not None else None
    with (
        Screen() as screen,
        telemetry(options.otel) as listener,
        RunReport(listener, file or "agent", run_id) as report,
    ):
        show_logs(screen, options.messages.verbose, debug=options.messages.debug)
        conversation = _conversation(wanted, configuration, answers, screen, listener, run_id=report.run)
        is_chat = conversation.task is None and conversation.takes_task
        exit_code = _chat(conversation) if is_chat else conversation.answer(conversation.task or "")
        report.end(exit_code)
        conversation.print_usage()
    leave_if_threads_remain(exit_code)
    return exit_code


def _configuration(options: AgentOptions, *, has_file: bool) -> "Configuration":
    """Return the configuration with the options applied; for an agent file, they override its model."""
    found = with_values(load_configuration(None, *options.opening, options.asking.policy), options.given)
    return answered_by(found, options.model, options.base_url) if has_file else found


def _only_task(first: str | None, second: str | None) -> str | None:
    """Return the only task if there is no agent file.

    Raises:
        Failure: If there are two tasks.
    """
    if second is not None:
        hint = "put the task in quotes; the name of an agent file ends with .yaml"
        raise Failure(ExitCode.USAGE, f"unexpected second task: '{second}'", hint=hint)
    return first


def _refuse_what_the_file_says(options: AgentOptions) -> None:
    given = {
        "--tools": options.tools,
        "--group": options.group,
        "--chaining": options.chaining,
        "--instructions": options.instructions,
        "--max-turns": options.max_turns,
    }
    problems = [
        Problem("", f"{option} cannot be combined with an agent file", hint="set it in the file instead")
        for option, value in given.items()
        if value
    ]
    refuse(problems)


def _work(task: str | None, answers: Answers) -> str | None:
    """Return the task from the command line or stdin; `None` for a chat.

    Raises:
        Failure: If there is no task, and a chat is not possible.
    """
    if task is None and answers.may_ask:
        return None
    if task not in (None, "-"):
        given: str | Problem = task or ""
    elif (read := piped_text()) is not None:
        given = read()
    else:
        hint = 'write toolkit agent "TASK", or pipe it in; a chat needs a terminal on stdin and stderr'
        raise Failure(ExitCode.USAGE, "the task is missing", hint=hint)
    if isinstance(given, Problem):
        raise Failure(ExitCode.USAGE, problems=[given])
    if not given.strip():
        raise Failure(ExitCode.USAGE, "the task is empty")
    return given


def _model(configuration: "Configuration", options: AgentOptions) -> "Model":
    """Return the model.

    Raises:
        ConfigurationError: If the model is unknown or cannot be used.
        Failure: If the timeout is invalid.
    """
    from toolkit.sources.scopes import configured_model  # help needs none of it

    seconds = seconds_of("--model-timeout", options.model_timeout) if options.model_timeout is not None else None
    return configured_model(configuration, options.model, base_url=options.base_url, timeout=seconds)


def _known_groups(names: Sequence[str], configuration: "Configuration") -> Sequence[str]:
    """Return the names of groups after checking that all of them exist.

    Raises:
        Failure: If groups are unknown; lists all of them.
    """
    problems = unknown_names(names, configuration.groups, "group", option="--group")
    if problems:
        raise Failure(ExitCode.NOT_FOUND, problems=problems)
    return names


def _so_far(path: Path | None, *, go_on: bool) -> "tuple[Transcript, Earlier]":
    """Return the conversation to continue, and older conversations in the same file.

    Raises:
        Failure: If `go_on` is set and there is no conversation.
    """
    from toolkit.agents.transcripts import Transcript  # help needs none of it

    if not go_on:
        return Transcript(), []
    if path is None:
        raise Failure(ExitCode.USAGE, "--continue needs a transcript", hint="pass the file with --transcript")
    return read_transcript(path)


def _conversation(
    wanted: _Wanted,
    configuration: "Configuration",
    answers: Answers,
    screen: Screen,
    listener: Listener | None,
    *,
    run_id: str,
) -> Conversation:
    """Return the agent with everything that it needs to run.

    Raises:
        Failure: If a tool cannot be opened, or the transcript cannot be written.
    """
    options = wanted.options
    gate = make_gate(answers, screen, configuration.approval_timeout)
    gate.audit = audit_of(configuration, always=True)
    ready = _agent(wanted, configuration, gate, answers)
    wanted = wanted._replace(task=ready.task)
    reporter = None if options.messages.quiet else RunReporter(screen, is_agent=True)
    kept = KeptWork(both(both(reporter, write_event if options.format == "jsonl" else None), listener))
    channel = None if options.messages.quiet else message_channel(screen)
    keeping = _keeping(wanted, ready, run_id, keeps=configuration.journal)
    journal = None if keeping is None else keeping.journal
    run = Run(id=run_id, goal=wanted.task, budget=wanted.budget, channel=channel, journal=journal)
    context = ToolContext(
        configuration.context,
        memory_id=wanted.memory_id,
        gate=gate,
        listener=kept,
        redactor=console.redactor(),
    ).replace(limiter=limiter_of(configuration.limits))
    file = None
    if options.transcript is not None:
        file = TranscriptFile(options.transcript, ready.agent.model.name, wanted.task, wanted.earlier)
    conversation = Conversation(
        ready.agent,
        wanted.transcript,
        task=ready.task,
        context=context,
        run=run,
        screen=screen,
        format=options.format,
        kept=kept,
        reporter=reporter,
        file=file,
        worded=ready.worded,
        takes_task=ready.takes_task,
        keeping=keeping,
    )
    conversation.start_writing()
    return conversation


def _keeping(wanted: _Wanted, ready: ReadyAgent, run_id: str, *, keeps: bool) -> "Keeping | None":
    """Return the recorder for the turns of the agent, or `None` if they are not recorded.

    Raises:
        Failure: If an option requires recording, but the run could not be resumed from a record.
    """
    from toolkit_cli.running.keeping import Keeping  # it loads SQLite, and most keep nothing

    options = wanted.options
    is_wanted = bool(options.journal) or options.on_approval == "wait" or options.resumed is not None
    if not is_wanted and (options.journal is False or not keeps):
        return None
    if (why_not := _why_not_kept(wanted, ready)) is not None:
        if not is_wanted:
            return None
        option = "--journal" if options.journal else "--on-approval wait"
        raise Failure(ExitCode.USAGE, f"{option} records a task so that it can be resumed, but {why_not}")
    request, tool = options.as_request(wanted.file, wanted.task), ready.declared or ready.agent
    return Keeping(run_id, tool, request["target"], request, arguments={}, resumed=options.resumed)


def _why_not_kept(wanted: _Wanted, ready: ReadyAgent) -> str | None:
    from toolkit_cli.running.keeping import NOT_FROM_TEXTS

    if wanted.task is None and ready.takes_task:
        return "a chat has no single task"
    if wanted.options.go_on:
        return "a continued conversation depends on its earlier messages"
    if not ready.agent.keeps_steps:
        return NOT_FROM_TEXTS
    return None


def _agent(wanted: _Wanted, configuration: "Configuration", gate: "Gate", answers: Answers) -> ReadyAgent:
    from toolkit.agents.agent import AgentTool  # help needs none of it
    from toolkit.agents.loop import Limits

    options = wanted.options
    if wanted.file is not None:
        ready = agent_of_file(
            wanted.file,
            wanted.task,
            lambda: _work(None, answers),
            configuration,
            gate,
            warn=not options.messages.quiet,
        )
        check_names(answers.rules, ready.agent.tools.values())
        changes = {"transcript": wanted.transcript} | ({"model": wanted.model} if wanted.model is not None else {})
        return ready._replace(agent=ready.agent.replace(**changes))
    opened = open_all(wanted.targets, configuration, gate)
    end_at_errors(opened.problems)
    if not options.messages.quiet:
        report(opened.problems, as_json=options.format != "text")
    chaining = _chaining(options.chaining or (), configuration)
    if not chaining:  # otherwise the calls are not known in advance
        check_names(answers.rules, opened.tools.values())
    assert wanted.model is not None  # without a file there is one
    agent = AgentTool(
        "agent",
        "Does a task.",
        wanted.model,
        opened.tools.values(),
        instructions=options.instructions,
        limits=Limits() if options.max_turns is None else Limits(turns=options.max_turns),
        chaining=chaining,
        transcript=wanted.transcript,
    )
    return ReadyAgent(agent, wanted.task)


def _chaining(kinds: Sequence[str], configuration: "Configuration") -> "list[Chaining]":
    """Return which objects provide tools; `any` means all.

    Raises:
        Failure: If a class does not exist or has no tools; lists all problems.
    """
    from toolkit.agents.chaining import Chaining, chaining_problems  # help needs none of it
    from toolkit.sources.opening import SourceOpener

    opener, found, problems = SourceOpener(configuration), list[Chaining](), list[Problem]()
    for text in kinds:
        kind = None if text == "any" else opener.open_class(text, Path())
        if isinstance(kind, list):
            problems += kind
        else:
            found.append(Chaining(kind))
    end_at_errors([*problems, *chaining_problems(found)])
    return found


def _chat(conversation: Conversation) -> int:
    from toolkit_cli.running.chats import chat  # few runs are chats

    return chat(conversation)
