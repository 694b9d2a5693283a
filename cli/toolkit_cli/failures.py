"""Turns exceptions into error messages and exit codes; the only place that catches everything."""

import os
import platform
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import typer

from toolkit import errors
from toolkit.codes import BROKEN_DOCUMENT, CONSENT_MISSING, NOT_FOUND, SERVER_UNREACHABLE
from toolkit.problems import Problem, did_you_mean, errors_among
from toolkit.releases import __version__
from toolkit.settings.configuration_search import find_configuration
from toolkit.tools.calls.foreign_values import describe_error
from toolkit_cli import console

if TYPE_CHECKING:
    from toolkit.sources.import_permissions import FileCounts


_MOST_WARNINGS = 5
"""Maximum number of warnings of one kind about a file, in commands other than lint."""


class ExitCode(IntEnum):
    """The exit code of a command."""

    SUCCESS = 0
    FINDINGS = 1
    USAGE = 2
    APPROVAL = 3
    NOT_FOUND = 4
    TIMED_OUT = 5
    OUR_BUG = 70
    INTERRUPTED = 130


class Failure(Exception):
    """Ends a command with an exit code and at least one problem."""

    def __init__(
        self, exit_code: ExitCode, message: str = "", *, hint: str | None = None, problems: Sequence[Problem] = ()
    ) -> None:
        """Create the failure from problems, or from a single message and hint."""
        self.exit_code = exit_code
        self.problems = tuple(problems) or (Problem("", message, hint=hint),)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def end_at_errors(problems: Sequence[Problem]) -> None:
    """End the command and report all problems if one of them is an error.

    Raises:
        Failure: If there are errors; its exit code depends on them.
    """
    if errors_among(problems):
        raise Failure(code_for(problems), problems=problems)


def refuse(problems: Sequence[Problem]) -> None:
    """End the command with exit code 2 if there are problems with the command line.

    Raises:
        Failure: If there are problems; reports all of them.
    """
    if problems:
        raise Failure(ExitCode.USAGE, problems=problems)


def cannot_write(file: object, error: OSError) -> Failure:
    """Return the failure for a file that cannot be written."""
    reason = error.strerror or str(error)
    return Failure(ExitCode.USAGE, f"cannot write '{file}': {reason[:1].lower()}{reason[1:]}")


def exit_code_of(work: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run a command, and return its exit code; exceptions are reported on stderr.

    Args:
        work: Runs the command, and returns an exit code, or `None` for success.
        arguments: The command line, which decides how failures are reported.
    """
    try:
        ended_with = work()
    except typer.Exit as ending:
        return ending.exit_code
    except (KeyboardInterrupt, typer.Abort):
        console.say("interrupted")
        return ExitCode.INTERRUPTED
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the only place that catches everything
        return _report_error(error, arguments)
    return ended_with if isinstance(ended_with, int) else ExitCode.SUCCESS


def code_for(problems: Iterable[Problem]) -> ExitCode:
    """Return the exit code for problems with the targets or options of a command."""
    grave = errors_among(problems)
    if not grave:
        return ExitCode.SUCCESS
    codes = {_CODES.get(problem.code, ExitCode.USAGE) for problem in grave}
    return codes.pop() if len(codes) == 1 else ExitCode.USAGE


_CODES = {NOT_FOUND: ExitCode.NOT_FOUND, CONSENT_MISSING: ExitCode.APPROVAL, SERVER_UNREACHABLE: ExitCode.NOT_FOUND}


def report(
    problems: Sequence[Problem],
    exit_code: int = ExitCode.SUCCESS,
    *,
    as_json: bool = False,
    files: "FileCounts | None" = None,
) -> None:
    """Report problems on stderr, with source excerpts or as one JSON object.

    As text, warnings about pipelines and agents are only counted, with the command that shows them: they belong to
    `toolkit lint`, and would be repeated by every command that opens the file. Of other warnings, a few of each kind
    are shown. Those that the settings of lint exclude are left out.

    Args:
        problems: The problems.
        exit_code: The exit code of the command.
        as_json: Whether to write JSON.
        files: How many files were read and imported; reported if there are several, or if some were not imported.
    """
    problems = _without_excluded(problems)
    counts = files if files is not None and (files.read > 1 or files.read != files.imported) else None
    if not problems and counts is None:
        return
    from toolkit_cli.rendering import problem_texts as rendering  # only problems need it

    if as_json:
        console.say(rendering.as_json_object(problems, exit_code, counts))
        return
    findings = [problem for problem in problems if _is_finding(problem)]
    if others := [problem for problem in problems if not _is_finding(problem)]:
        shown = rendering.as_text(
            others, colour=console.stderr_has_colour(), width=console.width(), most_warnings=_MOST_WARNINGS
        )
        console.say(shown)
    if findings:
        console.say(rendering.counted_findings(findings))
    if counts is not None:
        console.say(rendering.counted_files(counts))


def _without_excluded(problems: Sequence[Problem]) -> Sequence[Problem]:
    """Return the problems without the findings that `toolkit lint` would not report in this project."""
    if not (findings := list(filter(_is_finding, problems))):
        return problems
    from toolkit.lint.changes.baselines import reported  # few commands have findings

    kept = reported(findings, find_configuration()[0])
    return [problem for problem in problems if problem in kept or not _is_finding(problem)]


def _is_finding(problem: Problem) -> bool:
    """Return whether a problem is a warning about a file, in which `toolkit lint` finds it too."""
    return problem.severity == "warning" and problem.code.startswith(_OF_FILES) and problem.location is not None


_OF_FILES = BROKEN_DOCUMENT[:3]  # all codes of pipelines and agents begin like this one


def _report_error(error: BaseException, arguments: Sequence[str]) -> int:
    """Report an exception, and return the exit code."""
    if _asks_for_traceback(arguments):
        console.say("".join(traceback.format_exception(error)))
    exit_code, problems = _judge(error)
    report(problems, exit_code, as_json=_asks_for_json(arguments))
    if exit_code == ExitCode.OUR_BUG and not _asks_for_json(arguments):
        console.say(f"\n{_bug_report(error, arguments)}")
    return exit_code


def _judge(error: BaseException) -> tuple[ExitCode, tuple[Problem, ...]]:
    match error:
        case Failure():
            return error.exit_code, error.problems
        case typer.TyperException():
            return ExitCode.USAGE, (_usage_problem(error),)
        case errors.ConfigurationError(problems=problems) if problems:
            return code_for(problems), problems
        case errors.ConfigurationError() | errors.ToolArgumentsError():
            return ExitCode.USAGE, (Problem("", str(error)),)
        case errors.ExitEarlyError(interrupted=True):
            return ExitCode.INTERRUPTED, (Problem("", str(error)),)
        case errors.ExitEarlyError():
            return ExitCode.APPROVAL, (Problem("", str(error)),)
        case errors.ToolkitError():
            return ExitCode.FINDINGS, (Problem("", str(error)),)

    message = f"internal error: {describe_error(error)}"
    return ExitCode.OUR_BUG, (Problem("", message, hint="this is a bug in toolkit: please report it"),)


def _usage_problem(error: typer.TyperException) -> Problem:
    possibilities = getattr(error, "possibilities", None)
    message = (error.message if possibilities else error.format_message()).rstrip(".")
    message, _, _ = message.partition(". Choose from:")  # the name of the argument lists the choices
    message = message.replace("a valid int range", "a whole number")
    if superfluous := re.fullmatch(_SUPERFLUOUS, message):
        message = f"unexpected argument '{superfluous[1]}'"
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else None
    unknown = getattr(error, "option_name", "").lstrip("-")
    if possibilities:  # Typer's suggestions are too broad, since the dashes count as similarity
        hint = did_you_mean(unknown, [name.lstrip("-") for name in possibilities], before="--", otherwise=hint)
    if mistyped := re.fullmatch(_NO_CHOICE, error.message):
        choices = re.findall(_CHOICE, mistyped[2])
        maker = _MAKERS.get(mistyped[1])
        hint = f"did you mean '{maker}'?" if maker in choices else did_you_mean(mistyped[1], choices, otherwise=hint)
    if unknown and context and any(parameter.name == "words" for parameter in context.command.params):
        hint = f"for an argument of the tool, write {unknown}=…; otherwise, {hint}"
    return Problem("", message[:1].lower() + message[1:], hint=hint)


_SUPERFLUOUS = r"(?s)Got unexpected extra argument\S* \((.*)\)"
_NO_CHOICE = r"(?s)'(.*)' is not one of (.*)\."
_CHOICE = r"'([^']*)'"
_MAKERS = {"claude": "anthropic", "gpt": "openai", "chatgpt": "openai", "google": "gemini", "aws": "bedrock"}
"""Names of models and companies, and the choice that belongs to them."""


def _bug_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Return the details for a bug report, without any values from the command line."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES_REPORTED:]
    return "\n".join(
        [
            "--- report ---",
            f"toolkit {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
            f"command: {_without_values(arguments)}",
            f"raised: {type(error).__name__}",
            *(f"  {_tail(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames),
            "--- end ---",
        ]
    )


_FRAMES_REPORTED = 8
_PARTS_SHOWN = 3


def _tail(path: str) -> str:
    return "/".join(path.replace("\\", "/").split("/")[-_PARTS_SHOWN:])


def _without_values(arguments: Sequence[str]) -> str:
    named = [name for name in arguments[:1] if f"toolkit_cli.commands.{name}" in sys.modules]
    rest = [_option_or_dots(argument) for argument in arguments[len(named) :]]
    return " ".join(["toolkit", *named, *rest])


def _option_or_dots(argument: str) -> str:
    name, equals, _ = argument.partition("=")
    if not name.startswith("--"):
        return "…"
    return f"{name}={'…'}" if equals else name


def _asks_for_traceback(arguments: Sequence[str]) -> bool:
    return "--debug" in arguments or os.environ.get("TOOLKIT_DEBUG", "") not in {"", "0", "false"}


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Return whether failures are reported as JSON; also works for arguments that cannot be parsed."""
    chosen = [value for name, value in pairwise(arguments) if name == "--format"]
    chosen += [argument.removeprefix("--format=") for argument in arguments if argument.startswith("--format=")]
    return bool(chosen) and chosen[-1] in {"json", "jsonl"}
