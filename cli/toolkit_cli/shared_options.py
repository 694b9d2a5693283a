"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from toolkit_cli.completion import complete_consent, complete_server, complete_target
from toolkit_cli.option_values import Forgotten

_NOT_CARRIED_OVER = Forgotten("approvals and consents are not carried over: whoever resumes the run gives them again")
_OF_THE_COMMAND = Forgotten("each command is as verbose as its own options say")

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="A file, file.py:name, a folder, a glob, a module, the name of a tool or group, or `builtin`.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A file, file.py:name, a module, or the name of a tool.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="SOURCE",
        help="Load more tools, from a source such as a file or a module. Repeatable.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Grants = Annotated[
    list[str] | None,
    typer.Option(
        "--grant",
        metavar="PERMISSION",
        help="Offer groups that need this permission: internet_access, host_access. Repeatable.",
        show_default=False,
    ),
    _NOT_CARRIED_OVER,
]
Starts = Annotated[
    list[str] | None,
    typer.Option(
        "--start",
        metavar="SERVER",
        help="Allow starting or contacting this MCP server of the project. Repeatable.",
        show_default=False,
        autocompletion=complete_server,
    ),
    _NOT_CARRIED_OVER,
]
Consented = Annotated[
    list[str] | None,
    typer.Option(
        "--consent",
        metavar="SETTING",
        help="Allow this project setting, which gives tools more access: builtin.NAME, env. Repeatable.",
        show_default=False,
        autocompletion=complete_consent,
    ),
    _NOT_CARRIED_OVER,
]
StoreName = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="The database for batches and workers: sqlite:///FILE or postgresql://HOST/NAME. Also TOOLKIT_STORE.",
        show_default=False,
    ),
    Forgotten("the command that resumes the run names its store"),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="PROVIDER:NAME; chat:NAME with a base URL; or scripted:FILE with written replies. "
        "Also TOOLKIT_MODEL, or `model` in the configuration.",
        show_default=False,
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The server for chat:NAME, such as http://localhost:11434/v1. Also TOOLKIT_MODEL_URL.",
        show_default=False,
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RULE", help="Approve calls in advance: 'tool', 'tool(arg=glob)' or 'tool(arg:=JSON)'. Repeatable."
    ),
    _NOT_CARRIED_OVER,
]
PolicyPath = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="Approval rules of your own: which calls to allow, ask about, or deny. Also TOOLKIT_POLICY.",
        show_default=False,
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Approve every call in advance."), _NOT_CARRIED_OVER]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never ask, even on a terminal."), _NOT_CARRIED_OVER]
Values = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="Pass a context value to the tools, hidden from the model. Repeatable."),
]
MemoryId = Annotated[
    str | None,
    typer.Option(
        "--memory-id",
        metavar="ID",
        help="The id of the memory to use; parameters marked MemoryId receive it.",
        show_default=False,
    ),
]
OnApproval = Annotated[
    Literal["ask", "wait"],
    typer.Option(
        help="Ask for approval now, or record the question and wait: `toolkit runs approvals` lists questions, "
        "`toolkit runs decide` answers them, `toolkit runs resume` continues.",
    ),
]
Debug = Annotated[
    bool,
    typer.Option("--debug", envvar="TOOLKIT_DEBUG", show_envvar=False, help="Show tracebacks and all log messages."),
    _OF_THE_COMMAND,
]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        show_default=False,
        help="Print more; repeat for details (-vv, -vvv).",
    ),
    _OF_THE_COMMAND,
]
Otel = Annotated[
    bool | None,
    typer.Option(
        "--otel/--no-otel",
        help="Send spans and metrics to OpenTelemetry. On by default if an OTEL_… variable sets where to send them.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors."), _OF_THE_COMMAND]


class AskingOptions(NamedTuple):
    """How approval questions are answered."""

    yes: Yes = False
    no_input: NoInput = False
    approve: Rules = None
    policy: PolicyPath = None


class OpeningOptions(NamedTuple):
    """What may be opened, in addition to what the configuration allows."""

    grant: Grants = None
    start: Starts = None
    consent: Consented = None


class ContextOptions(NamedTuple):
    """Values that tools receive with a call and that the model does not see."""

    context: Values = None
    memory_id: MemoryId = None


class MessageOptions(NamedTuple):
    """How many messages are printed."""

    verbose: Verbose = 0
    quiet: Quiet = False
    debug: Debug = False


class SessionOptions(NamedTuple):
    """The options of every command that calls tools."""

    asking: AskingOptions = AskingOptions()
    opening: OpeningOptions = OpeningOptions()
    given: ContextOptions = ContextOptions()
    otel: Otel = None
    messages: MessageOptions = MessageOptions()
