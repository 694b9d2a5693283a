"""Sends spans and metrics of a command, if the environment or a flag enables that; otherwise nothing is imported."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from toolkit.errors import ConfigurationError
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.escaping import one_line

if TYPE_CHECKING:
    from toolkit.telemetry import OpenTelemetry, Telemetry

_LOGGER = "opentelemetry"
_opened: "_Opened | None" = None


@contextmanager
def telemetry(wanted: bool | None) -> Iterator["Telemetry | None"]:  # noqa: FBT001 - the flag as typed
    """Yield a listener that records spans and metrics, or `None` if telemetry is off; flush them at the end.

    Args:
        wanted: The flag; if `None`, the environment decides, provided that the extra is installed.

    Raises:
        Failure: If the flag enables telemetry, but it cannot be set up.
    """
    global _opened  # noqa: PLW0603 - one per process, which may end inside this context
    opened = _open(wanted) if _is_wanted(wanted) else None
    if opened is None:
        yield None
        return
    _opened = opened
    try:
        yield opened.sending.listener
    finally:
        close_telemetry()


def close_telemetry() -> None:
    """Flush spans and metrics, and print a warning if some could not be sent."""
    global _opened
    opened, _opened = _opened, None
    if opened is not None:
        opened.close()


class _Opened:
    """Sends spans and metrics, and collects errors from the exporter."""

    def __init__(self) -> None:
        from toolkit.telemetry import open_telemetry  # few runs use telemetry

        self._failures = _Failures()
        logger = logging.getLogger(_LOGGER)
        logger.addHandler(self._failures)
        logger.propagate = False
        self.sending: OpenTelemetry = open_telemetry(redactor=console.redactor())

    def close(self) -> None:
        self.sending.close()
        if self._failures.first is not None:
            console.say(f"warning: not all telemetry was sent: {_line(self._failures.first)}")


class _Failures(logging.Handler):
    """Remembers the first error."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.first: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.first = self.first or record.getMessage()


def _is_wanted(wanted: bool | None) -> bool:  # noqa: FBT001 - as above
    if not any(name.startswith("OTEL_") for name in os.environ):
        return bool(wanted)
    from toolkit.telemetry.propagation import is_disabled, wants_telemetry  # few environments set it

    return wants_telemetry(os.environ) if wanted is None else wanted and not is_disabled(os.environ)


def _open(wanted: bool | None) -> "_Opened | None":  # noqa: FBT001 - as above
    """Set up telemetry; if that fails and only the environment enables it, continue without.

    Raises:
        Failure: If it fails and the flag enables it.
    """
    try:
        return _Opened()
    except ConfigurationError as error:
        if wanted:
            raise Failure(ExitCode.USAGE, f"--otel: {error}") from error
        if _is_installed():
            console.say(f"warning: telemetry is not sent: {error}")
        return None


def _is_installed() -> bool:
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None


def _line(text: str) -> str:
    return one_line(text)
