"""Runs a case as `toolkit run` would, in a folder, with prepared answers and stubs; and compares what happened."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from toolkit.agents.kinds import CLOSED
from toolkit.approvals.decisions import Decision, ExitEarly, ReviewRequest
from toolkit.approvals.gates import Gate
from toolkit.approvals.reviewers import ScriptedReviewer
from toolkit.cases.case import Answer, Case, CaseResult
from toolkit.cases.cassettes import Cassette
from toolkit.cases.expectations import Happened, Made, failure_of
from toolkit.cases.stubs import unknown_tools, with_stubs
from toolkit.codes import DEFINITION_DRIFT
from toolkit.errors import ConfigurationError
from toolkit.events import Event, as_record
from toolkit.json_texts import text_of
from toolkit.pins.drifts import in_short
from toolkit.problems import Problem, errors_among, set_missing_locations
from toolkit.runs.run import Run
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.secret_arguments import learn_arguments
from toolkit.wrappers.limits import budgeted
from toolkit.wrappers.timing import TimedTool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.answer_sources import policy_of_files
from toolkit_cli.running.opened_tools import open_one
from toolkit_cli.running.tool_calls import Ending, ending_of
from toolkit_cli.testing.case_targets import absolute, from_folder
from toolkit_cli.testing.choices import NOTHING_SAID, Asking, choose, data_of, search
from toolkit_cli.testing.process_exits import ProcessExit, caught_exits

if TYPE_CHECKING:
    from toolkit.settings.configuration import Configuration

_NEVER_RUN = {"rejected", "invalid_arguments", CLOSED}
"""The codes of calls that ended before the tool was called."""


class ForeseenAnswers(ScriptedReviewer):
    """Answers each question with the next answer for its tool; a question that nobody foresaw ends the run.

    Attributes:
        requests: The questions so far.
        unforeseen: The questions without an answer.
        left: The answers that were not needed yet.
    """

    def __init__(self, answers: "tuple[Answer, ...]" = ()) -> None:
        """Create the reviewer from answers, each for one question."""
        super().__init__(())
        self.left = list(answers)
        self.unforeseen: list[ReviewRequest] = []

    async def review(self, request: ReviewRequest) -> Decision:
        """Record the question, and return the answer."""
        self.requests.append(request)
        found = next((one for one in self.left if one.tool.text == request.risk.tool), None)
        if found is None:
            self.unforeseen.append(request)
            return ExitEarly("nobody foresaw this question")
        self.left.remove(found)
        return found.decision


class CaseRunner:
    """Runs cases one after another; a target is opened once for all cases that run in the folder of their file."""

    def __init__(self, configuration: "Configuration", asking: Asking = NOTHING_SAID) -> None:
        """Create the runner with the configuration of the project."""
        self._configuration = configuration
        self._asking = asking
        self._cassette_of = cache(Cassette)
        self._opened: dict[tuple[str, str, str | None], Tool] = {}

    def run(self, case: Case) -> CaseResult:
        """Run a case, and compare what happened with what it expects."""
        started = perf_counter()
        try:
            if case.is_choice:
                return self._choice(case)
            happened = search(case, self._configuration) if case.tools else self.happened(case)
        except Failure as failure:
            return _broken(case, failure.problems, started)
        except ConfigurationError as error:
            return _broken(case, error.problems or (Problem("", str(error)),), started)
        except ProcessExit as ending:
            return CaseResult((ending.problem(case.name.text, case.run.location),), seconds=perf_counter() - started)
        problem = failure_of(case, happened)
        seconds = perf_counter() - started
        if problem is None:
            return CaseResult(seconds=seconds)
        output = console.redactor().data(happened.output) if case.snapshot is not None else None
        return CaseResult((problem,), seconds=seconds, output=output, is_outdated=_is_outdated(case, happened))

    def _choice(self, case: Case) -> CaseResult:
        """Return the result of a case that asks a model; a recorded reply to another definition is a warning.

        Raises:
            Failure: If the tools cannot be opened, or the model does not answer.
            ConfigurationError: If the model, or its cassette, cannot be opened.
        """
        chosen = choose(case, self._configuration, self._asking, self._cassette_of, self.happened)
        is_strict = self._asking.strict
        stale = tuple(
            Problem(
                DEFINITION_DRIFT,
                f"{case.title}: its recorded reply is stale: '{one.name}': {in_short(one.changes)}",
                case.name.location,
                severity="error" if is_strict else "warning",
                hint="`toolkit test` with `--record` asks the model again",
            )
            for one in chosen.drifts
        )
        failure = failure_of(case, chosen.happened)
        problems = (() if failure is None else (failure,)) + (stale if is_strict else ())
        result = CaseResult(problems, seconds=chosen.happened.seconds, choice=chosen.choice, recorded=chosen.recorded)
        return result if is_strict else result._replace(warnings=stale)

    def happened(self, case: Case, agent: Tool | None = None, *, answers: ForeseenAnswers | None = None) -> Happened:
        """Run a case, and return what happened.

        Args:
            case: The case.
            agent: What is run instead of its target.
            answers: Answers questions; by default, with the answers of the case.

        Raises:
            Failure: If it cannot be run.
            ConfigurationError: If the configuration is invalid.
            ProcessExit: If a tool tries to end the process.
        """
        with _folder_of(case) as folder, redirect_stdout(sys.stderr), caught_exits():
            tool = self._stubbed(case, agent or self._opened_target(case))
            arguments = _arguments(case, tool)
            learn_arguments(console.redactor(), tool, arguments)
            events = list[Event]()
            wants_events = (
                bool(case.expect.events) or answers is not None
            )  # redacting them takes longer than most calls
            answers, run = answers or ForeseenAnswers(case.answers), Run()
            targets = [one.text for one in (case.tools if case.is_choice else (case.run,))]
            gate = Gate(answers, policy_of_files(self._configuration, targets), timeout=None)
            context = ToolContext(
                self._configuration.context,
                gate=gate,
                run=run,
                listener=events.append if wants_events else None,
                redactor=console.redactor(),
                result_tokens=self._configuration.result_tokens,
            )
            started = perf_counter()
            ending = ending_of(lambda: tool.run(arguments, context))
            seconds = perf_counter() - started
            files = {name: _text_of(folder / name) for name in case.expect.files or ()}
        return _described(ending, answers, run)._replace(
            target=tool.name, inputs=arguments, files=files, events=tuple(map(as_record, events)), seconds=seconds
        )

    def _opened_target(self, case: Case) -> Tool:
        model = case.model and from_folder(case.model.text, case.file.parent)
        key = (case.run.text, case.location.file, model)
        tool = None if case.has_folder else self._opened.get(key)
        if tool is None:
            configuration = self._configuration._replace(chosen_model=model) if model else self._configuration
            target = absolute(case.run.text, case.folder)
            tool = open_one(target, configuration, None, "a case runs one of them", warn=False)
            if not case.has_folder:
                self._opened[key] = tool
        return tool

    def _stubbed(self, case: Case, tool: Tool) -> Tool:
        """Return what is run with its stubs, and the limits of its result and its time.

        Raises:
            Failure: If a stub does not fit, or the case names a tool that is never called.
        """
        names = [*case.expect.no_calls, *(one.name for one in (case.is_choice and case.expect.calls) or ())]
        problems = unknown_tools(tool, names) if names else []
        tool, more = with_stubs(tool, case.stubs)
        problems += more
        if errors_among(problems):
            raise Failure(ExitCode.USAGE, problems=problems)
        tool = budgeted(tool, self._configuration.result_tokens)
        seconds = case.expect.within.time
        return tool if seconds is None else TimedTool(tool, seconds)


def _described(ending: Ending, answers: ForeseenAnswers, run: Run) -> Happened:
    result, spent = ending.result, run.spent
    return Happened(
        output=result.output if result.structured is None else result.structured,
        text=result.output,
        error=result.error,
        code=result.error_code,
        failure=ending.problem,
        exit_code=int(ending.exit_code),
        calls=tuple(Made(one.tool, data_of(one.arguments)) for one in run.calls if one.error_code not in _NEVER_RUN),
        asked=tuple(map(_asked, answers.requests)),
        unforeseen=tuple(map(_asked, answers.unforeseen)),
        unused=tuple(one.tool.text for one in answers.left),
        tokens=spent.tokens or 0,
        cost=spent.cost or 0.0,
    )


def _asked(request: ReviewRequest) -> Made:
    shown = (request.text, request.preview, None if request.show is None else text_of(request.show))
    return Made(request.risk.tool, request.arguments, "\n".join(filter(None, shown)))


def _is_outdated(case: Case, happened: Happened) -> bool:
    """Return whether a case would pass if its snapshot were rewritten."""
    if case.snapshot is None or happened.error is not None:
        return False
    expect = case.expect._replace(output=None)
    return failure_of(case._replace(expect=expect, snapshot=None), happened) is None


def _broken(case: Case, problems: "tuple[Problem, ...]", started: float) -> CaseResult:
    placed = set_missing_locations(problems, case.run.location)
    named = tuple(replace(one, message=f"{case.title}: {one.message}") for one in placed)
    return CaseResult(named, is_broken=True, seconds=perf_counter() - started)


@contextmanager
def _folder_of(case: Case) -> Iterator[Path]:
    """Work in the folder of a case: that of its file, or an empty one with its files."""
    if not case.has_folder:
        folder = case.base or _parent_of(case.location.file)
        here = os.getcwd()  # noqa: PTH109 - a path takes longer than most calls
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(here)
        return
    with TemporaryDirectory(prefix="toolkit-case-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for path, text in (case.files or {}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8", newline="")
        with chdir(folder):
            yield folder


@cache
def _parent_of(file: str) -> Path:
    return Path(file).parent


def _text_of(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace") if path.is_file() else None
    except OSError:
        return None


def _arguments(case: Case, tool: Tool) -> Mapping[str, Any]:
    """Return the arguments of a case; a text is that of the only parameter.

    Raises:
        Failure: If there is a text, but several parameters.
    """
    if not isinstance(case.arguments, str):
        return case.arguments or {}
    names = tool.spec.required or tuple(tool.spec.properties)
    if len(names) != 1:
        message = f"'{tool.name}' has {len(names)} parameters, so 'with' must be a mapping"
        raise Failure(ExitCode.USAGE, message, hint=f"they are {', '.join(names)}" if names else None)
    return {names[0]: case.arguments}
