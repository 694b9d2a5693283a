"""Runs the agent of `toolkit agent`: reads the options, opens its tools and model, and runs the task or the chat."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.agents.agent import AgentTool
from toolkit.agents.loop import Limits
from toolkit.agents.offered_tools import Chaining, chaining_problems
from toolkit.agents.transcripts import Transcript
from toolkit.problems import Problem
from toolkit.runs.records import Budget
from toolkit.sources.opening import SourceOpener
from toolkit.sources.scopes import configured_model
from toolkit_cli.agent_options import AgentOptions
from toolkit_cli.arguments.call_arguments import piped_text
from toolkit_cli.command_settings import unknown_names
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, refuse
from toolkit_cli.other_python import continue_with
from toolkit_cli.running.agent_sessions import (
    Conversation,
    Earlier,
    ReadyAgent,
    TranscriptFile,
    agent_of_file,
    names_file,
    read_transcript,
)
from toolkit_cli.running.answer_sources import NOT_FROM_TEXTS, Answers, check_names, is_recorded, waits_for_answers
from toolkit_cli.running.chats import chat
from toolkit_cli.running.journaled_runs import RunRecorder, users_journal
from toolkit_cli.running.sessions import Session, ShownRun, open_session, seconds_of
from toolkit_cli.running.watchdog import leave_if_threads_remain

if TYPE_CHECKING:
    from toolkit.agents.models.messages import Model
    from toolkit.settings.configuration import Configuration


def run_agent(options: AgentOptions) -> int:
    """Run the task or the chat, and return the exit code.

    Raises:
        Failure: If it cannot start; nothing has run then.
    """
    continue_with(options.python)
    waits = waits_for_answers(options.on_approval, options.session.asking, options.journal)
    has_file = names_file(options.first)
    file, task = (options.first, options.task) if has_file else (None, _only_task(options.first, options.task))
    if file is not None:
        _refuse_what_the_file_says(options)
    budget = Budget.parse(options.budget) if options.budget is not None else None
    transcript, earlier = _so_far(options.transcript, go_on=options.go_on)
    with open_session(
        options.session,
        [*(options.tools or ()), *([file] if file is not None else [])],
        model=options.model if has_file else None,  # without a file, it is not for agents among the tools
        base_url=options.base_url if has_file else None,
        run=file or "agent",
        run_id=options.resumed.run.id if options.resumed is not None else None,
        waits=waits,
    ) as session:
        session.audit()
        ready = _agent(options, session, file, task, transcript)
        recorded = _recorded(options, session, ready, file)
        shown = ShownRun(session, options.format, recorded, is_agent=True, goal=ready.task, budget=budget)
        kept_in = options.transcript
        conversation = Conversation(
            ready.agent,
            transcript,
            shown,
            session.screen,
            task=ready.task,
            file=None if kept_in is None else TranscriptFile(kept_in, ready.agent.model.name, ready.task, earlier),
            worded=ready.worded,
            is_chat=ready.is_chat,
        )
        conversation.start_writing()
        exit_code = _chat(conversation) if ready.is_chat else conversation.answer(ready.task or "")
        if ready.is_chat:
            session.report.end(exit_code)
            shown.show_usage()
    leave_if_threads_remain(exit_code)
    return exit_code


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


def _so_far(path: Path | None, *, go_on: bool) -> tuple[Transcript, Earlier]:
    """Return the conversation to continue, and older conversations in the same file.

    Raises:
        Failure: If `go_on` is set and there is no conversation.
    """
    if not go_on:
        return Transcript(), []
    if path is None:
        raise Failure(ExitCode.USAGE, "--continue needs a transcript", hint="pass the file with --transcript")
    return read_transcript(path)


def _recorded(options: AgentOptions, session: Session, ready: ReadyAgent, file: str | None) -> RunRecorder | None:
    """Return the recorder for the turns of the agent, or `None` if they are not recorded.

    Raises:
        Failure: If an option requires recording, but the run could not be resumed from a record.
    """
    if not is_recorded(
        options.journal,
        waits=options.on_approval == "wait",
        resumes=options.resumed is not None,
        is_usual=session.configuration.journal,
        why_not=_why_not_recorded(options, ready),
    ):
        return None
    request, tool = options.as_request(file, ready.task), ready.declared or ready.agent
    target, resumed = request["target"], options.resumed
    return RunRecorder(users_journal(), session.report.run, tool, target, request, arguments={}, resumed=resumed)


def _why_not_recorded(options: AgentOptions, ready: ReadyAgent) -> Problem | None:
    if ready.is_chat:
        why_not = "a chat has no single task"
    elif options.go_on:
        why_not = "a continued conversation depends on its earlier messages"
    elif ready.agent.keeps_steps:
        return None
    else:
        why_not = NOT_FROM_TEXTS
    return Problem("", f"records a task so that it can be resumed, but {why_not}")


def _agent(
    options: AgentOptions, session: Session, file: str | None, task: str | None, transcript: Transcript
) -> ReadyAgent:
    configuration, rules = session.configuration, session.answers.rules
    if file is not None:
        given = None if task is None else _work(task, session.answers)
        ready = agent_of_file(file, given, lambda: _work(None, session.answers), session)
        check_names(rules, ready.agent.tools.values())
        timely = {} if options.model_timeout is None else {"model": _model(configuration, options)}
        return ready._replace(agent=ready.agent.replace(transcript=transcript, **timely))
    work, model = _work(task, session.answers), _model(configuration, options)
    tools = session.open((*(options.tools or ()), *_known_groups(options.group or (), configuration)), options.format)
    chaining = _chaining(options.chaining or (), configuration)
    if not chaining:  # otherwise the calls are not known in advance
        check_names(rules, tools.values())
    agent = AgentTool(
        "agent",
        "Does a task.",
        model,
        tools.values(),
        instructions=options.instructions,
        limits=Limits() if options.max_turns is None else Limits(turns=options.max_turns),
        chaining=chaining,
        transcript=transcript,
    )
    return ReadyAgent(agent, work)


def _chaining(kinds: Sequence[str], configuration: "Configuration") -> list[Chaining]:
    """Return which objects provide tools; `any` means all.

    Raises:
        Failure: If a class does not exist or has no tools; lists all problems.
    """
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
    return chat(conversation)
