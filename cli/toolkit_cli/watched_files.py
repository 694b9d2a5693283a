"""Detects changes of a project's files, and runs a check again after each, until Ctrl-C."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import sleep

from toolkit.errors import ConfigurationError
from toolkit.sources.modules import users_modules
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, report

INTERVAL = 0.3
_SUFFIXES = (".py", ".yaml", ".yml", ".toml", ".json", ".md")
_MOST_FILES = 5_000

Stamp = Mapping[str, tuple[int, int]]
"""Modification time in nanoseconds and size in bytes, by file."""


def wait_for_change(targets: Sequence[str], known: Stamp) -> None:
    """Wait until files differ from a stamp and are no longer being written."""
    while (now := stamp_of(targets)) == known:
        sleep(INTERVAL)
    while now != (later := stamp_after_a_while(targets)):
        now = later


def stamp_after_a_while(targets: Sequence[str]) -> Stamp:
    """Wait a moment, then return the stamp of the files."""
    sleep(INTERVAL / 3)
    return stamp_of(targets)


def stamp_of(targets: Sequence[str]) -> Stamp:
    """Return the stamp of all watched files."""
    stamp = {}
    for count, file in enumerate(_files(targets)):
        if count >= _MOST_FILES:
            break
        try:
            status = os.stat(file)  # noqa: PTH116 - creating a Path for each file would take most of the time
        except OSError:
            continue
        stamp[file] = (status.st_mtime_ns, status.st_size)
    return stamp


def _files(targets: Sequence[str]) -> Iterator[str]:
    """Yield the files to watch: imported modules, settings, and files next to the targets."""
    yield from (str(module.__file__) for module in users_modules().values())
    for name in ("toolkit.toml", "pyproject.toml"):
        yield str(Path.cwd() / name)
    for target in targets:
        path = Path(target if Path(target).exists() else target.rpartition(":")[0])
        if path.is_dir():
            yield from _files_in(path)
        elif path.is_file():
            yield from (str(file) for file in path.parent.iterdir() if file.suffix in _SUFFIXES)


def _files_in(folder: Path) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        yield from (os.path.join(place, name) for name in files if name.endswith(_SUFFIXES))  # noqa: PTH118


def watch(paths: Sequence[str], check: Callable[[], ExitCode]) -> ExitCode:
    """Check now and after each change, and return the exit code of the last check.

    Args:
        paths: The paths to check and watch.
        check: Runs a check, and prints the findings.
    """
    watched = list(paths) or ["."]
    while True:
        known = stamp_of(watched)
        code = _check(check)
        try:
            console.say("watching for changes; press Ctrl-C to stop")
            wait_for_change(watched, known)
        except KeyboardInterrupt:
            return code
        console.say()


def _check(check: Callable[[], ExitCode]) -> ExitCode:
    """Run a check; report invalid settings instead of ending the command."""
    try:
        return check()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
        return ExitCode.FINDINGS
