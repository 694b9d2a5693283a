"""Records a run in the journal or in a store, so that it can be resumed."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.errors import ApprovalPending
from toolkit.pipelines.outline import outline_of
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.regular_files import bounded_bytes
from toolkit.runs.records import JournalError
from toolkit.sources.imported_files import imported_files
from toolkit.stores.recorded_runs import RecordedRun
from toolkit.stores.run_stores import JournalFile, RunStore
from toolkit.tools.base import Tool, innermost
from toolkit.tools.calls.json_data import dumps
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.origins import function_of, place_of_tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.tool_kinds import is_agent, pipeline_in
from toolkit_cli.running.tool_calls import Ending

if TYPE_CHECKING:
    from toolkit.pipelines.outline import StepOutline
    from toolkit.pipelines.plans import Plan


STORE_VARIABLE: Final = "TOOLKIT_STORE"
"""The environment variable with the URL of the store."""
_OWN: Final = Path(__file__).resolve().parents[1]


def definition_of(tool: Tool) -> dict[str, str]:
    """Return the SHA-256 digest of each file that defines the tool or a tool that it calls, by path.

    The project's files that these files import are part of the definition too.
    """
    return {file: sha256(bounded_bytes(file)).hexdigest() for file in sorted(imported_files(_files_of(tool)))}


def tools_within(tool: Tool) -> Iterator[Tool]:
    """Yield a tool, and the tools that it calls if it is a pipeline or an agent."""
    yield tool
    pipeline = pipeline_in(tool)
    inner = [step.tool for step in pipeline.plan.walk()] if pipeline is not None else _tools_of_agent(tool)
    for one in inner:
        if one is not None:
            yield from tools_within(one)


def _files_of(tool: Tool) -> Iterator[str]:
    for one in tools_within(tool):
        yield from filter(_is_of_users, _places_of(one))


def _places_of(tool: Tool) -> Iterator[str]:
    """Yield where a tool is defined, where its function is, and the file that offers it under its name."""
    pipeline, function = pipeline_in(tool), function_of(tool)
    place = place_of_tool(tool) if pipeline is None else pipeline.plan.location
    of_function = None if function is None else place_of(function)
    yield from (one.file for one in (place, of_function) if one is not None)
    yield from filter(None, (tool.spec.source, tool.spec.origin))


def _is_of_users(file: str) -> bool:
    """Return whether a file exists and does not belong to the command line, which also defines agents."""
    return os.path.isfile(file) and not Path(file).resolve().is_relative_to(_OWN)  # noqa: PTH113 - the path as written


def _tools_of_agent(tool: Tool) -> list[Tool]:
    return list(getattr(innermost(tool), "tools", {}).values()) if is_agent(tool) else []


def graph_of(tool: Tool) -> list[dict[str, Any]]:
    """Return the steps of a pipeline, including nested pipelines; empty for other tools.

    Each step has its `label`, its `path` in the run, its `kind`, the name of its `tool`, the paths that its data comes
    `from`, and its `branches` as pairs of a title and steps.
    """
    pipeline = pipeline_in(tool)
    return [] if pipeline is None else _steps_of(pipeline.plan, "")


def _steps_of(plan: "Plan", prefix: str) -> list[dict[str, Any]]:

    tools = {step.path: step.tool for step in plan.walk() if step.tool is not None}
    return [_step(step, prefix, tools) for step in outline_of(plan).steps]


def _step(step: "StepOutline", prefix: str, tools: dict[str, Tool]) -> dict[str, Any]:
    path = prefix + step.path
    branches = [[name, [_step(one, prefix, tools) for one in inner]] for name, inner in step.branches.items()]
    called = pipeline_in(tools[step.path]) if step.path in tools else None
    if called is not None:
        branches.append([called.plan.name, _steps_of(called.plan, f"{path}/")])
    sources = list(step.sources)
    return {
        "label": step.label,
        "path": path,
        "kind": step.kind,
        "tool": step.tool,
        "from": sources,
        "branches": branches,
    }


class Resumed(NamedTuple):
    """A run to resume, and what the user has allowed for that.

    Attributes:
        run: The run.
        accepts_changes: Whether to continue although definitions or items have changed.
        repeats_failures: Whether to run failed items again.
        repeats_doubts: Whether to repeat steps that started and may have taken effect.
    """

    run: RecordedRun
    accepts_changes: bool = False
    repeats_failures: bool = False
    repeats_doubts: bool = False


def users_journal() -> JournalFile:
    """Open the journal of the user.

    Raises:
        JournalError: If it cannot be opened.
    """
    return JournalFile(JournalFile.usual_path())


class RunRecorder:
    """Records a run, in the journal or in a store.

    Attributes:
        id: The unique id of the run.
        store: Where it is recorded.
        journal: The journal of its steps or items.
        resumed: The run that this one continues, if any.
    """

    def __init__(  # noqa: PLR0913 - all that a run is
        self,
        store: RunStore,
        id: str,
        tool: Tool,
        target: str,
        request: Mapping[str, Any],
        arguments: Mapping[str, Any],
        resumed: Resumed | None,
        *,
        version: str = "",
        schedule: str | None = None,
        begun: RecordedRun | None = None,
    ) -> None:
        """Record a new run, or continue a recorded one.

        Args:
            store: Where to record it.
            id: The unique id of a new run.
            tool: The tool to run.
            target: The target as the user wrote it.
            request: What is needed to run it again, as plain data.
            arguments: The arguments of the call, or those for all items.
            resumed: The run to continue, if any.
            version: The version of the tool's definition, the same on every machine.
            schedule: The schedule that starts the run, if any.
            begun: The run, if its schedule has started it before.

        Raises:
            Failure: If definitions have changed and changes are not accepted, or a store would have to keep a secret.
            JournalError: If the run cannot be recorded.
        """
        self.store, self.resumed = store, resumed
        self.id = id if resumed is None else resumed.run.id
        definition = definition_of(tool)
        if resumed is not None:
            check_unchanged(resumed.run, definition, accepts_changes=resumed.accepts_changes, more=store_option(store))
            self.journal = store.resume(resumed.run, definition, version)
            return
        if begun is not None:
            self.journal = store.journal(begun)
            return
        record = without_secrets(request, arguments)
        if store.url is not None and not record["is_whole"]:
            hint = "pass secrets to the workers instead, in their environment or configuration"
            raise Failure(ExitCode.USAGE, "the arguments contain a secret, and a store keeps no secrets", hint=hint)
        pipeline = pipeline_in(tool)
        is_batch = request.get("each") is not None
        self.journal = store.begin(
            self.id,
            target,
            tool.name,
            request=record | {"graph": console.redactor().data(graph_of(tool))},
            definition=definition,
            unit="items" if is_batch else "steps",
            of=None if is_batch or pipeline is None else len(pipeline.plan.steps),
            version=version,
            name=schedule,
        )

    @property
    def last_item(self) -> int:
        """The highest number of the recorded items of the run; 0 if there are none."""
        return 0 if self.resumed is None else self.store.last_item(self.resumed.run)

    def end(self, ending: Ending) -> None:
        """Record how the run ended; if it is incomplete, print what was done and how to continue."""
        error = ending.result.error
        with warnings_of_end(ending, self.store):
            self.store.finish(self.id, ending.state, console.redactor().text(error) if error else None)
        if ending.is_complete:
            return
        with suppress(JournalError):
            run = self.store.run(self.id)
            console.say(f"{run.counted} done; {how_to_continue(self.id, ending.pending, store_option(self.store))}")


@contextmanager
def warnings_of_end(ending: Ending, recorded: RunStore) -> Iterator[None]:
    """Print a warning if the end of a run cannot be recorded, unless the run ended because nothing could be."""
    try:
        yield
    except JournalError as failure:
        if ending.result.error_code != "journal":
            console.say(f"warning: the end of this run was not recorded: {failure}")
            shown = f"`toolkit runs list{store_option(recorded)}` shows the run as killed"
            console.say(f"hint: {'its results are complete, but ' if ending.is_complete else ''}{shown}")


def how_to_continue(run: str, pending: ApprovalPending | None, more: str = "") -> str:
    """Return a message about how to continue a run.

    Args:
        run: The id of the run.
        pending: The pending approvals, if any.
        more: Further options for the suggested commands.
    """
    go_on = f"continue with: toolkit runs resume {run}{more}"
    if pending is None:
        return go_on
    see = f"list pending approvals with: toolkit runs approvals {run}{more}"
    return f"{see}\nanswer with: toolkit runs decide {pending.ids[0]} approve{more}; then {go_on}"


def store_option(recorded: RunStore) -> str:
    """Return the option that names a store in a suggested command; empty if the command does not need one."""
    if recorded.url is None or os.environ.get(STORE_VARIABLE):
        return ""
    return f" --store {quote(recorded.url.shown)}"


def find_run(recorded: RunStore, name: str) -> RecordedRun:
    """Return the run with an id, or with an id that starts like this.

    Raises:
        Failure: If there is no such run, or more than one.
    """
    found = recorded.find(name) if name else []
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(run.id for run in found)
        raise Failure(ExitCode.USAGE, f"several runs begin with '{name}'", hint=f"use more of the id: {ids}")
    near = did_you_mean(
        name,
        [run.id for run in recorded.all()],
        otherwise=f"`toolkit runs list{store_option(recorded)}` shows all runs",
    )
    raise Failure(ExitCode.NOT_FOUND, f"there is no run '{name}'", hint=near)


def refuse_doubts(recorded: RunStore, run: RecordedRun) -> None:
    """Check that no step of a run may have taken effect without a recorded result.

    Raises:
        Failure: If there are such steps; lists all of them, with the flag that repeats them.
    """
    doubts = recorded.in_doubt(run)
    if doubts:
        hint = f"check what it did, then repeat it with: toolkit runs resume {run.id}{store_option(recorded)} --repeat"
        problems = [Problem("", _doubt(step.path, step.tool, step.status), hint=hint) for step in doubts]
        raise Failure(ExitCode.APPROVAL, problems=problems)


def _doubt(path: str, tool: str, status: str | None) -> str:
    if status == "ok":
        return f"'{path}' has run '{tool}', but its result contained secrets, which are not recorded"
    if status is None:
        return f"'{path}' was running '{tool}' when its process died: it may have completed"
    return f"'{path}' started '{tool}' and timed out: it may have taken effect"


def check_unchanged(run: RecordedRun, now: Mapping[str, str], *, accepts_changes: bool, more: str = "") -> None:
    """Check that the definitions are the same as when the run was started.

    Args:
        run: The run.
        now: The digests of its definition files now, by path.
        accepts_changes: Whether to accept changes.
        more: Further options for the suggested command.

    Raises:
        Failure: If files have changed and changes are not accepted; lists all of them.
    """
    before = run.definition
    changed = [file for file in {**before, **now} if before.get(file) != now.get(file)]
    if changed and not accepts_changes:
        hint = f"continue with the current files: toolkit runs resume {run.id}{more} --accept-changes"
        message = "this file has changed since the run was started; finished steps keep their results"
        problems = [Problem("", message, Location(_show(file)), hint=hint) for file in changed]
        raise Failure(ExitCode.APPROVAL, problems=problems)


def _show(file: str) -> str:
    return os.path.relpath(file) if Path(file).is_relative_to(Path.cwd()) else file


def without_secrets(request: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is needed to run something again, with secrets masked, and whether nothing was masked."""
    whole = {**request, "cwd": str(Path.cwd()), "arguments": json.loads(dumps(dict(arguments), default=str))}
    shown = console.redactor().data(whole)
    return {**shown, "is_whole": shown is whole}
