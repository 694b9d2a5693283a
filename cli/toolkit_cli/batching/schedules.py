"""Schedules: runs that a store begins again and again, done by its workers."""

from collections.abc import Sequence
from typing import Any

from toolkit.problems import Problem
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.batching.opened_stores import open_store
from toolkit_cli.batching.stored_runs import bound_calls
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.styles import paint_all
from toolkit_cli.rendering.tables import table
from toolkit_cli.running.keeping import without_secrets
from toolkit_cli.running.single_tools import open_one
from toolkit_cli.settings import load_configuration


def add_schedule(url: str, cron: str, words: Sequence[str], each: str | None, name: str | None) -> ExitCode:
    """Let the workers of a store run a target again and again.

    Args:
        url: Where the store is.
        cron: When it begins.
        words: The target, and the arguments of the call, or those for all items.
        each: The file of items, if there are any.
        name: The schedule's name; by default, that of its tool.

    Raises:
        Failure: If no target is named, or its arguments are wrong or hold a secret.
        ConfigurationError: If it is no time, or there is such a schedule.
    """
    if not words:
        hint = "toolkit runs schedule '0 6 * * *' TARGET [ARG]..."
        raise Failure(ExitCode.USAGE, "`toolkit runs schedule` needs a time and a target", hint=hint)
    target = words[0]
    configuration = load_configuration()
    tool = open_one(target, configuration, None, "`runs schedule` runs one of them", warn=True, looks=True)
    gathered = gather_arguments(tool, Given(tuple(words[1:]), None, None, None))
    problems = list(gathered.problems)
    if each is None:
        problems += [one.problem for one in objections(tool, gathered.arguments)]
        problems += [] if not gathered.missing else _missing(gathered.missing)
    if problems:
        raise Failure(ExitCode.USAGE, problems=problems)
    request: dict[str, Any] = {"target": target, "timeout": None, "context": [], "memory_id": None, "model": None}
    kept = without_secrets({**request, "batch": {"source": each or "a single call"}}, gathered.arguments)
    if not kept["is_whole"]:
        raise Failure(ExitCode.USAGE, "the arguments hold a secret, which a store does not keep")
    said: dict[str, Any] = {"tool": tool.name, "target": target, "arguments": kept["arguments"], "request": kept}
    with open_store(url) as store:
        bound_calls(store, tool, configuration.limits)
        store.schedule(name or tool.name, cron, tool.name, {**said, "name": name or tool.name})
    console.say(f"'{name or tool.name}' begins at '{cron}' (UTC), on any worker that has '{tool.name}'")
    return ExitCode.WELL


def _missing(names: Sequence[str]) -> list[Problem]:

    return [Problem("", f"the argument '{name}' is missing") for name in names]


def list_schedules(url: str, *, as_json: bool) -> ExitCode:
    """List the schedules of a store."""
    with open_store(url, makes=False) as store:
        found = store.schedules()
    if as_json:
        console.write_json(found)
    elif found:
        rows = [(one["name"], one["cron"], one["begun"] or "never", one["target"]) for one in found]
        lines = table(("NAME", "CRON", "BEGUN", "TARGET"), rows, console.data_width())
        console.write_data(paint_all(lines, colour=console.data_has_colour()))
    else:
        console.say("there is no schedule")
    return ExitCode.WELL


def remove_schedule(url: str, name: str | None) -> ExitCode:
    """Remove a schedule.

    Raises:
        Failure: If there is none of this name.
    """
    with open_store(url, makes=False) as store:
        known = [one["name"] for one in store.schedules()]
        if name not in known:
            hint = f"the schedules are {', '.join(known)}" if known else None
            raise Failure(ExitCode.NOT_FOUND, f"there is no schedule '{name}'", hint=hint)
        store.unschedule(str(name))
    return ExitCode.WELL
