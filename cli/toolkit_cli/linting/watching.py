"""Checks files again whenever they change, until Ctrl-C."""

from collections.abc import Callable, Sequence

from toolkit.errors import ConfigurationError
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, report
from toolkit_cli.file_stamps import stamp_of, wait_for_change


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
