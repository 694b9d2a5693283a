"""The child process that opens users' files one after another and describes the tools in them.

It reads one JSON object per line and answers each with one. User code cannot reach this channel: its standard output
goes to standard error, and its standard input is empty. The first line sets the process up; `workers` writes it.
"""

import faulthandler
import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from errno import EBADF
from functools import lru_cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TextIO

import toolkit
from toolkit.codes import NOT_A_TOOL
from toolkit.lint.engine.records import read_configuration
from toolkit.lint.engine.trails import FollowedOpener, Trail
from toolkit.problems import Problem, problem_record, read_problem
from toolkit.source_code.module_files import is_installed
from toolkit.sources.opening import SourceOpener
from toolkit.tools.base import Tool
from toolkit.tools.calls.foreign_values import describe_error, kind_of
from toolkit.tools.definition.spec import ToolSpec, record_of
from toolkit.tools.kinds.resolution import place_of_thing
from toolkit.tools.origins import function_of

if TYPE_CHECKING:
    from toolkit.pipelines.plans import Plan, PlannedStep
    from toolkit.pipelines.tainting import Taint


class Channel(NamedTuple):
    """A child's end of the channel to its parent.

    Attributes:
        questions: The requests of the parent, one JSON object per line.
        answers: The stream for answers.
        setup: The first line: what the child needs before any request.
        crash: The file for the traceback of a crash.
    """

    questions: TextIO
    answers: TextIO
    setup: dict[str, Any]
    crash: TextIO

    @classmethod
    def take(cls) -> "Channel":
        """Reserve standard input and output for the channel, limit the memory, and record crashes.

        This also turns off writing bytecode, so that folders that are checked stay unchanged, and Python never mistakes
        a file that changes twice within a second for its earlier version.

        Raises:
            SystemExit: If the parent has closed the channel without a request.
        """
        sys.dont_write_bytecode = True
        questions, answers = _taken_streams()
        first = questions.readline()
        if not first:
            raise SystemExit
        setup = json.loads(first)
        _limit_memory(setup["memory"])
        crash = Path(setup["crash_file"]).open("w")  # noqa: SIM115 - it stays open to the very end
        faulthandler.enable(crash)
        return cls(questions, answers, setup, crash)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield each request. Until `rest` is called, the process ends after the time that the parent allows."""
        for line in self.questions:
            request = json.loads(line)
            seconds = request.get("seconds", self.setup["seconds"])
            faulthandler.dump_traceback_later(seconds, exit=True, file=self.crash)
            yield request

    def rest(self) -> None:
        """Stop the timeout of the current request."""
        faulthandler.cancel_dump_traceback_later()

    def answer(self, text: str) -> None:
        """Send the answer to the current request."""
        print(self.setup["mark"] + text, file=self.answers, flush=True)


def _taken_streams() -> tuple[TextIO, TextIO]:
    """Return the streams of the channel, and keep code in this process from using or inheriting them."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _close(requests, answers))
    return requests, answers


def _close(*streams: TextIO) -> None:
    for stream in streams:
        os.close(stream.fileno())


def _limit_memory(size: int) -> None:
    """Make excessive allocations fail with a MemoryError, which has a location, where the system supports it."""
    try:
        import resource  # not every system has it
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with suppress(OSError, ValueError):  # some systems have the limit but refuse to set it
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def leaves_threads() -> bool:
    """Return whether another thread is running the user's code; threads of libraries do not count."""
    own = threading.get_ident()
    others = (frame for thread, frame in sys._current_frames().items() if thread != own)  # noqa: SLF001 - documented
    return any(_is_in_own_code(frame) for frame in others)


def _is_in_own_code(frame: FrameType | None) -> bool:
    while frame is not None:
        if not is_installed(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Answer requests until the channel is closed."""
    channel = Channel.take()
    setup = channel.setup
    leave_a_trace_on_exit(channel.crash)
    refused = {file: read_problem(record) for file, record in setup["refused"].items()}
    trail = Trail() if setup["keeps_trail"] else None
    configuration = read_configuration(setup["configuration"])
    if trail is None:
        opener = SourceOpener(configuration, refused, looks=True)
    else:
        opener = FollowedOpener(configuration, refused, trail)
    state = _State.now()
    try:
        for request in channel.requests():
            answer = _examine(opener, request, trail)
            channel.rest()
            state.restore()
            channel.answer(json.dumps({**answer, "leaves_threads": leaves_threads()}))
    except OSError as error:
        if error.errno != EBADF:
            raise
        os._exit(1)  # a file closed the channel


def leave_a_trace_on_exit(crash: TextIO) -> None:
    """Record a traceback before `os._exit`, which cannot be caught."""
    leave, own = os._exit, os.getpid()

    def leave_with_trace(status: int) -> NoReturn:
        if os.getpid() == own:
            faulthandler.dump_traceback(crash, all_threads=False)
        leave(status)

    os._exit = leave_with_trace


_kept: list[Tool] = []
"""Every tool so far, since the id of an object is only unique while the object exists."""

_KEPT = {"toolkit", "builtins", "json"}


class _State(NamedTuple):
    """The state of the process that a file may change and that would affect the next file."""

    directory: str
    path: list[str]
    depth: int
    names: tuple[tuple[dict[str, Any], dict[str, Any]], ...]
    face: dict[str, Any]

    @classmethod
    def now(cls) -> "_State":
        ours = [vars(module) for name, module in sys.modules.items() if name.partition(".")[0] in _KEPT]
        names = tuple((known, dict(known)) for known in ours)
        return cls(os.getcwd(), list(sys.path), sys.getrecursionlimit(), names, dict(vars(toolkit)))  # noqa: PTH109 - a Path has no advantage here

    def restore(self) -> None:
        os.chdir(self.directory)
        sys.path[:] = self.path
        sys.setrecursionlimit(self.depth)
        for known, before in self.names:
            known.update(before)
        for name in vars(toolkit).keys() - self.face.keys():
            if not isinstance(vars(toolkit)[name], ModuleType):  # lazy names of the face can be loaded again
                delattr(toolkit, name)


def _examine(opener: SourceOpener, request: Mapping[str, str], trail: Trail | None) -> dict[str, Any]:
    if trail is not None:
        trail.begin()
    opener.permission.reset_counts()
    if request["accepted"]:
        opener.permission.accept(request["accepted"])
    found = opener.open(request["target"], Path(request["base"]))
    _kept.extend(found.tools)
    problems, tools = [problem_record(problem) for problem in found.problems], []
    for tool in found.tools:
        record = _record_or_problem(tool)
        if isinstance(record, Problem):
            problems.append(problem_record(record))
        else:
            tools.append(record)
    read, imported = opener.permission.files
    needs = trail.end() if trail is not None else None
    return {"problems": problems, "tools": tools, "needs": needs, "read": read, "imported": imported}


def _record_or_problem(tool: Tool) -> dict[str, Any] | Problem:
    """Return a tool as plain data, or why that is impossible: its own code may return anything."""
    try:
        record = _tool_record(tool)
        json.dumps(record, allow_nan=False)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - see the docstring
        message = f"the specification of an object of type {kind_of(tool)!r} cannot be read: {describe_error(error)}"
        return Problem(NOT_A_TOOL, message, place_of_thing(tool))
    return record


def _tool_record(tool: Tool) -> dict[str, Any]:
    """Return the definition and origin of a tool, without any expensive work."""
    function = function_of(tool)
    code = getattr(function, "__code__", None)
    plan = _plan_of(tool)
    return {
        "spec": _spec_record(tool.spec),
        "identity": id(tool),
        "definition": code and (_real_path(code.co_filename), code.co_firstlineno, code.co_name),
        "framework": tool.framework,
        "steps": None if plan is None else _records_of_plan(plan),
    }


def _spec_record(spec: ToolSpec) -> dict[str, Any]:
    """Return a specification as plain data that needs no validation, also if its class is the user's own."""
    return record_of(spec if type(spec) is ToolSpec else ToolSpec.from_json(record_of(spec)))


_real_path = lru_cache(maxsize=256)(os.path.realpath)  # a file may have many tools, and does not move


def _plan_of(tool: Tool) -> "Plan | None":
    """Return the plan of a pipeline; None for other tools, or if the pipelines module is not imported."""
    room = sys.modules.get("toolkit.pipelines.pipeline")
    return tool.plan if room is not None and isinstance(tool, room.Pipeline) else None


def _records_of_plan(plan: "Plan") -> list[dict[str, Any]]:
    from toolkit.pipelines.tainting import taints_of  # most projects have no pipelines

    taints = taints_of(plan)
    return [*_steps_of(plan.steps, taints), *_steps_of(plan.on_failure, taints)]


def _steps_of(
    steps: Iterable["PlannedStep"], taints: Mapping[str, tuple["Taint", ...]], *, is_concurrent: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the fields of a `PipelineStep` for each step, with the tool as its record."""
    for step in steps:
        definition = step.definition
        yield {
            "path": step.path,
            "kind": step.kind,
            "location": definition.location,
            "tool": None if step.tool is None else record_of(step.tool.spec),
            "feed": step.feed and step.feed.parameter,
            "asks": definition.approval is not None,
            "attempts": definition.retry and definition.retry.attempts,
            "timeout": definition.timeout,
            "max_parallel": definition.each and definition.each.max_parallel,
            "on_error": step.on_error if isinstance(step.on_error, str) else "fallback",
            "is_concurrent": is_concurrent,
            "taints": taints.get(step.path, ()),
            "call": None if step.tool is None else _call_of(step, step.tool),
        }
        for inner in step.branches.values():
            yield from _steps_of(inner, taints, is_concurrent=True)


def _call_of(step: "PlannedStep", tool: Tool) -> tuple[Any, ...]:
    """Return the fields of the `StepCall` of a step."""
    from toolkit.pipelines.step_definitions import Use  # most projects have no pipelines
    from toolkit.pipelines.templated_data import ConstantValue

    action = step.definition.action
    written = action.arguments.entries if isinstance(action, Use) and action.arguments is not None else {}
    known = {
        name: value.data
        for name, value in written.items()
        if isinstance(value, ConstantValue) and isinstance(value.data, str | int) and name not in tool.hidden_parameters
    }
    piped = [] if step.feed is None else [step.feed.parameter]
    unknown = None if None in piped else [*(name for name in written if name not in known), *piped]
    return known, unknown, sorted(tool.flows), tool.uses.get("base")
