"""`toolkit lock`: pin tool definitions, and report changes."""

from collections.abc import Iterator, Mapping, Sequence
from os import sep
from os.path import relpath
from shlex import join
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from toolkit.pins.drifts import FROM, HEADINGS, drifts_between, problems_of
from toolkit.pins.lockfile import LOCK_FILE, MARK, entries_of, pinned_targets, read_lock, written_lock
from toolkit.problems import Location, Problem
from toolkit.replacing import overwrite_same_kind
from toolkit.tools.calls.foreign_values import call_safely
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.origins import place_of_tool
from toolkit_cli import console
from toolkit_cli.command_settings import from_here, load_configuration
from toolkit_cli.failures import ExitCode, Failure, cannot_write, code_for, end_at_errors, report
from toolkit_cli.other_python import Python, continue_with
from toolkit_cli.reviewing.confirmations import confirm
from toolkit_cli.running.opened_tools import gate_for, open_all
from toolkit_cli.shared_options import Debug, Sources, Starts, Targets

if TYPE_CHECKING:
    from pathlib import Path

    from toolkit.pins.drifts import Drift, Entry
    from toolkit.settings.configuration import Configuration
    from toolkit.tools.base import Tool


class LockOptions(NamedTuple):
    """The command-line options of `toolkit lock`, one per field."""

    targets: Targets = None
    check: Annotated[bool, typer.Option("--check", help="Report what has changed (the default).")] = False
    update: Annotated[bool, typer.Option("--update", help="Pin the definitions as they are now.")] = False
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Pin changed tools of MCP servers without asking.")] = False
    format: Annotated[
        Literal["text", "json", "github", "sarif"], typer.Option("--format", help="The output format.")
    ] = "text"
    tools: Sources = None
    start: Starts = None
    python: Python = None
    debug: Debug = False


def lock(options: LockOptions) -> ExitCode:
    """Compare tool definitions with those pinned in `toolkit.lock`, or pin them.

    Without a target, all configured sources are compared or, if there are none, the targets that the last `--update`
    named. Changes go to stdout, and each is classified as breaking,
    compatible, or text only; the exit code is 1 if there are any.
    """
    if options.check and options.update:
        raise Failure(ExitCode.USAGE, "'--check' and '--update' cannot be combined")
    continue_with(options.python)
    project = load_configuration()
    file = project.directory / LOCK_FILE
    configuration = load_configuration(options.tools, start=options.start)._replace(holds_pins=False)
    if not options.targets and not configuration.sources:
        configuration = configuration._replace(sources=pinned_targets(file))
    found = _find(options.targets, configuration)
    pinned = entries_of(map(_describe, found.values()))
    again = join(_update_command(options.targets, options.tools, options.start))
    locked = read_lock(file, again)
    if options.update:
        if not isinstance(locked, Problem):
            _show_what_is_pinned(locked, pinned, asks=not options.yes)
        gone = [] if isinstance(locked, Problem) else sorted(locked.keys() - pinned.keys())
        chosen = map(from_here, options.targets) if options.targets else configuration.sources
        named = () if project.sources else [_seen_from(file.parent, target) for target in chosen]
        _write(file, written_lock(pinned, named))
        console.say(f"pinned {len(found)} {'tool' if len(found) == 1 else 'tools'} in {LOCK_FILE}")
        if gone:
            console.say(f"no longer pinned, because no target has them: {', '.join(gone)}")
        return ExitCode.SUCCESS
    if isinstance(locked, Problem):
        raise Failure(code_for([locked]), problems=[locked])
    drifts = drifts_between(locked, pinned)
    if options.format in {"json", "text"}:
        _write_drifts(drifts, options.format, LOCK_FILE)
    else:
        from toolkit_cli.rendering.findings import render  # only these formats need it

        console.write_data(render(list(_problems_of(drifts, found, Location(str(file)), again)), options.format))
    return ExitCode.FINDINGS if drifts else ExitCode.SUCCESS


def _show_what_is_pinned(locked: "Mapping[str, Entry]", pinned: "Mapping[str, Entry]", *, asks: bool) -> None:
    """Show every change that is about to be pinned; on a terminal, ask if tools of MCP servers have changed.

    Raises:
        Failure: If the user does not agree.
    """
    shown = {name for name, entry in pinned.items() if name in locked or FROM in entry}
    drifts = [drift for drift in drifts_between(locked, pinned) if drift.name in shown]
    if not drifts:
        return
    console.say(_as_text(drifts, LOCK_FILE).rstrip("\n"))
    if asks and any(FROM in pinned[drift.name] for drift in drifts) and console.can_ask():
        confirm("Pin these definitions?", hint="--yes pins them without asking")


def _write_drifts(drifts: "Sequence[Drift]", format: str, name: str) -> None:
    if format == "json":
        console.write_json([_record_of(drift) for drift in drifts])
    else:
        console.write_data(_as_text(drifts, name))


def _update_command(targets: list[str] | None, tools: list[str] | None, start: list[str] | None) -> Iterator[str]:
    """Yield the words of the command that pins what this one has compared."""
    yield from ("toolkit", "lock", "--update")
    yield from targets or ()
    for option, values in (("--tools", tools), ("--start", start)):
        for value in values or ():
            yield from (option, value)


def _seen_from(directory: "Path", target: str) -> str:
    return relpath(target, directory) if target.startswith(sep) else target


def _write(file: "Path", text: str) -> None:
    try:
        overwrite_same_kind(file, text.encode(), MARK, "a lockfile", beneath=file.parent)
    except OSError as error:
        raise cannot_write(file.name, error) from error


def _find(targets: list[str] | None, configuration: "Configuration") -> "dict[str, Tool]":
    """Return the tools to pin, by name; if one cannot be opened, the command fails."""
    if not targets and not configuration.sources:
        hint = "name a file, or write 'sources' in toolkit.toml"
        raise Failure(ExitCode.USAGE, "no target was given, and no sources are configured", hint=hint)
    opened = open_all(targets or (), configuration, gate_for(configuration), looks=True)
    end_at_errors(opened.problems)
    report(opened.problems)
    return {_describe(tool).name: tool for tool in opened.tools.values()}


def _describe(tool: "Tool") -> "ToolSpec":
    """Return the definition to pin; for a tool of an MCP server, the one that the server announces."""
    known = call_safely(lambda: getattr(tool, "announced", None), None)
    return known if isinstance(known, ToolSpec) else tool.spec


def _problems_of(
    drifts: "Sequence[Drift]", tools: "Mapping[str, Tool]", lock_file: Location, again: str
) -> Iterator[Problem]:
    """Yield each change as a problem located at its tool, or at the lockfile if the tool was removed."""
    for drift in drifts:
        tool = tools.get(drift.name)
        place = (place_of_tool(tool) if tool is not None else None) or lock_file
        yield from problems_of(drift, place, f"`{again}` pins the new definition")


def _as_text(drifts: "Sequence[Drift]", name: str) -> str:
    if not drifts:
        return f"all tools match {name}\n"
    lines = []
    for drift in drifts:
        lines.append(f"{drift.name}: {HEADINGS[drift.kind]}")
        lines += [f"  {HEADINGS[change.kind] + ':':<12}{change.what}" for change in drift.changes]
    kinds = [drift.kind for drift in drifts]
    counts = [f"{kinds.count(kind)} {words}" for kind, words in HEADINGS.items() if kind in kinds]
    lines += ["", f"{len(drifts)} {'tool has' if len(drifts) == 1 else 'tools have'} changed: {', '.join(counts)}"]
    return "\n".join(lines) + "\n"


def _record_of(drift: "Drift") -> dict[str, Any]:
    changes = [{"kind": change.kind, "what": change.what} for change in drift.changes]
    return {"tool": drift.name, "kind": drift.kind, "changes": changes}
