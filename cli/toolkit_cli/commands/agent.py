"""`toolkit agent`: let a model do a task with tools, and ask before anything that may do harm."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolkit.problems import errors_among
from toolkit.runs.run import Run
from toolkit.tools.context import ToolContext
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.options import Debug, Grants, Quiet, Rules, Values, Verbose
from toolkit_cli.rendering.results import Format
from toolkit_cli.running.answering import Answers, make_gate
from toolkit_cli.running.calling import call_tool
from toolkit_cli.running.logs import show_logs
from toolkit_cli.running.presenting import present
from toolkit_cli.running.telling import Teller, both, message_channel, write_event
from toolkit_cli.running.values import read_values
from toolkit_cli.screen import Screen
from toolkit_cli.settings import load_configuration

if TYPE_CHECKING:
    from toolkit.agents.models.messages import Model
    from toolkit.agents.transcripts import Transcript
    from toolkit.tools.base import Tool

_EVERYTHING = 2

Task = Annotated[str, typer.Argument(metavar="TASK", help="What is to be done, in words.", show_default=False)]
ModelName = Annotated[
    str,
    typer.Option(
        metavar="MODEL",
        envvar="TOOLKIT_MODEL",
        show_envvar=False,
        help="PROVIDER:NAME; chat:NAME with a base URL; or scripted:FILE, replies written down beforehand.",
        show_default=False,
    ),
]
Offered = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="TARGET",
        help="What it may call: a file, a module, a tool's or group's name, `builtin`; "
        "without any, the configured sources. Repeatable.",
        show_default=False,
    ),
]
Shown = Annotated[
    Format, typer.Option("--format", help="The answer alone, the result as JSON, or events as they happen.")
]


def agent(  # noqa: PLR0913 - each is an option of the command
    task: Task,
    *,
    model: ModelName,
    base_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="TOOLKIT_MODEL_URL",
            show_envvar=False,
            help="A server of the chat API, for chat:NAME.",
            show_default=False,
        ),
    ] = None,
    tools: Offered = None,
    instructions: Annotated[str, typer.Option(metavar="TEXT", help="What the model is told before the task.")] = "",
    max_turns: Annotated[int, typer.Option(metavar="N", min=1, help="Requests to the model, at most.")] = 20,
    transcript: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all that was said to a file, as JSON.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Answer every question beforehand with yes.")] = False,
    no_input: Annotated[bool, typer.Option("--no-input", help="Ask nothing, even on a terminal.")] = False,
    approve: Rules = None,
    format: Shown = "text",  # noqa: A002 - the option's name
    grant: Grants = None,
    context: Values = None,
    verbose: Verbose = 0,
    quiet: Quiet = False,
    debug: Debug = False,
) -> int:
    """Let a model do a task with tools; stdout carries its answer alone.

    What the model wants to call is asked about unless the tool is marked as read-only. Where nobody can be asked, and
    no flag allows the call, the model is told that it was refused.
    """
    from toolkit.agents.models.opening import open_model  # noqa: PLC0415 - help needs none of it
    from toolkit.agents.transcripts import Transcript  # noqa: PLC0415 - help needs none of it

    configuration = load_configuration(grant=grant)
    values = {**configuration.context, **read_values(context or ())}
    answers = Answers(yes, no_input, approve or ())
    said = Transcript()
    with Screen() as screen:
        show_logs(screen, _EVERYTHING if debug else verbose)
        tool = _agent(
            open_model(model, base_url),
            tools,
            configuration,
            instructions,
            max_turns,
            said,
            as_json=format != "text",
            quiet=quiet,
        )
        gate, reviewer = make_gate(answers, screen, configuration.approval_timeout)
        _write_transcript(transcript, task, model, said)
        teller = None if quiet else Teller(screen)
        listener = both(teller, write_event if format == "jsonl" else None)
        belongs_to = Run(goal=task, channel=None if quiet else message_channel(screen))
        given = ToolContext(values, gate=gate, listener=listener, run=belongs_to)
        try:
            ending = call_tool(tool, {"task": task}, given, reviewer)
        finally:
            _write_transcript(transcript, task, model, said)
    return present(ending, format, teller)


def _agent(
    model: "Model",
    targets: list[str] | None,
    configuration: Any,
    instructions: str,
    max_turns: int,
    said: "Transcript",
    *,
    as_json: bool,
    quiet: bool,
) -> "Tool":
    """Return the agent that the options describe, as the one tool that is called.

    Raises:
        Failure: If a target is not there, or is broken.
    """
    from toolkit.agents.agent import AgentTool  # noqa: PLC0415 - help needs none of it
    from toolkit.agents.loop import Limits  # noqa: PLC0415
    from toolkit.sources.opening import open_targets  # noqa: PLC0415

    opened = open_targets(targets or [], configuration)
    if errors_among(opened.problems):
        raise Failure(code_for(opened.problems), problems=opened.problems)
    if not quiet:
        report(opened.problems, as_json=as_json)
    return AgentTool(
        "agent",
        "Does a task.",
        model,
        opened.tools.values(),
        instructions=instructions,
        limits=Limits(turns=max_turns),
        transcript=said,
    )


def _write_transcript(path: Path | None, task: str, model: str, said: "Transcript") -> None:
    """Write what was said so far; also before anything is, so that a file that cannot be written stops nothing later.

    Raises:
        Failure: If the file cannot be written.
    """
    if path is None:
        return
    record = {"model": model, "task": task, "messages": said.as_record()}
    try:
        path.write_text(f"{json.dumps(record, ensure_ascii=False, indent=2)}\n", "utf-8")
    except OSError as error:
        raise Failure(ExitCode.USAGE, f"--transcript: cannot write '{path}': {error.strerror}") from error
