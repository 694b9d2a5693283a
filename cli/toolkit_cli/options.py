"""The options that several commands share, each defined once."""

from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from toolkit_cli.completion import complete_consent, complete_server, complete_target

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET]...",
        help="A file, file.py:name, a folder, a glob, a module, a tool's or group's name, or `builtin`.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="TARGET",
        help="A file, file.py:name, a module, or a tool's name.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="SOURCE",
        help="More tools: a source as in a TARGET. Repeatable.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Grants = Annotated[
    list[str] | None,
    typer.Option(
        "--grant",
        metavar="PERMISSION",
        help="Offer groups that need this: internet_access, host_access. Repeatable.",
        show_default=False,
    ),
]
Starts = Annotated[
    list[str] | None,
    typer.Option(
        "--start",
        metavar="SERVER",
        help="Allow this MCP server of the project to be started or contacted. Repeatable.",
        show_default=False,
        autocompletion=complete_server,
    ),
]
Consented = Annotated[
    list[str] | None,
    typer.Option(
        "--consent",
        metavar="SETTING",
        help="Agree to this setting of the project, which widens what tools reach: builtin.NAME, env. Repeatable.",
        show_default=False,
        autocompletion=complete_consent,
    ),
]
StoreName = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="The database of a batch and its workers: sqlite:///FILE or postgresql://HOST/NAME. Also TOOLKIT_STORE.",
        show_default=False,
    ),
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
        help="Where the server of chat:NAME is: http://localhost:11434/v1. Also TOOLKIT_MODEL_URL.",
        show_default=False,
    ),
]
Rules = Annotated[
    list[str] | None,
    typer.Option(metavar="RULE", help="Approve calls in advance: 'tool' or 'tool(arg=glob)'. Repeatable."),
]
PolicyPath = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="Rules of your own: which calls run, are asked about, or are denied. Also TOOLKIT_POLICY.",
        show_default=False,
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Approve every call in advance.")]
NoInput = Annotated[bool, typer.Option("--no-input", help="Never ask, even on a terminal.")]
Values = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="A value that tools receive with the call. Repeatable."),
]
MemoryId = Annotated[
    str | None,
    typer.Option(
        "--memory-id",
        metavar="ID",
        help="Whose memory the tools work on; parameters marked MemoryId receive it.",
        show_default=False,
    ),
]
OnApproval = Annotated[
    Literal["ask", "wait"],
    typer.Option(
        help="With wait, a call that needs approval waits: `toolkit runs approvals` lists it, `toolkit runs decide` "
        "answers, `toolkit runs resume` continues.",
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", envvar="TOOLKIT_DEBUG", show_envvar=False, help="Show tracebacks and all logging.")
]
Verbose = Annotated[
    int, typer.Option("--verbose", "-v", count=True, show_default=False, help="Print more; twice prints everything.")
]
Otel = Annotated[
    bool | None,
    typer.Option(
        "--otel/--no-otel",
        help="Send spans and metrics to OpenTelemetry. The variables OTEL_… say where, and turn it on by themselves.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]


class AskingOptions(NamedTuple):
    """How the questions of a run are answered."""

    yes: Yes = False
    no_input: NoInput = False
    approve: Rules = None
    policy: PolicyPath = None


class OpeningOptions(NamedTuple):
    """What may be opened, beside what the configuration allows."""

    grant: Grants = None
    start: Starts = None
    consent: Consented = None


class ContextOptions(NamedTuple):
    """What tools receive with a call, and no model sees."""

    context: Values = None
    memory_id: MemoryId = None


class MessageOptions(NamedTuple):
    """How much is printed beside the data."""

    verbose: Verbose = 0
    quiet: Quiet = False
    debug: Debug = False
