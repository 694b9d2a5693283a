"""Watching: files are checked again after each change of them, until Ctrl-C."""

from collections.abc import Callable, Sequence

from toolkit.errors import ConfigurationError
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, report
from toolkit_cli.file_stamps import stamp_of, wait_for_change


def watch(paths: Sequence[str], check: Callable[[], ExitCode]) -> ExitCode:
    """Check now and after each change; return how the last check ended.

    Args:
        paths: What is checked; its folders are watched.
        check: Checks and prints what it finds.
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
    """Check, and report settings that cannot be read instead of ending."""
    try:
        return check()
    except (Failure, ConfigurationError) as error:
        report(error.problems)
        return ExitCode.FINDINGS
