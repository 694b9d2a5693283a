"""Baselines: files of known findings, so that a check only fails for new ones.

A finding is identified by its code, file and message. Its line does not count, so a baseline stays valid when lines
move. For findings with the same identity, the baseline stores their number.
"""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple

from toolkit.codes import BAD_CONFIGURATION
from toolkit.documents.json_reading import json_data
from toolkit.errors import ConfigurationError
from toolkit.lint.configuration.settings import read_lint_settings
from toolkit.lint.configuration.suppressions import silence, suppressions_elsewhere
from toolkit.lint.engine.file_states import digest
from toolkit.problems import Location, Problem
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.regular_files import bounded_bytes
from toolkit.replacing import followed, overwrite_same_kind
from toolkit.settings.configuration import Configuration
from toolkit.visibility import visible_json

_LARGEST = 16 * 1024 * 1024
_MARK, _FORMAT = "toolkit-lint-baseline", 1


class Key(NamedTuple):
    """The identity of a finding."""

    file: str
    code: str
    message: str


class Compared(NamedTuple):
    """The result of comparing findings with a baseline.

    Attributes:
        new: Findings that are not in the baseline.
        known: The number of findings that are in the baseline.
        gone: The number of findings in the baseline that no longer occur.
    """

    new: list[Problem]
    known: int
    gone: int


def key_of(problem: Problem, directory: Path, redactor: Redactor) -> Key:
    """Return the identity of a finding, with secrets masked; its file is relative to the directory, with slashes."""
    file = problem.location.file if problem.location else ""
    try:
        name = PurePath(Path(file).absolute().relative_to(directory.absolute())).as_posix() if file else ""
    except ValueError:
        name = PurePath(file).as_posix()
    return Key(name, problem.code, redactor.text(problem.message))


def fingerprints(problems: Iterable[Problem]) -> list[str]:
    """Return a unique string for each finding that does not change when lines move."""
    seen: Counter[Key] = Counter()
    found = []
    redactor = redactor_of_environment()
    for problem in problems:
        key = key_of(problem, Path.cwd(), redactor)
        seen[key] += 1
        found.append(digest("\0".join([*key, str(seen[key])]).encode(errors="backslashreplace")))
    return found


def compare(problems: Iterable[Problem], file: Path) -> Compared:
    """Compare findings with a baseline.

    Raises:
        ConfigurationError: If the file does not exist or is not a baseline.
    """
    known = _read(file)
    left = Counter(known)
    new = []
    redactor = redactor_of_environment()
    for problem in problems:
        key = key_of(problem, file.parent, redactor)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(problem)
    gone = left.total()
    return Compared(new, known.total() - gone, gone)


def reported(problems: Iterable[Problem], configuration: Configuration) -> list[Problem]:
    """Return the findings of another command that `toolkit lint` would report, too.

    The settings of the project select them, and no comment, no pattern for files and no baseline excludes them.
    """
    settings, _ = read_lint_settings(configuration)
    wanted = [problem for problem in problems if settings.wants(problem.code)]
    left = silence(wanted, suppressions_elsewhere(wanted, ())).problems
    left = [problem for problem in left if not settings.ignores(problem)]
    with suppress(ConfigurationError):  # a check reports a baseline that cannot be read
        return left if settings.baseline is None else compare(left, settings.baseline).new
    return left


def write_baseline(problems: Iterable[Problem], file: Path, *, beneath: Path | None = None) -> None:
    """Write findings to a baseline, as sorted JSON that suits people and version control.

    Args:
        problems: The findings.
        file: The baseline.
        beneath: The folder that must contain the file, if the project's settings name it.

    Raises:
        OSError: If the file cannot be written, or exists and is not a baseline.
    """
    redactor = redactor_of_environment()
    counts = Counter(key_of(problem, file.parent, redactor) for problem in problems)
    findings = [
        {"file": key.file, "code": key.code, "message": key.message, "count": count}
        for key, count in sorted(counts.items())
    ]
    if beneath is None:
        followed(file).parent.mkdir(parents=True, exist_ok=True)
    text = visible_json({_MARK: _FORMAT, "findings": findings}, indent=2)
    overwrite_same_kind(file, f"{text}\n".encode(), _MARK, "a baseline", beneath=beneath)


def _read(file: Path) -> Counter[Key]:
    place, reason = Location(str(file)), "it was not written by --update-baseline"
    try:
        data = json_data(bounded_bytes(file, most=_LARGEST).decode("utf-8"), str(file))
        if isinstance(data, Problem):
            place, reason = data.location or place, data.message
        findings = {_FORMAT: data["findings"]}[data[_MARK]]
        return Counter(
            {Key(str(one["file"]), str(one["code"]), str(one["message"])): int(one["count"]) for one in findings}
        )
    except FileNotFoundError:
        message, hint = f"there is no baseline '{file}'", "write one with --update-baseline"
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or reason
        message, hint = f"the baseline '{file}' cannot be read: {reason}", "rewrite it with --update-baseline"
    raise ConfigurationError(problems=[Problem(BAD_CONFIGURATION, message, place, hint=hint)])
