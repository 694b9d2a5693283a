"""Options that several commands share, and how a command takes all its options as one value, which can be recorded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin

import typer

from toolkit_cli.completion import complete_consent, complete_server, complete_target


def spread(command: Callable[..., int]) -> Callable[..., int]:
    """Return a command with a parameter for each option, as Typer needs it.

    A field declares an option by its type, `Annotated[…, typer.Option(…)]`. A field can also hold another such value
    with options that several commands share. Other fields keep their defaults. A command whose parameters are options
    already is returned unchanged.
    """
    only, *others = signature(command).parameters.values()
    fields: Any = only.annotation
    if others or not _is_value(fields):
        return command

    @wraps(command)
    def spread_out(**typed: Any) -> int:
        return command(_make(fields, typed))

    options = [*_options_in(fields)]
    spread_out.__signature__ = Signature(options)  # type: ignore[attr-defined]  # `inspect` looks here first
    spread_out.__annotations__ = {option.name: option.annotation for option in options}
    return spread_out


def _is_value(kind: Any) -> bool:
    return hasattr(kind, "_fields")


def _options_in(fields: Any) -> Iterator[Parameter]:
    for name, kind in fields.__annotations__.items():
        if _is_value(kind):
            yield from _options_in(kind)
        elif get_origin(kind) is Annotated:
            default = fields._field_defaults.get(name, Parameter.empty)
            yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _make(fields: Any, typed: Mapping[str, Any]) -> Any:
    """Build the value from the parsed options, with its nested values."""
    inner = {name: _make(kind, typed) for name, kind in fields.__annotations__.items() if _is_value(kind)}
    return fields(**inner, **{name: typed[name] for name in fields._fields if name in typed})


Options = TypeVar("Options")


class Forgotten(NamedTuple):
    """Marks an option that a recorded run does not keep; all others apply again when the run is resumed.

    Attributes:
        why: The reason.
    """

    why: str


def recorded(options: Any) -> dict[str, Any]:
    """Return the options that a recorded run keeps, by name, as plain data."""
    record: dict[str, Any] = {}
    for name, kind in type(options).__annotations__.items():
        value = getattr(options, name)
        if _is_value(kind):
            record |= recorded(value)
        elif _is_recorded(kind):
            record[name] = str(value) if isinstance(value, Path) else value
    return record


def restored(kind: type[Options], record: Mapping[str, Any]) -> Options:
    """Return the options of a recorded run; those that were not recorded have their defaults."""
    given: dict[str, Any] = {}
    for name, declared in kind.__annotations__.items():
        if _is_value(declared):
            given[name] = restored(declared, record)
        elif _is_recorded(declared) and name in record:
            value, is_path = record[name], Path in get_args(get_args(declared)[0])
            given[name] = Path(value) if is_path and value is not None else value
    return kind(**given)


def forgotten(kind: Any) -> dict[str, str]:
    """Return why a recorded run does not keep some of these options, by name."""
    whys: dict[str, str] = {}
    for name, declared in kind.__annotations__.items():
        if _is_value(declared):
            whys |= forgotten(declared)
        else:
            mark = _mark_of(declared)
            whys |= {} if mark is None else {name: mark.why}
    return whys


def _is_recorded(kind: Any) -> bool:
    return get_origin(kind) is Annotated and _mark_of(kind) is None


def _mark_of(kind: Any) -> Forgotten | None:
    return next((mark for mark in get_args(kind) if isinstance(mark, Forgotten)), None)


_MOST_TOGETHER = 12
OTHERS = "Options"

_NAMES: Mapping[str, tuple[str, ...]] = {
    "Tool arguments": ("args", "input"),
    "Batches": ("each", "jobs", "out", "on_item_error", "store"),
    "Rules": ("select", "ignore", "extend_select", "provider", "static", "explain"),
    "Fixes": ("fix", "unsafe_fixes", "diff", "add_noqa"),
    "Baseline": ("baseline", "update_baseline", "against"),
    "Model": ("model", "base_url", "model_timeout", "instructions", "max_turns", "budget"),
    "Conversation": ("transcript", "go_on"),
    "Approvals": ("yes", "no_input", "approve", "policy"),
    "Tools": ("tools", "group", "grant", "start", "consent", "python"),
    "Context": ("context", "memory_id", "meta"),
    "HTTP": ("http", "port", "token_env", "allow_host"),
    "Output": ("format", "output", "statistics", "compat", "verbose", "quiet"),
    "Exit code": ("require_tools", "warnings_as_errors", "fail_on", "exit_zero"),
}
_GROUPS = {name: group for group, names in _NAMES.items() for name in names}


def grouped(records: Iterable[tuple[str, tuple[str, str]]]) -> Mapping[str, list[tuple[str, str]]]:
    """Return the help records of options by heading; a short list gets a single heading.

    Args:
        records: The name of each parameter, with its option and the help for it.
    """
    listed = list(records)
    if len(listed) <= _MOST_TOGETHER:
        return {OTHERS: [record for _, record in listed]}
    groups: dict[str, list[tuple[str, str]]] = {group: [] for group in (*_NAMES, OTHERS)}
    for name, record in listed:
        groups[_GROUPS.get(name, OTHERS)].append(record)
    return {group: found for group, found in groups.items() if found}


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
