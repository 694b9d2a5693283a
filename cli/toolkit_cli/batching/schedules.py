"""Scheduled runs: a store starts them repeatedly, and its workers process them."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from toolkit.batches.item_files import SINGLE
from toolkit.problems import Problem
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.batching.batch_records import bound_calls, open_store
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, refuse
from toolkit_cli.rendering.styles import print_lines, table
from toolkit_cli.run_options import RunOptions
from toolkit_cli.running.journaled_runs import without_secrets
from toolkit_cli.running.opened_tools import open_one


class ScheduleOptions(NamedTuple):
    """The options of a schedule.

    Attributes:
        each: The file of items, if any.
        name: The name of the schedule; the tool's name if `None`.
        on_approval: Whether a call that needs approval asks on the worker, or waits for an answer.
    """

    each: str | None
    name: str | None
    on_approval: Literal["ask", "wait"]


def add_schedule(url: str, cron: str, words: Sequence[str], options: ScheduleOptions) -> ExitCode:
    """Schedule a target to run repeatedly on the workers of a store.

    Args:
        url: The URL of the store.
        cron: When to start, as a cron expression in UTC.
        words: The target, followed by the arguments of the call, or those for all items.
        options: The options of the schedule.

    Raises:
        Failure: If the target is missing, or its arguments are invalid or contain a secret.
        ConfigurationError: If the cron expression is invalid, or the name is taken.
    """
    if not words:
        hint = "toolkit runs schedule '0 6 * * *' TARGET [ARG]..."
        raise Failure(ExitCode.USAGE, "`toolkit runs schedule` needs a time and a target", hint=hint)
    target = words[0]
    configuration = load_configuration()
    tool = open_one(target, configuration, None, "`runs schedule` runs one of them", warn=True, looks=True)
    gathered = gather_arguments(tool, Given(tuple(words[1:]), None, None, None))
    problems = list(gathered.problems)
    if options.each is None:
        problems += [one.problem for one in objections(tool, gathered.arguments)]
        problems += [] if not gathered.missing else _missing(gathered.missing)
    refuse(problems)
    run = RunOptions(target, each=options.each or SINGLE, on_approval=options.on_approval)
    request = without_secrets(run.as_request(), gathered.arguments)
    if not request["is_whole"]:
        raise Failure(ExitCode.USAGE, "the arguments contain a secret, and a store keeps no secrets")
    record: dict[str, Any] = {
        "tool": tool.name,
        "target": target,
        "arguments": request["arguments"],
        "request": request,
    }
    name = options.name or tool.name
    with open_store(url) as store:
        bound_calls(store, tool, configuration.limits)
        store.schedules.add(name, cron, tool.name, {**record, "name": name})
    console.say(f"'{name}' starts at '{cron}' (UTC), on any worker that has '{tool.name}'")
    return ExitCode.SUCCESS


def _missing(names: Sequence[str]) -> list[Problem]:

    return [Problem("", f"the argument '{name}' is missing") for name in names]


def list_schedules(url: str, *, as_json: bool) -> ExitCode:
    """List the schedules of a store."""
    with open_store(url, makes=False) as store:
        found = store.schedules.all()
    if as_json:
        console.write_json(found)
    elif found:
        rows = [(one["name"], one["cron"], one["begun"] or "never", one["target"]) for one in found]
        lines = table(("NAME", "CRON", "BEGUN", "TARGET"), rows, console.data_width())
        print_lines(lines)
    else:
        console.say("no schedules found")
    return ExitCode.SUCCESS


def remove_schedule(url: str, name: str | None) -> ExitCode:
    """Remove a schedule.

    Raises:
        Failure: If no schedule has this name.
    """
    with open_store(url, makes=False) as store:
        known = [one["name"] for one in store.schedules.all()]
        if name not in known:
            hint = f"the schedules are {', '.join(known)}" if known else None
            raise Failure(ExitCode.NOT_FOUND, f"there is no schedule '{name}'", hint=hint)
        store.schedules.remove(str(name))
    return ExitCode.SUCCESS
